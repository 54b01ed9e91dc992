#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, builds, and recognises handwritten digits on a simulated Ascend 310P3 card, checking every result.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release
npulab=build/release/npulab
digits=workloads/library/digits
board=configs/board/card_310p3.yaml

for k in 1 2 3; do
  label=$(sed -n "s/.*\"sample_$k\": \([0-9]*\).*/\1/p" $digits/labels.json)
  found=$($npulab run $board $digits/digits.onnx --input $digits/sample_$k/input_0.pb --expect $digits/sample_$k/output_0.pb |
    sed -n 's/^output logits.*largest at \[0,\([0-9]*\)\].*/\1/p')
  echo "image $k: a $label, recognised as $found"
done
$npulab run $board $digits/digits.onnx --input $digits/sample_0/input_0.pb --expect $digits/sample_0/output_0.pb --out out/demo
models=../shared/models
if [ -d $models/resnet8 ]; then
  echo
  $npulab run $board $models/resnet8/model_qop.onnx --input $models/resnet8/test_data_set_0/input_0.pb \
    --expect $models/resnet8/test_data_set_0/output_0.pb --out out/resnet8 | tail -n 4
else
  echo "(no ../shared/models here: ResNet-8 is skipped)"
fi
echo
echo "Open out/demo/trace.json.gz in a trace viewer (Perfetto, Chromium's Performance panel), out/demo/tasks.csv in a spreadsheet."
