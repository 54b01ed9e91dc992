#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and reads handwritten digits on a simulated Ascend 310P3 card; every result is compared with its expected bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/build.sh release

npulab=build/release/npulab
board=configs/board/card_310p3.yaml
digits=workloads/library/digits
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs npulab on a network with the sample in folder $2; the logits must be equal to the bit (the probabilities are floats whose last bits depend
# on the order of a sum).
run() {
  local model=$1 sample=$2
  shift 2
  if ! "$npulab" run "$board" "$model" --input "$sample/input_0.pb" --expect "$sample/output_0.pb" "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "demo: $model with $sample failed" >&2
    exit 1
  fi
}

wrong=0
for k in 0 3 5 8; do
  sample=$digits/sample_$k
  label=$(sed -n "s/.*\"sample_$k\": *\([0-9]*\).*/\1/p" "$digits/labels.json")
  if [ "$k" -eq 0 ]; then run "$digits/digits.onnx" "$sample" --out out/demo; cat "$log"; echo; else run "$digits/digits.onnx" "$sample"; fi
  found=$(sed -n 's/^output logits .*largest at \[0,\([0-9]*\)\].*/\1/p' "$log")
  echo "sample_$k: a handwritten $label, read as ${found:-nothing}"
  [ "$found" = "$label" ] || wrong=$((wrong + 1))
done

echo
models=../shared/models
if [ -f "$models/resnet8/model_qop.onnx" ]; then
  run "$models/resnet8/model_qop.onnx" "$models/resnet8/test_data_set_0" --out out/demo_resnet8
  sed -n '1,3p' "$log"
  grep '^output logits' "$log"
else
  echo "ResNet-8: skipped, there is no $models here"
fi

echo
echo "Results of sample_0 are in out/demo:"
echo "  trace.json.gz   timeline, for a viewer of Chrome traces (Perfetto, Chromium's Performance panel)"
echo "  tasks.csv       every task and where its time went; PipeUtilization.csv and Memory.csv for each core"
echo "  stats.json      all numbers; manifest.json says what was run"
if [ "$wrong" -ne 0 ]; then
  echo "demo: $wrong digits were read wrong" >&2
  exit 1
fi
