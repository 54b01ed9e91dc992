# SPDX-License-Identifier: Apache-2.0
"""Every sample of the known networks on three boards, through the real program: outputs bit for bit (or within the stated slack).
networks_test.py BINARY SOURCE. Reads SOURCE/../shared/models; without it the test is skipped (exit code 77)."""
import concurrent.futures
import json
import os
import subprocess
import sys

BOARDS = ("card_310p3", "card_910b1", "card_950pr")
NETWORKS = ("resnet8", "dscnn_kws", "mobilenetv1_vww", "ad01", "streaming_ww", "mnist_ptq")
NODES = ("qlinearconv", "qlinearmatmul_2D", "qlinearmatmul_3D", "quantizelinear", "quantizelinear_axis", "dequantizelinear", "dequantizelinear_axis")


def files(folder, kind):
    found = []
    while os.path.exists(os.path.join(folder, f"{kind}_{len(found)}.pb")):
        found.append(os.path.join(folder, f"{kind}_{len(found)}.pb"))
    return found


def run(binary, source, board, model, inputs, expected, tolerance):
    command = [binary, "run", os.path.join(source, "configs", "board", board + ".yaml"), model, "--trace", "none", "--tolerance", str(tolerance)]
    for path in inputs:
        command += ["--input", path]
    for path in expected:
        command += ["--expect", path]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def check(binary, source, board, name, model, folder, slack):
    inputs, expected = files(folder, "input"), files(folder, "output")
    result = run(binary, source, board, model, inputs, expected, 0)
    if result.returncode == 0 and result.stdout.count("equal to what was expected") == len(expected):
        return None
    # Only outputs that went through a float softmax have slack; the first ones are exact.
    exact = run(binary, source, board, model, inputs, expected[:1], 0)
    if slack and exact.returncode == 0 and run(binary, source, board, model, inputs, expected, 1).returncode == 0:
        return None
    return f"{name} {os.path.basename(folder)} on {board}: exit {result.returncode}\n{result.stdout[-600:]}{result.stderr[-600:]}"


def main():
    binary, source = sys.argv[1:3]
    models = os.path.join(source, "..", "shared", "models")
    if not os.path.isdir(models):
        print(f"SKIPPED: {models} is not there; the networks with known outputs are not tested")
        sys.exit(77)
    slack = {entry["name"]: bool(entry.get("tolerance")) for entry in json.load(open(os.path.join(models, "index.json")))}
    cases = []
    for board in BOARDS:
        for name in NETWORKS:
            for folder in sorted(os.listdir(os.path.join(models, name))):
                if folder.startswith("test_data_set_"):
                    cases.append((binary, source, board, name, os.path.join(models, name, "model_qop.onnx"), os.path.join(models, name, folder), slack.get(name, False)))
        for name in NODES:
            root = os.path.join(models, "onnx_node_int8", "test_" + name)
            cases.append((binary, source, board, name, os.path.join(root, "model.onnx"), os.path.join(root, "test_data_set_0"), False))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(lambda c: check(*c), cases) if f]
    for failure in failures:
        print(failure)
    print(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
