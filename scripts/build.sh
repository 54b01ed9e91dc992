#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [PRESET]: set-up and build; prints errors and one last line.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
scripts/setup.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j"$(nproc)"; } >"$log" 2>&1; then
  grep -nE 'error|Error|FAILED' "$log" | head -n 40 >&2
  echo "build of preset $preset failed" >&2
  exit 1
fi
echo "built build/$preset/npulab"
