#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""INT8 networks in numpy: the oracle of the expected outputs, written apart from the simulator and sharing nothing with it.

Integers accumulate exactly, requantisation is one fp32 multiplication, rounding is half to even: what ONNX Runtime computes.
Usage: integer_reference.py --self-check MODELS
replays the networks of a folder of NAME/model_qop.onnx with NAME/test_data_set_K/{input,output}_J.pb.
"""
import os
import re
import sys

import numpy as np
import onnx
from onnx import numpy_helper

F = np.float32
NETWORKS = ("resnet8", "dscnn_kws", "ad01", "mobilenetv1_vww", "streaming_ww", "mnist_ptq")


def number(tensor, kind):
    """A scalar, stored with rank 0 or as one element; an absent optional zero point is 0."""
    return kind(0) if tensor is None else kind(np.asarray(tensor).reshape(-1)[0])


def centred(q, zero):
    return q.astype(np.int64) - number(zero, int)


def limits(dtype):
    info = np.iinfo(dtype)
    return info.min, info.max


def requantise(acc, multiplier, zero):
    """int32 sums to the output type. The sum is rounded to fp32 before the multiplication; that loss is part of the contract."""
    assert np.abs(acc).max(initial=0) < 2 ** 31
    z, (low, high) = int(zero.reshape(-1)[0]), limits(zero.dtype)
    scaled = np.clip(acc.astype(np.int32).astype(F) * multiplier, F(low - z), F(high - z))
    return (np.rint(scaled).astype(np.int32) + z).astype(zero.dtype)


def multiplier(sx, sw, sy):
    return (F(number(sx, F)) * np.asarray(sw, F)).astype(F) / number(sy, F)


def slide(x, kernel, strides, pads, dilations, fill):
    """Yields (i, j, view): for each kernel position the elements it meets at every output position."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    span = [dilations[d] * (kernel[d] - 1) + 1 for d in (0, 1)]
    out = [(x.shape[2 + d] - span[d]) // strides[d] + 1 for d in (0, 1)]
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            top, left = i * dilations[0], j * dilations[1]
            yield i, j, x[:, :, top:top + (out[0] - 1) * strides[0] + 1:strides[0], left:left + (out[1] - 1) * strides[1] + 1:strides[1]]


def window(a, kernel, size):
    """(kernel, strides, pads, dilations) with automatic padding resolved for a map of `size`."""
    assert not a.get("ceil_mode", 0)
    strides, dilations = a.get("strides", [1, 1]), a.get("dilations", [1, 1])
    mode = a.get("auto_pad", b"NOTSET")
    if mode in (b"NOTSET", b"VALID"):
        return kernel, strides, a.get("pads", [0, 0, 0, 0]), dilations
    total = [max(0, (-(-size[d] // strides[d]) - 1) * strides[d] + dilations[d] * (kernel[d] - 1) + 1 - size[d]) for d in (0, 1)]
    less, more = [t // 2 for t in total], [t - t // 2 for t in total]
    return kernel, strides, less + more if mode == b"SAME_UPPER" else more + less, dilations


def convolution(a, x, sx, zx, w, sw, zw, sy, zy, bias=None):
    groups, outputs = a.get("group", 1), w.shape[0]
    weights = w.astype(np.int64) - np.asarray(zw, np.int64).reshape((-1, 1, 1, 1))
    weights = weights.reshape((groups, outputs // groups) + w.shape[1:])
    acc = 0
    for i, j, view in slide(centred(x, zx), *window(a, w.shape[2:], x.shape[2:]), 0):
        part = view.reshape((view.shape[0], groups, -1) + view.shape[2:])
        acc = acc + np.einsum("ngchw,goc->ngohw", part, weights[:, :, :, i, j])
    acc = acc.reshape((acc.shape[0], outputs) + acc.shape[3:])
    if bias is not None:
        acc = acc + bias.astype(np.int64).reshape((1, -1, 1, 1))
    return requantise(acc, multiplier(sx, sw, sy).reshape((1, -1, 1, 1)), zy)


def gemm(a, x, sx, zx, w, sw, zw, bias, sy, zy):
    assert a.get("alpha", 1.0) == 1.0 and not a.get("transA", 0)
    w = w.T if a.get("transB", 0) else w
    acc = centred(x, zx) @ (w.astype(np.int64) - np.asarray(zw, np.int64))
    if bias is not None:
        acc = acc + bias.astype(np.int64)
    return requantise(acc, multiplier(sx, sw, sy), zy)


def matmul(a, x, sx, zx, w, sw, zw, sy, zy):
    return requantise(centred(x, zx) @ (w.astype(np.int64) - np.asarray(zw, np.int64)), multiplier(sx, sw, sy), zy)


def saturate(real, zero):
    """rint, zero point, limits of the output type; `zero` carries the type."""
    return np.clip(np.rint(real).astype(np.int64) + number(zero, int), *limits(zero.dtype)).astype(zero.dtype)


def add(a, x, sx, zx, y, sy, zy, so, zo):
    left = centred(x, zx).astype(F) * number(sx, F)
    right = centred(y, zy).astype(F) * number(sy, F)
    return saturate((left + right) / number(so, F), zo)


def average(a, x, sx, zx, sy, zy):
    assert not a.get("channels_last", 0)
    acc = centred(x, zx).sum(axis=(2, 3), keepdims=True)
    return requantise(acc, number(sx, F) / (number(sy, F) * F(x.shape[2] * x.shape[3])), zy)


def max_pool(a, x):
    views = slide(x, *window(a, a["kernel_shape"], x.shape[2:]), limits(x.dtype)[0])
    return np.max([view for _, _, view in views], axis=0)


def quantise(a, x, scale, zero):
    return saturate(x / number(scale, F), zero)


def dequantise(a, q, scale, zero=None):
    return centred(q, zero).astype(F) * number(scale, F)


def softmax(a, x):
    """In double, rounded once: the nearest floats to the true values, on every machine."""
    axis = a.get("axis", -1)
    e = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
    return (e / e.sum(axis=axis, keepdims=True)).astype(F)


def flatten(a, x):
    return x.reshape(int(np.prod(x.shape[:a.get("axis", 1)])), -1)


def reshape(a, x, shape):
    return x.reshape([x.shape[i] if n == 0 else int(n) for i, n in enumerate(shape)])


OPERATORS = {
    "QLinearConv": convolution, "QGemm": gemm, "QLinearMatMul": matmul, "QLinearAdd": add, "QLinearGlobalAveragePool": average,
    "MaxPool": max_pool, "QuantizeLinear": quantise, "DequantizeLinear": dequantise, "Softmax": softmax, "Flatten": flatten, "Reshape": reshape,
}


def evaluate(model, inputs):
    """All tensors of the network by name."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values.update(inputs)
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPERATORS[node.op_type](attributes, *[values[name] if name else None for name in node.input])
    return values


def load(path):
    with open(path, "rb") as f:
        return numpy_helper.to_array(onnx.TensorProto.FromString(f.read()))


def check_network(folder):
    """Differing elements per graph output, over all samples; integers and floats alike must be equal."""
    model = onnx.load(os.path.join(folder, "model_qop.onnx"))
    first = {t.name for t in model.graph.initializer}
    names = [i.name for i in model.graph.input if i.name not in first]
    samples = sorted((s for s in os.listdir(folder) if re.fullmatch(r"test_data_set_\d+", s)), key=lambda s: int(s.rsplit("_", 1)[1]))
    totals = {}
    for sample in samples:
        path = os.path.join(folder, sample)
        values = evaluate(model, {name: load(os.path.join(path, f"input_{j}.pb")) for j, name in enumerate(names)})
        for j, output in enumerate(model.graph.output):
            if not os.path.exists(os.path.join(path, f"output_{j}.pb")):
                continue
            got, expected = values[output.name], load(os.path.join(path, f"output_{j}.pb"))
            if got.size != expected.size or got.dtype != expected.dtype:
                raise SystemExit(f"{path}: output {output.name} is {got.dtype}{got.shape}, expected {expected.dtype}{expected.shape}")
            count, different = totals.get(output.name, (0, 0))
            totals[output.name] = (count + got.size, different + int(np.count_nonzero(got.reshape(-1) != expected.reshape(-1))))
    return len(samples), totals


def self_check(root):
    """Exit status: 0 when every element of every network found is equal and at least one network was there."""
    wrong, checked = 0, 0
    for name in NETWORKS:
        if not os.path.isdir(os.path.join(root, name)):
            print(f"{name}: not there, skipped")
            continue
        samples, totals = check_network(os.path.join(root, name))
        for output, (count, different) in totals.items():
            print(f"{name}: {samples} samples, {output}: {different} of {count} elements differ")
            wrong, checked = wrong + different, checked + count
    print(f"self-check: {'FAILED' if wrong or not checked else 'ok'}, {checked} elements compared, {wrong} differ")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--self-check":
        sys.exit("usage: integer_reference.py --self-check MODELS")
    sys.exit(self_check(sys.argv[2]))
