#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""INT8 networks in numpy, independent of the simulator: int32 accumulation, fp32 requantisation, rounding half to even.
integer_reference.py --self-check MODELS replays networks with known outputs (a folder of NAME/model_qop.onnx, test_data_set_K)."""
import os
import sys

import numpy as np
import onnx
from onnx import numpy_helper

F = np.float32


def limits(dtype):
    return (-128, 127) if dtype == np.int8 else (0, 255)


def requantise(acc, multiplier, zero, dtype):
    low, high = limits(dtype)
    scaled = np.clip(acc.astype(F) * multiplier, F(low - int(zero)), F(high - int(zero)))
    return (np.rint(scaled) + F(int(zero))).astype(np.int32).astype(dtype)


def convolve(node_attributes, v):
    x, sx, zx, w, sw, zw, sy, zy = v[:8]
    bias = v[8] if len(v) > 8 else np.zeros(w.shape[0], np.int32)
    a = node_attributes
    group, strides, pads = a.get("group", 1), a.get("strides", [1, 1]), a.get("pads", [0, 0, 0, 0])
    dilations = a.get("dilations", [1, 1])
    xi = x.astype(np.int64) - int(zx)
    wi = w.astype(np.int64) - np.asarray(zw, np.int64).reshape((-1, 1, 1, 1))
    xi = np.pad(xi, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    o, _, kh, kw = w.shape
    oh = (xi.shape[2] - dilations[0] * (kh - 1) - 1) // strides[0] + 1
    ow = (xi.shape[3] - dilations[1] * (kw - 1) - 1) // strides[1] + 1
    acc = np.zeros((x.shape[0], o, oh, ow), np.int64)
    per_in, per_out = x.shape[1] // group, o // group
    for g in range(group):
        part = xi[:, g * per_in:(g + 1) * per_in]
        for i in range(kh):
            for j in range(kw):
                window = part[:, :, i * dilations[0]:i * dilations[0] + (oh - 1) * strides[0] + 1:strides[0],
                              j * dilations[1]:j * dilations[1] + (ow - 1) * strides[1] + 1:strides[1]]
                acc[:, g * per_out:(g + 1) * per_out] += np.einsum("nchw,oc->nohw", window, wi[g * per_out:(g + 1) * per_out, :, i, j])
    acc += bias.astype(np.int64).reshape((1, -1, 1, 1))
    multiplier = ((F(sx) * np.asarray(sw, F)).astype(F) / F(sy)).astype(F).reshape((1, -1, 1, 1))
    return requantise(acc.astype(np.int32), multiplier, zy, zy.dtype)


def gemm(a, v):
    x, sx, zx, w, sw, zw, bias, sy, zy = v
    wi = w.astype(np.int64) - np.asarray(zw, np.int64).reshape((-1, 1) if a.get("transB", 0) and np.ndim(zw) else (1,) * 1)
    wi = wi.T if a.get("transB", 0) else wi
    acc = (x.astype(np.int64) - int(zx)) @ wi + bias.astype(np.int64)
    return requantise(acc.astype(np.int32), ((F(sx) * np.asarray(sw, F)).astype(F) / F(sy)).astype(F), zy, zy.dtype)


def matmul(a, v):
    x, sx, zx, w, sw, zw, sy, zy = v
    acc = (x.astype(np.int64) - int(zx)) @ (w.astype(np.int64) - np.asarray(zw, np.int64))
    return requantise(acc.astype(np.int32), (F(sx) * np.asarray(sw, F)).astype(F) / F(sy), zy, zy.dtype)


def add(a, v):
    x, sx, zx, y, sy, zy, so, zo = v
    low, high = limits(zo.dtype)
    left = (x.astype(np.int32) - int(zx)).astype(F) * F(sx)
    right = (y.astype(np.int32) - int(zy)).astype(F) * F(sy)
    return np.clip(np.rint((left + right) / F(so)).astype(np.int64) + int(zo), low, high).astype(zo.dtype)


def mean(a, v):
    x, sx, zx, sy, zy = v
    n = x.shape[2] * x.shape[3]
    acc = x.astype(np.int64).sum(axis=(2, 3), keepdims=True) - n * int(zx)
    return requantise(acc.astype(np.int32), F(sx) / (F(sy) * F(n)), zy, zy.dtype)


def max_pool(a, v):
    x, (kh, kw), (sh, sw), pads = v[0], a["kernel_shape"], a.get("strides", [1, 1]), a.get("pads", [0, 0, 0, 0])
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=limits(x.dtype)[0])
    oh, ow = (x.shape[2] - kh) // sh + 1, (x.shape[3] - kw) // sw + 1
    return np.max([x[:, :, i:i + (oh - 1) * sh + 1:sh, j:j + (ow - 1) * sw + 1:sw] for i in range(kh) for j in range(kw)], axis=0)


def quantise(a, v):
    low, high = limits(v[2].dtype)
    return np.clip(np.rint(v[0] / F(v[1])).astype(np.int64) + int(v[2]), low, high).astype(v[2].dtype)


def softmax(a, v):
    e = np.exp(v[0] - v[0].max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)).astype(F)


OPERATORS = {
    "QLinearConv": convolve, "QGemm": gemm, "QLinearMatMul": matmul, "QLinearAdd": add, "QLinearGlobalAveragePool": mean, "MaxPool": max_pool,
    "QuantizeLinear": quantise, "Softmax": softmax,
    "DequantizeLinear": lambda a, v: (v[0].astype(np.int32) - int(v[2])).astype(F) * F(v[1]),
    "Flatten": lambda a, v: v[0].reshape(int(np.prod(v[0].shape[:a.get("axis", 1)])), -1),
    "Reshape": lambda a, v: v[0].reshape(v[1]),
}


def evaluate(model, inputs):
    """All tensors of the network by name."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values.update(inputs)
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPERATORS[node.op_type](attributes, [values[i] for i in node.input if i])
    return values


def load(path):
    with open(path, "rb") as f:
        return numpy_helper.to_array(onnx.TensorProto.FromString(f.read()))


def self_check(root):
    failures = 0
    for name in ("resnet8", "dscnn_kws", "mobilenetv1_vww", "ad01", "streaming_ww"):
        model = onnx.load(os.path.join(root, name, "model_qop.onnx"))
        for folder in sorted(f for f in os.listdir(os.path.join(root, name)) if f.startswith("test_data_set_")):
            path = os.path.join(root, name, folder)
            values = evaluate(model, {model.graph.input[0].name: load(os.path.join(path, "input_0.pb"))})
            got, expected = values[model.graph.output[0].name], load(os.path.join(path, "output_0.pb"))
            same = np.array_equal(got, expected)
            failures += not same
            print(f"{name} {folder}: {'equal' if same else 'DIFFERENT'}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--self-check":
        sys.exit("usage: integer_reference.py --self-check MODELS")
    sys.exit(self_check(sys.argv[2]))
