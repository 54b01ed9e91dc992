#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on the handwritten digits of python3-sklearn, quantises it to INT8 and writes
digits.onnx with samples. Plain numpy, one seed, same bytes every time. Run: /usr/bin/python3 make_digits.py
Needs Debian's python3-sklearn, python3-numpy, python3-onnx."""
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from integer_reference import evaluate

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCHS, BATCH, RATE = 40, 32, 2e-3
SAMPLES = 10


def columns(x, size, pad):
    """[n,c,h,w] -> [n, h*w, c*size*size] patches."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    patches = np.stack([padded[:, :, i:i + h, j:j + w] for i in range(size) for j in range(size)], axis=2)
    return patches.transpose(0, 3, 4, 1, 2).reshape(n, h * w, c * size * size)


def conv(x, weight, bias):
    """3x3 (pad 1) or 1x1 convolution; weight [o,c,k,k]."""
    o, _, k, _ = weight.shape
    patches = columns(x, k, k // 2)
    y = patches @ weight.reshape(o, -1).T + bias
    return y.transpose(0, 2, 1).reshape(x.shape[0], o, x.shape[2], x.shape[3]), patches


def conv_back(dy, patches, weight, x_shape):
    o, c, k, _ = weight.shape
    flat = dy.reshape(dy.shape[0], o, -1).transpose(0, 2, 1)
    dw = np.einsum("npo,npk->ok", flat, patches).reshape(weight.shape)
    dpatch = (flat @ weight.reshape(o, -1)).reshape(x_shape[0], x_shape[2], x_shape[3], c, k, k)
    dx = np.zeros((x_shape[0], c, x_shape[2] + 2 * (k // 2), x_shape[3] + 2 * (k // 2)), dy.dtype)
    for i in range(k):
        for j in range(k):
            dx[:, :, i:i + x_shape[2], j:j + x_shape[3]] += dpatch[:, :, :, :, i, j].transpose(0, 3, 1, 2)
    pad = k // 2
    return (dx[:, :, pad:-pad, pad:-pad] if pad else dx), dw, dy.sum(axis=(0, 2, 3))


def pool(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))
    return y, blocks == y[:, :, :, None, :, None]


class Network:
    """conv 3x3 - pool - conv 3x3 - 1x1 residual add - average over positions - fully connected."""

    def __init__(self, rng):
        def weights(*shape):
            return (rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))).astype(np.float32)
        self.p = {"w1": weights(16, 1, 3, 3), "b1": np.zeros(16, np.float32), "w2": weights(32, 16, 3, 3), "b2": np.zeros(32, np.float32),
                  "w3": weights(32, 32, 1, 1) * 0.5, "b3": np.zeros(32, np.float32), "w4": weights(10, 32), "b4": np.zeros(10, np.float32)}

    def forward(self, x):
        p, t = self.p, {"x": x}
        t["c1"], t["k1"] = conv(x, p["w1"], p["b1"])
        t["r1"] = np.maximum(t["c1"], 0)
        t["p1"], t["m1"] = pool(t["r1"])
        t["c2"], t["k2"] = conv(t["p1"], p["w2"], p["b2"])
        t["r2"] = np.maximum(t["c2"], 0)
        t["c3"], t["k3"] = conv(t["r2"], p["w3"], p["b3"])
        t["r3"] = np.maximum(t["c3"], 0)
        t["sum"] = t["r2"] + t["r3"]
        t["mean"] = t["sum"].mean(axis=(2, 3))
        t["logits"] = t["mean"] @ p["w4"].T + p["b4"]
        return t

    def gradients(self, t, labels):
        p, g = self.p, {}
        e = np.exp(t["logits"] - t["logits"].max(axis=1, keepdims=True))
        d = e / e.sum(axis=1, keepdims=True)
        d[np.arange(len(labels)), labels] -= 1
        d /= len(labels)
        g["w4"], g["b4"] = d.T @ t["mean"], d.sum(axis=0)
        dsum = np.repeat((d @ p["w4"])[:, :, None], 16, axis=2).reshape(t["sum"].shape) / 16
        d3 = dsum * (t["c3"] > 0)
        dr2, g["w3"], g["b3"] = conv_back(d3, t["k3"], p["w3"], t["r2"].shape)
        d2 = (dr2 + dsum) * (t["c2"] > 0)
        dp1, g["w2"], g["b2"] = conv_back(d2, t["k2"], p["w2"], t["p1"].shape)
        n, c, h, w = t["p1"].shape
        d1 = (t["m1"] * dp1[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w) * (t["c1"] > 0)
        _, g["w1"], g["b1"] = conv_back(d1, t["k1"], p["w1"], t["x"].shape)
        return g


def train(x, labels, rng):
    network = Network(rng)
    first = {k: np.zeros_like(v) for k, v in network.p.items()}
    second = {k: np.zeros_like(v) for k, v in network.p.items()}
    step = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(x))
        for begin in range(0, len(x), BATCH):
            batch = order[begin:begin + BATCH]
            g = network.gradients(network.forward(x[batch]), labels[batch])
            step += 1
            rate = RATE * (0.1 if epoch > 30 else 1.0)
            for k in network.p:
                first[k] = 0.9 * first[k] + 0.1 * g[k]
                second[k] = 0.999 * second[k] + 0.001 * g[k] ** 2
                network.p[k] -= (rate * (first[k] / (1 - 0.9 ** step)) / (np.sqrt(second[k] / (1 - 0.999 ** step)) + 1e-8)).astype(np.float32)
    return network


def activation_scale(values):
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = np.float32((high - low) / 255)
    return scale, int(np.clip(np.rint(-128 - low / scale), -128, 127))


def build(network, calibration):
    t = network.forward(calibration)
    inits, nodes = [], []

    def constant(name, value):
        inits.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def quantisation(name, scale, zero):
        return [constant(name + "_scale", np.float32(scale)), constant(name + "_zp", np.int8(zero))]

    q = {k: activation_scale(t[k]) for k in ("x", "r1", "r2", "r3", "sum", "mean", "logits")}

    def layer(name, source, source_q, weight, bias, out, out_q, op, **attributes):
        scale = np.maximum(np.abs(weight).reshape(weight.shape[0], -1).max(axis=1), 1e-6).astype(np.float32) / np.float32(127)
        shape = (-1,) + (1,) * (weight.ndim - 1)
        integers = np.clip(np.rint(weight / scale.reshape(shape)), -127, 127).astype(np.int8)
        integer_bias = np.rint(bias / (source_q[0] * scale)).astype(np.int32)
        inputs = [source] + quantisation(name + "_x", *source_q)
        inputs += [constant(name + "_w", integers), constant(name + "_w_scale", scale), constant(name + "_w_zp", np.zeros(len(scale), np.int8))]
        tail = quantisation(name + "_y", *out_q)
        inputs += tail + [constant(name + "_b", integer_bias)] if op == "QLinearConv" else [constant(name + "_b", integer_bias)] + tail
        nodes.append(helper.make_node(op, inputs, [out], name, domain="" if op == "QLinearConv" else "com.microsoft", **attributes))

    nodes.append(helper.make_node("QuantizeLinear", ["image"] + quantisation("image", *q["x"]), ["image_q"], "quantise"))
    p = network.p
    layer("conv1", "image_q", q["x"], p["w1"], p["b1"], "conv1_out", q["r1"], "QLinearConv", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
    nodes.append(helper.make_node("MaxPool", ["conv1_out"], ["pool1_out"], "pool1", kernel_shape=[2, 2], strides=[2, 2]))
    layer("conv2", "pool1_out", q["r1"], p["w2"], p["b2"], "conv2_out", q["r2"], "QLinearConv", kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
    layer("conv3", "conv2_out", q["r2"], p["w3"], p["b3"], "conv3_out", q["r3"], "QLinearConv", kernel_shape=[1, 1])
    nodes.append(helper.make_node("QLinearAdd", ["conv2_out"] + quantisation("add_a", *q["r2"]) + ["conv3_out"] + quantisation("add_b", *q["r3"]) + quantisation("add_y", *q["sum"]),
                                  ["add_out"], "add", domain="com.microsoft"))
    nodes.append(helper.make_node("QLinearGlobalAveragePool", ["add_out"] + quantisation("mean_x", *q["sum"]) + quantisation("mean_y", *q["mean"]), ["mean_out"], "mean",
                                  domain="com.microsoft", channels_last=0))
    nodes.append(helper.make_node("Flatten", ["mean_out"], ["features"], "flatten", axis=1))
    layer("classify", "features", q["mean"], p["w4"], p["b4"], "logits", q["logits"], "QGemm", transB=1)
    nodes.append(helper.make_node("DequantizeLinear", ["logits"] + quantisation("logits", *q["logits"]), ["scores"], "dequantise"))
    nodes.append(helper.make_node("Softmax", ["scores"], ["probability"], "softmax", axis=1))
    graph = helper.make_graph(nodes, "digits", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 8, 8])],
                              [helper.make_tensor_value_info("logits", TensorProto.INT8, [1, 10]), helper.make_tensor_value_info("probability", TensorProto.FLOAT, [1, 10])], inits)
    return helper.make_model(graph, producer_name="npulab", ir_version=8,
                             opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)])


def main():
    digits = load_digits()
    x = (digits.images / 16.0).astype(np.float32)[:, None]
    rng = np.random.default_rng(20261201)
    order = rng.permutation(len(x))
    test, training = order[:360], order[360:]
    network = train(x[training], digits.target[training], rng)
    model = build(network, x[training[:200]])
    with open(os.path.join(HERE, "digits.onnx"), "wb") as f:
        f.write(model.SerializeToString())
    right = sum(int(np.argmax(evaluate(model, {"image": x[i:i + 1]})["logits"])) == digits.target[i] for i in test)
    labels = {}
    for k, i in enumerate(test[:SAMPLES]):
        folder = os.path.join(HERE, f"sample_{k}")
        os.makedirs(folder, exist_ok=True)
        values = evaluate(model, {"image": x[i:i + 1]})
        for name, value in (("input_0", x[i:i + 1]), ("output_0", values["logits"])):
            with open(os.path.join(folder, name + ".pb"), "wb") as f:
                f.write(numpy_helper.from_array(np.ascontiguousarray(value), name).SerializeToString())
        labels[f"sample_{k}"] = int(digits.target[i])
    with open(os.path.join(HERE, "labels.json"), "w") as f:
        json.dump({"accuracy_on_test_images": f"{right} of {len(test)}", "labels": labels}, f, indent=1)
        f.write("\n")
    print(f"INT8 accuracy on {len(test)} images not trained on: {100 * right / len(test):.1f} %")


if __name__ == "__main__":
    main()
