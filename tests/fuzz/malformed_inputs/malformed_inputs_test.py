# SPDX-License-Identifier: Apache-2.0
"""Malformed inputs through the real program: each must end with exit code 2, say what was expected, and be quick.
malformed_inputs_test.py BINARY SOURCE"""
import os
import re
import subprocess
import sys
import tempfile
import time

BINARY, SOURCE = sys.argv[1:3]
BOARD = os.path.join(SOURCE, "configs", "board", "card_910b1.yaml")
SOC = os.path.join(SOURCE, "configs", "soc", "ascend910b1.yaml")
DIGITS = os.path.join(SOURCE, "workloads", "library", "digits")
MODEL = f"{DIGITS}/digits.onnx"
INPUT = f"{DIGITS}/sample_0/input_0.pb"
GEMM = os.path.join(SOURCE, "workloads", "library", "gemm_int8_4096.yaml")
LIMIT_SECONDS = 5  # one second is promised; the machine may be busy

board_text = open(BOARD).read().replace("extends: ../soc", "extends: " + os.path.join(SOURCE, "configs", "soc"))
soc_text = open(SOC).read()


def edited(text, old, new):
    assert re.search(old, text, re.M), f"the table is out of date: no {old}"
    return re.sub(old, new, text, count=1, flags=re.M)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx_model(nodes, shape=(1, 4), inputs=("x",), outputs=("y",)):
    """A minimal ModelProto; nodes are (op, inputs, outputs)."""
    def value(name):
        dims = b"".join(field(1, varint(1 << 3) + varint(d)) if d else field(1, b"") for d in shape)
        return field(1, name.encode()) + field(2, field(1, varint(1 << 3) + varint(1) + field(2, dims)))
    graph = b"".join(field(1, b"".join(field(1, i.encode()) for i in ins) + b"".join(field(2, o.encode()) for o in outs) + field(4, op.encode())) for op, ins, outs in nodes)
    graph += field(2, b"g") + b"".join(field(11, value(i)) for i in inputs) + b"".join(field(12, value(o)) for o in outputs)
    return varint(1 << 3) + varint(8) + field(7, graph)


WORKLOAD = "format: npulab/workload/1\nname: w\n"
BODY = WORKLOAD + "target_soc: ascend910b1\narena: 1 KiB\nkernels: []\ntensors:\n  - {name: a, role: input, type: int8, shape: [4], offset: 0 B, bytes: 4 B}\n"
TRACE = "npulab-ktrace 1\n"

# name, contents of the file FILE (None: no file), command line, expected fragment
CASES = [
    ("missing file", None, ["devices", "FILE"], "expected a file, found nothing"),
    ("a folder", None, ["devices", SOURCE], "folder"),
    ("empty board", "", ["devices", "FILE"], "empty"),
    ("binary board", b"\x00\x01\x02", ["devices", "FILE"], "binary"),
    ("broken YAML", "a: [1, 2\nb: 3", ["devices", "FILE"], "mistake"),
    ("truncated board", board_text[:200], ["devices", "FILE"], "expected"),
    ("huge file", "#" * (17 << 20), ["devices", "FILE"], "16 MiB"),
    ("a list", "- 1\n- 2\n", ["devices", "FILE"], "expected keys and values"),
    ("unknown format", edited(board_text, "npulab/board/1", "npulab/board/9"), ["devices", "FILE"], "npulab/board/1"),
    ("no format", edited(board_text, "^format:.*$", ""), ["devices", "FILE"], "format: expected this key"),
    ("missing key", edited(board_text, "^name:.*$", ""), ["devices", "FILE"], "name: expected this key"),
    ("unknown key", board_text + "\nbananas: 1\n", ["devices", "FILE"], "bananas: expected no such key"),
    ("misspelt key", edited(board_text, "^engine:", "engnie:"), ["devices", "FILE"], "did you mean 'engine'"),
    ("duplicate key", board_text + "\nname: again\n", ["devices", "FILE"], "each key once"),
    ("bad choice", edited(board_text, "engine: scoreboard", "engine: scorebord"), ["devices", "FILE"], "did you mean 'scoreboard'"),
    ("two errors at once", edited(edited(board_text, "engine: scoreboard", "engine: fast"), "boot: fast", "boot: never"), ["devices", "FILE"], "boot: expected one of"),
    ("unknown chip", edited(board_text, "soc: ascend910b1", "soc: ascend910b2"), ["devices", "FILE"], "expected a name under socs"),
    ("unknown device", edited(board_text, "device: npu0", "device: npu7"), ["devices", "FILE"], "expected a name under devices"),
    ("endpoint as root", edited(board_text, "kind: root_port", "kind: endpoint"), ["devices", "FILE"], "root_port"),
    ("width 3", edited(board_text, r"width: \{value: 16", "width: {value: 3"), ["devices", "FILE"], "1, 2, 4, 8 or 16"),
    ("generation 9", edited(board_text, r"generation: \{value: \d", "generation: {value: 9"), ["devices", "FILE"], "too large"),
    ("payload 200", edited(board_text, r"max_payload: \{value: 256 B", "max_payload: {value: 200 B"), ["devices", "FILE"], "power of two"),
    ("value as list", edited(board_text, "^name:.*$", "name: [a, b]"), ["devices", "FILE"], "expected a value, found a list"),
    ("group as value", edited(board_text, r"^host:\n(  .*\n)+", "host: 7\n"), ["devices", "FILE"], "expected a group of keys"),
    ("extends nothing", edited(board_text, "ascend910b1.yaml", "ascend999.yaml"), ["devices", "FILE"], "named by extends"),
    ("extends itself", "format: npulab/board/1\nextends: FILENAME\n", ["devices", "FILE"], "expected no cycle"),
    ("chip: no unit", edited(soc_text, "value: 1850 MHz", "value: 1850"), ["check", "FILE"], "a frequency such as"),
    ("chip: wrong unit", edited(soc_text, "value: 512 KiB", "value: 512 MHz"), ["check", "FILE"], "a size such as"),
    ("chip: zero size", edited(soc_text, "value: 64 KiB", "value: 0 KiB"), ["check", "FILE"], "too small"),
    ("chip: negative size", edited(soc_text, "value: 64 KiB", "value: -64 KiB"), ["check", "FILE"], "too small"),
    ("chip: not whole", edited(soc_text, "value: 10 cycle", "value: 10.5 cycle"), ["check", "FILE"], "finer than"),
    ("chip: no number", edited(soc_text, "value: 24,", "value: many,"), ["check", "FILE"], "whole number"),
    ("chip: bare number", edited(soc_text, r"count: \{[^}]*\}", "count: 24"), ["check", "FILE"], "{value, evidence, source}"),
    ("chip: bad evidence", edited(soc_text, "evidence: documented", "evidence: documentd"), ["check", "FILE"], "did you mean 'documented'"),
    ("chip: no source", edited(soc_text, ', source: "[^"]*"', ""), ["check", "FILE"], "source: expected this key"),
    ("chip: BAR size", edited(soc_text, "value: 1 MiB", "value: 3 MiB"), ["check", "FILE"], "power of two"),
    ("chip: L2 size", edited(soc_text, "value: 192 MiB", "value: 1001 KiB"), ["check", "FILE"], "line x ways"),
    ("chip: mixed group", edited(soc_text, r"cube_cores: \{value: 1,", "cube_cores: {value: 2,"), ["check", "FILE"], "another mix"),
    ("chip: no cube buffers", edited(soc_text, r"      l0a:\n(        .*\n)+", ""), ["check", "FILE"], "expected l1, l0a, l0b and l0c"),
    ("chip: not boolean", edited(soc_text, "supported: true", "supported: yes"), ["check", "FILE"], "true or false"),
    ("--set unknown path", None, ["devices", BOARD, "--set", "soc.memory.hbm.capacty=1GiB"], "did you mean 'capacity'"),
    ("--set without value", None, ["devices", BOARD, "--set", "engine"], "PATH=VALUE"),
    ("--set bad value", None, ["devices", BOARD, "--set", "soc.memory.hbm.capacity=lots"], "a size such as"),
    ("--set a group", None, ["devices", BOARD, "--set", "host=3"], "single value"),
    ("--set workload text", None, ["run", BOARD, GEMM, "--set", "workload.m=many"], "workload.m: expected a whole number"),
    ("--set workload unknown", None, ["run", BOARD, GEMM, "--set", "workload.q=128"], "--set"),
    ("unknown command", None, ["rum"], "did you mean 'run'"),
    ("unknown option", None, ["run", BOARD, MODEL, "--outt", "x"], "did you mean '--out'"),
    ("no board", None, ["run"], "expected BOARD"),
    ("no workload", None, ["run", BOARD], "expected WORKLOAD"),
    ("bad mode", None, ["run", BOARD, MODEL, "--mode", "fast"], "functional or timing"),
    ("bad trace", None, ["run", BOARD, MODEL, "--trace", "some"], "none, tasks or full"),
    ("bad repeat", None, ["run", BOARD, MODEL, "--repeat", "0"], "--repeat"),
    ("text repeat", None, ["run", BOARD, MODEL, "--repeat", "two"], "repeat"),
    ("expect in timing", None, ["run", BOARD, MODEL, "--mode", "timing", "--expect", f"{DIGITS}/sample_0/output_0.pb"], "computes nothing"),
    ("out below a file", None, ["run", BOARD, MODEL, "--out", INPUT + "/x"], "--out"),
    ("lower without out", None, ["lower", MODEL, BOARD], "--out"),
    ("validate without data", None, ["validate", "--data", "nowhere"], "--data: expected a folder with CSV files"),
    ("validate unknown family", "device,step,cores,task_us\nA2,vector,1,5\n", ["validate", "--data", "FILE.csv", "--family", "ads"], "did you mean 'add'"),
    ("validate no jobs", None, ["validate", "--data", "FILE.csv", "--jobs", "0"], "--jobs: expected 1 to 1024"),
    ("validate short line", "device,step,cores,task_us\nA2\n", ["validate", "--data", "FILE.csv"], "input.csv:2:1: expected 4 fields, found 1"),
    ("calibrate unknown chip", "chip,table,kind,x,x_unit,rate,rate_unit\n910b1,L1_TO_L0A,move,2,KiB,300,GiB/s\n", ["calibrate", "--data", "FILE.csv", "--chip", "910c1", "--boards", os.path.join(SOURCE, "configs", "board")], "did you mean '910b1'"),
    ("check without file", None, ["check"], "at least one file"),
    ("lspci below a file", None, ["devices", BOARD, "--lspci", INPUT + "/x"], "--lspci"),
    ("not a model", "hello", ["run", BOARD, "FILE.onnx"], "expected an ONNX model"),
    ("truncated model", open(MODEL, "rb").read()[:3000], ["run", BOARD, "FILE.onnx"], "expected an ONNX model"),
    ("missing model", None, ["run", BOARD, "nowhere.onnx"], "expected a file"),
    ("unsupported operator", onnx_model([("Sine", ["x"], ["y"])]), ["run", BOARD, "FILE.onnx"], "expected a supported operator, found Sine"),
    ("two unsupported operators", onnx_model([("Sine", ["x"], ["z"]), ("Cosine", ["z"], ["y"])]), ["run", BOARD, "FILE.onnx"], "found Cosine"),
    ("free dimension", onnx_model([("Softmax", ["x"], ["y"])], (0, 4)), ["run", BOARD, "FILE.onnx"], "dimension"),
    ("missing initialiser", onnx_model([("Softmax", ["w"], ["y"])]), ["run", BOARD, "FILE.onnx"], "'w'"),
    ("cyclic network", onnx_model([("Softmax", ["b"], ["y"]), ("Softmax", ["y"], ["b"])]), ["run", BOARD, "FILE.onnx"], "cycle"),
    ("no nodes", onnx_model([], outputs=("x",)), ["run", BOARD, "FILE.onnx"], "empty graph"),
    ("unmade output", onnx_model([("Softmax", ["x"], ["z"])]), ["run", BOARD, "FILE.onnx"], "output y"),
    ("input not a tensor", "hello", ["run", BOARD, MODEL, "--input", "FILE.pb"], "expected"),
    ("input of wrong size", "hello", ["run", BOARD, MODEL, "--input", "FILE.raw"], "bytes for"),
    ("npy garbage", "hello world, no array", ["run", BOARD, MODEL, "--input", "FILE.npy"], "NumPy"),
    ("wrong input tensor", None, ["run", BOARD, MODEL, "--input", f"{DIGITS}/sample_0/output_0.pb"], "expected float"),
    ("too many inputs", None, ["run", BOARD, MODEL, "--input", INPUT, "--input", INPUT], "at most 1"),
    ("model larger than memory", None, ["run", BOARD, GEMM, "--set", "soc.memory.hbm.capacity=1MiB"], "device memory"),
    ("workload: unknown format", "format: npulab/workload/7\nname: x\n", ["run", BOARD, "FILE"], "npulab/workload/1"),
    ("workload: bad generator", WORKLOAD + "generate: {kernel: gem_int8, m: 1, n: 1, k: 1}\n", ["run", BOARD, "FILE"], "did you mean 'gemm_int8'"),
    ("workload: unknown option", WORKLOAD + "generate: {kernel: gemm_int8, m: 1, n: 1, k: 1, sed: 1}\n", ["check", "FILE"], "did you mean 'seed'"),
    ("workload: option missing", WORKLOAD + "generate: {kernel: gemm_int8, m: 1, k: 1}\n", ["check", "FILE"], "generate.n: expected this key"),
    ("workload: bad choice", WORKLOAD + "generate: {kernel: gemm_int8, m: 1, n: 1, k: 1, result: int33}\n", ["check", "FILE"], "did you mean 'int32'"),
    ("workload: shape out of range", WORKLOAD + "generate: {kernel: gemm_int8, m: 1, n: 99999, k: 1}\n", ["run", BOARD, "FILE"], ":3:12: generate: gemm: expected M, N and K"),
    ("workload: does not fit the chip", WORKLOAD + "generate: {kernel: micro_move, path: gm_ub, bytes: 1 MiB}\n", ["check", "FILE", "--board", BOARD], "generate: ub: expected at most"),
    ("--set workload choice", None, ["run", BOARD, GEMM, "--set", "workload.result=int33"], "--set: workload.result: expected one of int8, int32"),
    ("workload: missing trace", BODY.replace("[]", "[none.ktrace]") + "streams: []\n", ["run", BOARD, "FILE"], "none.ktrace"),
    ("workload: outside arena", BODY.replace("offset: 0 B", "offset: 4 KiB") + "streams: []\n", ["run", BOARD, "FILE"], "within the arena"),
    ("workload: unknown input", BODY + "inputs: [b]\nstreams: []\n", ["run", BOARD, "FILE"], "name of a tensor"),
    ("workload: other chip", BODY.replace("910b1", "310") + "streams: []\n", ["run", BOARD, "FILE"], "expected"),
    ("workload: bad kernel index", BODY + "streams:\n  - {name: s, tasks: [{kind: kernel, kernel: 3}]}\n", ["run", BOARD, "FILE"], "kernel"),
    ("trace: empty", "", ["check", "FILE.ktrace"], "expected"),
    ("trace: unknown word", TRACE + "kernel k\nprogram cube p {\n  mmmad\n}\n", ["check", "FILE.ktrace"], "expected"),
    ("trace: open loop", TRACE + "kernel k\nprogram p {\n  loop i 4 {\n}\n", ["check", "FILE.ktrace"], "expected"),
    ("trace: other version", "npulab-ktrace 9\n", ["check", "FILE.ktrace"], "expected"),
    ("trace: garbage", bytes(range(256)), ["check", "FILE.ktrace"], "expected"),
]


def run(name, contents, words, fragment, folder):
    suffix = next((w[4:] for w in words if w.startswith("FILE.")), ".yaml")
    path = os.path.join(folder, "input" + suffix)
    if os.path.exists(path):
        os.remove(path)
    if contents is not None:
        data = contents if isinstance(contents, bytes) else contents.replace("FILENAME", os.path.basename(path)).encode()
        with open(path, "wb") as f:
            f.write(data)
    command = [path if w == "FILE" or w.startswith("FILE.") else w for w in words]
    start = time.monotonic()
    result = subprocess.run([BINARY, *command], capture_output=True, text=True, timeout=60, cwd=folder)
    seconds = time.monotonic() - start
    if result.returncode != 2:
        return f"{name}: exit {result.returncode}, not 2: {result.stderr[:300]}{result.stdout[:200]}"
    if fragment not in result.stderr:
        return f"{name}: '{fragment}' is not in: {result.stderr[:400]}"
    return f"{name}: took {seconds:.1f} s" if seconds > LIMIT_SECONDS else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        failures = [f for f in (run(*case, folder) for case in CASES) if f]
    for failure in failures:
        print(failure)
    print(f"{len(CASES) - len(failures)} passed, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
