#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare_builds.sh BINARY_A BINARY_B: runs both (say, build/release/npulab and build/clang/npulab, one by each compiler) on the same work
# and compares everything they write and print, byte by byte. Names what differs; exit 1 if anything does.
set -euo pipefail
if [ $# -ne 2 ]; then echo "usage: compare_builds.sh BINARY_A BINARY_B" >&2; exit 2; fi
binaries=("$(realpath "$1")" "$(realpath "$2")")
for i in 0 1; do
  if [ ! -x "${binaries[i]}" ]; then
    echo "compare_builds: ${binaries[i]} is not there; 'cmake --preset NAME' and 'cmake --build --preset NAME' make it (preset clang needs clang)" >&2
    exit 2
  fi
done
cd "$(dirname "$0")/.."
library=workloads/library
models=../shared/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0
differences=0

# both NAME WORDS...: each binary in an empty folder of its own, where out/ is made; what it prints (but how long it took) and its exit code
# count as files.
both() {
  local name=$1 side i difference
  shift
  for i in 0 1; do
    side=$work/$i/$name
    mkdir -p "$side"
    ln -s "$PWD/configs" "$PWD/workloads" "$side"
    if [ -d "$models" ]; then ln -s "$(realpath "$models")" "$side/models"; fi
    (cd "$side" && "${binaries[i]}" "$@" >printed 2>errors && echo 0 >code || echo $? >code)
    if [ "$(cat "$side/code")" != 0 ]; then
      echo "compare_builds: ${binaries[i]} $*: exit $(cat "$side/code")" >&2
      cat "$side/errors" >&2
      differences=$((differences + 1))
    fi
    find "$side" -type l -delete
    sed -i '/^Simulated in [0-9.]* s /d' "$side/printed"
  done
  runs=$((runs + 1))
  if ! difference=$(diff -rq "$work/0/$name" "$work/1/$name"); then
    echo "$name: $*"
    sed "s|$work/0/|A:|; s|$work/1/|B:|" <<<"$difference"
    differences=$((differences + 1))
  fi
  rm -rf "$work/0/$name" "$work/1/$name"
}

digits=("$library/digits/digits.onnx" --input "$library/digits/sample_0/input_0.pb")
for path in configs/board/card_*.yaml; do
  board=$(basename "$path" .yaml)
  both "devices_$board" devices "$path" --json
  both "digits_$board" run "$path" "${digits[@]}" --out out --trace full
  both "process_$board" run "$path" "${digits[@]}" --out out --trace full --set engine=process
  both "lower_$board" lower $library/digits/digits.onnx "$path" --out out
  for workload in gemm_int8_4096 gm_stream; do
    both "${workload}_$board" run "$path" $library/$workload.yaml --mode timing --trace tasks --out out
  done
done

skipped=()
for model in resnet8 dscnn_kws mobilenetv1_vww ad01 streaming_ww; do
  if [ ! -f "$models/$model/model_qop.onnx" ]; then skipped+=("$model"); continue; fi
  both "$model" run configs/board/card_910b1.yaml "models/$model/model_qop.onnx" --input "models/$model/test_data_set_0/input_0.pb" --out out --trace full
  both "lower_$model" lower "models/$model/model_qop.onnx" configs/board/card_910b1.yaml --out out
done
if [ ${#skipped[@]} -gt 0 ]; then echo "SKIPPED: ${skipped[*]}: not in $models"; fi
if [ "$differences" -ne 0 ]; then echo "compare_builds: $differences differences in $runs runs" >&2; exit 1; fi
echo "compare_builds: $runs runs equal to the byte"
