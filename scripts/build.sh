#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [PRESET]: sets up and builds (default: release). Prints errors and one last line.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
bash scripts/setup.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed() {
  grep -E -A 3 '(^|[^[:alnum:]_-])([Ee]rror|FAILED|undefined reference)' "$log" | head -n 60 >&2 || tail -n 30 "$log" >&2
  echo "build: $1 of preset $preset failed" >&2
  exit 1
}
cmake --preset "$preset" >"$log" 2>&1 || failed "configuration"
cmake --build --preset "$preset" -j"$(nproc)" >"$log" 2>&1 || failed "build"
echo "build: preset $preset is up to date in build/$preset"
