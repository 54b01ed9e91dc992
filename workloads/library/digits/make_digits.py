#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on handwritten digits, quantises it to INT8 and writes digits.onnx with samples.

Run: /usr/bin/python3 make_digits.py [FOLDER]   (default: the folder of this file; about a minute)
Needs Debian's python3-sklearn (for the images), python3-numpy and python3-onnx; no network.

The same bytes come out every time: one seed, no threads, products by einsum rather than by whichever BLAS is installed, and
numpy's processor-dependent kernels switched off.
"""
import json
import os
import re
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["NPY_DISABLE_CPU_FEATURES"] = "SSSE3 SSE41 POPCNT SSE42 AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # for features that this processor lacks anyway
    import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from integer_reference import evaluate

SEED, EPOCHS, BATCH, RATE = 310, 24, 32, 3e-3
TEST, CALIBRATION = 360, 200      # images; the others train
WANTED = 0.95
F = np.float32


# --- Layers, forward and backward. Maps are [image, channel, row, column].

def patches(x, size):
    """[n, h*w, c*size*size]: what a size x size filter sees at every position, zeros beyond the edge."""
    n, c, h, w = x.shape
    edge = size // 2
    x = np.pad(x, ((0, 0), (0, 0), (edge, edge), (edge, edge)))
    seen = np.stack([x[:, :, i:i + h, j:j + w] for i in range(size) for j in range(size)], axis=2)
    return np.ascontiguousarray(seen.transpose(0, 3, 4, 1, 2).reshape(n, h * w, c * size * size))


def from_patches(d, shape, size):
    """Gradient of patches()."""
    n, c, h, w = shape
    edge = size // 2
    d = d.reshape(n, h, w, c, size * size).transpose(0, 3, 4, 1, 2)
    x = np.zeros((n, c, h + 2 * edge, w + 2 * edge), F)
    for k in range(size * size):
        x[:, :, k // size:k // size + h, k % size:k % size + w] += d[:, :, k]
    return x[:, :, edge:edge + h, edge:edge + w]


def conv(x, weight, bias):
    seen = patches(x, weight.shape[2])
    y = np.einsum("npk,ok->npo", seen, weight.reshape(len(weight), -1)) + bias
    return y.transpose(0, 2, 1).reshape(x.shape[0], -1, *x.shape[2:]), seen


def conv_back(d, seen, weight, shape):
    flat = np.ascontiguousarray(d.reshape(d.shape[0], d.shape[1], -1).transpose(0, 2, 1))
    dseen = np.einsum("npo,ok->npk", flat, weight.reshape(len(weight), -1))
    dweight = np.einsum("npo,npk->ok", flat, seen).reshape(weight.shape)
    return from_patches(dseen, shape, weight.shape[2]), dweight, flat.sum(axis=(0, 1))


def depthwise(x, weight, bias):
    n, c, h, w = x.shape
    seen = patches(x, 3).reshape(n, h * w, c, 9)
    y = np.einsum("npck,ck->npc", seen, weight.reshape(c, 9)) + bias
    return y.transpose(0, 2, 1).reshape(x.shape), seen


def depthwise_back(d, seen, weight, shape):
    n, c, h, w = shape
    flat = np.ascontiguousarray(d.reshape(n, c, h * w).transpose(0, 2, 1))
    dseen = flat[:, :, :, None] * weight.reshape(c, 9)
    dweight = (flat[:, :, :, None] * seen).sum(axis=(0, 1)).reshape(weight.shape)
    return from_patches(dseen.reshape(n, h * w, c * 9), shape, 3), dweight, flat.sum(axis=(0, 1))


def pool(x):
    """2x2 maximum, and where it was."""
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))
    return y, blocks == y[:, :, :, None, :, None]


def relu(x):
    return np.maximum(x, F(0))


class Network:
    """conv 3x3 - conv 3x3 - max pool 2x2 - [depthwise 3x3 - conv 1x1, added to what went in] - average of positions - dense."""

    def __init__(self, rng):
        def weights(*shape):
            return (rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(F)
        self.p = {"w1": weights(16, 1, 3, 3), "w2": weights(32, 16, 3, 3), "w3": weights(32, 1, 3, 3), "w4": weights(32, 32, 1, 1), "w5": weights(10, 32)}
        self.p.update({f"b{i}": np.zeros(n, F) for i, n in ((1, 16), (2, 32), (3, 32), (4, 32), (5, 10))})

    def forward(self, x):
        """Every map by name; conv4 has no ReLU of its own, the sum has."""
        p, t = self.p, {"image": x}
        y, t["seen1"] = conv(x, p["w1"], p["b1"])
        t["conv1"] = relu(y)
        y, t["seen2"] = conv(t["conv1"], p["w2"], p["b2"])
        t["conv2"] = relu(y)
        t["pool"], t["where"] = pool(t["conv2"])
        y, t["seen3"] = depthwise(t["pool"], p["w3"], p["b3"])
        t["conv3"] = relu(y)
        t["conv4"], t["seen4"] = conv(t["conv3"], p["w4"], p["b4"])
        t["sum"] = relu(t["pool"] + t["conv4"])
        t["mean"] = t["sum"].mean(axis=(2, 3))
        t["logits"] = np.einsum("nk,ok->no", t["mean"], p["w5"]) + p["b5"]
        return t

    def gradients(self, t, labels):
        p, g = self.p, {}
        e = np.exp(t["logits"].astype(np.float64) - t["logits"].max(axis=1, keepdims=True))
        d = e / e.sum(axis=1, keepdims=True)
        d[np.arange(len(labels)), labels] -= 1
        d = (d / len(labels)).astype(F)
        g["w5"], g["b5"] = np.einsum("no,nk->ok", d, t["mean"]), d.sum(axis=0)
        positions = t["sum"].shape[2] * t["sum"].shape[3]
        dsum = (np.einsum("no,ok->nk", d, p["w5"]) / F(positions))[:, :, None, None] * (t["sum"] > 0)
        d3, g["w4"], g["b4"] = conv_back(dsum, t["seen4"], p["w4"], t["conv3"].shape)
        dpool, g["w3"], g["b3"] = depthwise_back(d3 * (t["conv3"] > 0), t["seen3"], p["w3"], t["pool"].shape)
        d2 = (t["where"] * (dpool + dsum)[:, :, :, None, :, None]).reshape(t["conv2"].shape) * (t["conv2"] > 0)
        d1, g["w2"], g["b2"] = conv_back(d2, t["seen2"], p["w2"], t["conv1"].shape)
        _, g["w1"], g["b1"] = conv_back(d1 * (t["conv1"] > 0), t["seen1"], p["w1"], t["image"].shape)
        return g


def train(x, labels, rng):
    """Adam; the rate falls to a tenth for the last quarter."""
    network = Network(rng)
    first, second = ({k: np.zeros_like(v) for k, v in network.p.items()} for _ in range(2))
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE if epoch < EPOCHS * 3 // 4 else RATE / 10
        order = rng.permutation(len(x))
        for begin in range(0, len(x), BATCH):
            batch = order[begin:begin + BATCH]
            g = network.gradients(network.forward(x[batch]), labels[batch])
            step += 1
            for k, value in network.p.items():
                first[k] = F(0.9) * first[k] + F(0.1) * g[k]
                second[k] = F(0.999) * second[k] + F(0.001) * g[k] * g[k]
                value -= F(rate / (1 - 0.9 ** step)) * first[k] / (np.sqrt(second[k] * F(1 / (1 - 0.999 ** step))) + F(1e-8))
    return network


# --- Quantisation and the graph.

def activation(values):
    """(scale, zero point) that span the values seen and zero. Where nothing is negative the zero point is -128: ReLU is the saturation."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = F((high - low) / 255)
    return scale, int(np.clip(np.rint(-128 - low / float(scale)), -128, 127))


class GraphBuilder:
    def __init__(self, ranges):
        self.ranges, self.tensors, self.nodes = ranges, [], []

    def constant(self, name, value):
        if name not in (t.name for t in self.tensors):
            self.tensors.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def range_of(self, name):
        """Scale and zero point of a map: rank 0, the only form ONNX Runtime takes everywhere."""
        scale, zero = self.ranges[name]
        return [self.constant(name + "_scale", np.array(scale, F)), self.constant(name + "_zero_point", np.array(zero, np.int8))]

    def node(self, op, name, inputs, output, contributed=False, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name, domain="com.microsoft" if contributed else "", **attributes))

    def weights(self, name, source, weight, bias):
        """Symmetric, a scale for each output channel; bias in units of the int32 sum."""
        scale = (np.abs(weight).reshape(len(weight), -1).max(axis=1) / F(127)).astype(F)
        scale = np.maximum(scale, F(1e-6))
        integers = np.clip(np.rint(weight / scale.reshape((-1,) + (1,) * (weight.ndim - 1))), -127, 127).astype(np.int8)
        sums = np.rint(bias.astype(np.float64) / (float(self.ranges[source][0]) * scale.astype(np.float64))).astype(np.int32)
        triple = [self.constant(name + "_weight", integers), self.constant(name + "_weight_scale", scale),
                  self.constant(name + "_weight_zero_point", np.zeros(len(scale), np.int8))]
        return triple, self.constant(name + "_bias", sums)

    def convolution(self, name, source, source_range, weight, bias, group=1):
        triple, sums = self.weights(name, source_range, weight, bias)
        size = weight.shape[2]
        self.node("QLinearConv", name, [source] + self.range_of(source_range) + triple + self.range_of(name) + [sums], name + "_out",
                  group=group, kernel_shape=[size, size], pads=[size // 2] * 4, strides=[1, 1])


def build(network, calibration):
    t, p = network.forward(calibration), network.p
    b = GraphBuilder({k: activation(t[k]) for k in ("image", "conv1", "conv2", "conv3", "conv4", "sum", "mean", "logits")})
    b.node("QuantizeLinear", "quantise", ["image"] + b.range_of("image"), "image_out")
    b.convolution("conv1", "image_out", "image", p["w1"], p["b1"])
    b.convolution("conv2", "conv1_out", "conv1", p["w2"], p["b2"])
    b.node("MaxPool", "pool", ["conv2_out"], "pool_out", kernel_shape=[2, 2], pads=[0, 0, 0, 0], strides=[2, 2])
    b.convolution("conv3", "pool_out", "conv2", p["w3"], p["b3"], group=len(p["w3"]))
    b.convolution("conv4", "conv3_out", "conv3", p["w4"], p["b4"])
    b.node("QLinearAdd", "sum", ["pool_out"] + b.range_of("conv2") + ["conv4_out"] + b.range_of("conv4") + b.range_of("sum"), "sum_out", True)
    b.node("QLinearGlobalAveragePool", "mean", ["sum_out"] + b.range_of("sum") + b.range_of("mean"), "mean_out", True, channels_last=0)
    b.node("Flatten", "flatten", ["mean_out"], "flatten_out", axis=1)
    triple, sums = b.weights("dense", "mean", p["w5"], p["b5"])
    b.node("QGemm", "dense", ["flatten_out"] + b.range_of("mean") + triple + [sums] + b.range_of("logits"), "logits", True, transB=1)
    b.node("DequantizeLinear", "dequantise", ["logits"] + b.range_of("logits"), "scores")
    b.node("Softmax", "softmax", ["scores"], "probability", axis=1)
    graph = helper.make_graph(b.nodes, "digits", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
                              [helper.make_tensor_value_info("logits", TensorProto.INT8, [1, 10]),
                               helper.make_tensor_value_info("probability", TensorProto.FLOAT, [1, 10])], b.tensors)
    return helper.make_model(graph, producer_name="npulab", ir_version=8, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])


# --- Files.

def write_tensor(path, name, value):
    with open(path, "wb") as f:
        f.write(numpy_helper.from_array(np.asarray(value), name).SerializeToString(deterministic=True))


def write_samples(folder, model, images, labels):
    """One folder an image, in the shape of the ONNX project's test sets: inputs and outputs in the graph's order."""
    for k, image in enumerate(images):
        values, place = evaluate(model, {"image": image[None]}), os.path.join(folder, f"sample_{k}")
        os.makedirs(place, exist_ok=True)
        for kind, tensors in (("input", ["image"]), ("output", [o.name for o in model.graph.output])):
            for j, name in enumerate(tensors):
                write_tensor(os.path.join(place, f"{kind}_{j}.pb"), name, values[name])
    with open(os.path.join(folder, "labels.json"), "w") as f:
        json.dump({f"sample_{k}": int(label) for k, label in enumerate(labels)}, f, indent=1)
        f.write("\n")


def write_accuracy(folder, text):
    """Into the README's line that begins with 'Accuracy'."""
    path = os.path.join(folder, "README.md")
    if os.path.exists(path):
        with open(path) as f:
            page = f.read()
        with open(path, "w") as f:
            f.write(re.sub(r"(?m)^Accuracy.*$", text, page))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else HERE
    digits = load_digits()
    x, labels = (digits.images / 16).astype(F)[:, None], digits.target
    rng = np.random.default_rng(SEED)
    order = rng.permutation(len(x))
    test, calibration, training = order[:TEST], order[TEST:TEST + CALIBRATION], order[TEST + CALIBRATION:]
    network = train(x[training], labels[training], rng)
    model = build(network, x[calibration])
    onnx.checker.check_model(model)

    real = int((network.forward(x[test])["logits"].argmax(axis=1) == labels[test]).sum())
    right = sum(int(evaluate(model, {"image": x[i:i + 1]})["logits"].argmax() == labels[i]) for i in test)
    text = f"Accuracy on {TEST} images it never saw: {100 * right / TEST:.1f} % ({right} right) as INT8, {100 * real / TEST:.1f} % ({real}) before quantisation."
    print(text)
    if right < WANTED * TEST:
        sys.exit(f"below {100 * WANTED:.0f} %: nothing written")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "digits.onnx"), "wb") as f:
        f.write(model.SerializeToString(deterministic=True))
    shown = [next(i for i in test if labels[i] == digit) for digit in range(10)]  # the first test image of each digit
    write_samples(folder, model, x[shown], labels[shown])
    write_accuracy(folder, text)


if __name__ == "__main__":
    main()
