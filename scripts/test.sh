#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [PRESET]: sets up, builds and passes all tests; asan runs them under the sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
scripts/build.sh "$preset"
ctest --preset "$preset" -j"$(nproc)" --timeout 900
