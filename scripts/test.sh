#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [--asan | PRESET]: sets up, builds and runs all tests (default: release; --asan: under the sanitizers). Ends with ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=release
case "${1:-}" in
  '') ;;
  --asan) preset=asan ;;
  -*) echo "usage: test.sh [--asan | PRESET]" >&2; exit 2 ;;
  *) preset=$1 ;;
esac
bash scripts/build.sh "$preset"
exec ctest --preset "$preset" --output-on-failure -j"$(nproc)" --timeout 900
