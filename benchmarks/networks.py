"""Well-known networks with seeded random weights, as graphs of the `.ms` kind: NHWC, convolutions with bias.

``fused=False`` gives them as a trainer exports them: batch normalization and activation are nodes of their own.
Weights are drawn so that activations keep their size from layer to layer (He et al., 2015), within float16.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite_delegate import DataType
from lite_delegate.ir import Graph, Node, Primitive, Value, constant, make_primitive

CLASSES = 1000
BRANCH_GAIN = 0.25
"""Of the last convolution of a residual branch, so that sixteen additions do not blow up the activations."""


class NetBuilder:
    """Collects the nodes of one network; methods add a layer and give its output."""

    def __init__(self, name: str, shape: tuple[int, ...], *, fused: bool, seed: int = 0) -> None:
        self.name = name
        self.fused = fused
        self.nodes: list[Node] = []
        self.input = Value("input", DataType.FLOAT32, shape)
        self._random = np.random.default_rng(seed)
        self._channels = {self.input: shape[3]}

    def graph(self, *outputs: Value) -> Graph:
        """The network with these outputs."""
        return Graph(self.name, [self.input], list(outputs), self.nodes)

    def node(self, primitive: Primitive, inputs: Sequence[Value], channels: int = 0) -> Value:
        """Adds a node with one output of that many channels."""
        name = f"{primitive.op_type}_{len(self.nodes)}"
        out = Value(f"{name}:0", DataType.FLOAT32, None)
        self.nodes.append(Node(name, primitive, list(inputs), [out]))
        self._channels[out] = channels or self._channels[inputs[0]]
        return out

    def const(self, data: np.ndarray) -> Value:
        """A constant of the network."""
        return constant(f"const_{len(self.nodes)}_{self._random.integers(2**40)}", data)

    def ints(self, *values: int) -> Value:
        """An int32 constant."""
        return self.const(np.array(values, np.int32))

    def channels(self, x: Value) -> int:
        """The channels of a layer's output."""
        return self._channels[x]

    def conv(
        self,
        x: Value,
        channels: int,
        size: int = 1,
        stride: int = 1,
        *,
        group: int = 1,
        activation: str = "",
        gain: float = 1.0,
    ) -> Value:
        """A convolution with SAME-like padding, normalized, with an activation."""
        inside = self._channels[x] // group
        scale = gain * np.sqrt(2.0 / (inside * size * size))
        weight = self._random.standard_normal((channels, size, size, inside), np.float32) * np.float32(scale)
        bias = self._random.standard_normal(channels, np.float32) * np.float32(0.1)
        pad = (size - 1) // 2
        primitive = make_primitive(
            "Conv2DFusion",
            kernel_size=(size, size),
            stride=(stride, stride),
            dilation=(1, 1),
            pad_mode="PAD",
            pad_list=(pad,) * 4,
            group=group,
            in_channel=self._channels[x],
            out_channel=channels,
            activation_type=activation if self.fused and activation else "NO_ACTIVATION",
        )
        out = self.node(primitive, [x, self.const(weight), self.const(bias)], channels)
        if self.fused:
            return out
        out = self.batch_norm(out)
        return self.activation(out, activation) if activation else out

    def batch_norm(self, x: Value) -> Value:
        """Batch normalization with statistics near those of a trained network."""
        size = self._channels[x]
        scale, variance = (self._random.uniform(0.8, 1.2, size).astype(np.float32) for _ in range(2))
        offset, mean = (self._random.standard_normal(size, np.float32) * np.float32(0.1) for _ in range(2))
        statistics = map(self.const, (scale, offset, mean, variance))
        return self.node(make_primitive("FusedBatchNorm", epsilon=1e-5), [x, *statistics])

    def activation(self, x: Value, kind: str) -> Value:
        """An activation of its own."""
        return self.node(make_primitive("Activation", activation_type=kind), [x])

    def add(self, x: Value, y: Value, activation: str = "") -> Value:
        """An addition, with an activation."""
        fused = activation if self.fused and activation else "NO_ACTIVATION"
        out = self.node(make_primitive("AddFusion", activation_type=fused), [x, y])
        return self.activation(out, activation) if activation and not self.fused else out

    def concat(self, inputs: Sequence[Value], axis: int = -1) -> Value:
        """Concatenation, along the channels unless ``axis`` says otherwise."""
        return self.node(make_primitive("Concat", axis=axis), inputs, sum(map(self.channels, inputs)))

    def max_pool(self, x: Value, size: int, stride: int, pad: int = 0) -> Value:
        """Max pooling."""
        primitive = make_primitive(
            "MaxPoolFusion", kernel_size=(size, size), strides=(stride, stride), pad=(pad,) * 4, pad_mode="PAD"
        )
        return self.node(primitive, [x])

    def classifier(self, x: Value, classes: int) -> Value:
        """Global average pooling, a fully connected layer, softmax."""
        pooled = self.node(make_primitive("AvgPoolFusion", global_=True), [x])
        flat = self.node(make_primitive("Reshape"), [pooled, self.ints(-1, self._channels[x])])
        terms = self._channels[x]
        weight = self._random.standard_normal((classes, terms), np.float32) / np.float32(np.sqrt(terms))
        dense = make_primitive("FullConnection", has_bias=True)
        logits = self.node(dense, [flat, self.const(weight), self.const(np.zeros(classes, np.float32))], classes)
        return self.node(make_primitive("Softmax", axis=(-1,)), [logits])


def mobilenet_v2(*, fused: bool = True, size: int = 224, classes: int = CLASSES) -> Graph:
    """MobileNetV2 of width 1.0: (1, size, size, 3) to (1, classes); Sandler et al., 2018, table 2."""
    net = NetBuilder("mobilenet_v2", (1, size, size, 3), fused=fused)
    x = net.conv(net.input, 32, 3, 2, activation="RELU6")
    for expansion, channels, repeats, first_stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for number in range(repeats):
            x = _inverted_residual(net, x, channels, first_stride if number == 0 else 1, expansion)
    return net.graph(net.classifier(net.conv(x, 1280, activation="RELU6"), classes))


def _inverted_residual(net: NetBuilder, x: Value, channels: int, stride: int, expansion: int) -> Value:
    inside = net.channels(x) * expansion
    y = net.conv(x, inside, activation="RELU6") if expansion > 1 else x
    y = net.conv(net.conv(y, inside, 3, stride, group=inside, activation="RELU6"), channels)
    return net.add(x, y) if stride == 1 and net.channels(x) == channels else y


def resnet50(*, fused: bool = True, size: int = 224, classes: int = CLASSES) -> Graph:
    """ResNet-50: (1, size, size, 3) to (1, classes); He et al., 2016, table 1, stride in the 3x3 convolutions."""
    net = NetBuilder("resnet50", (1, size, size, 3), fused=fused)
    x = net.max_pool(net.conv(net.input, 64, 7, 2, activation="RELU"), 3, 2, 1)
    for width, repeats, first_stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(repeats):
            x = _bottleneck(net, x, width, first_stride if number == 0 else 1)
    return net.graph(net.classifier(x, classes))


def _bottleneck(net: NetBuilder, x: Value, width: int, stride: int) -> Value:
    y = net.conv(net.conv(x, width, activation="RELU"), width, 3, stride, activation="RELU")
    y = net.conv(y, 4 * width, gain=BRANCH_GAIN)
    shortcut = x if stride == 1 and net.channels(x) == 4 * width else net.conv(x, 4 * width, 1, stride)
    return net.add(y, shortcut, "RELU")


def detector(*, fused: bool = True, size: int = 128, classes: int = 20) -> Graph:
    """A one-stage detector in the style of the YOLO family.

    (1, size, size, 3) to boxes (1, B, 4) and scores (1, B, classes). Between its convolutions are slices and a
    concatenation (the focus stem), concatenated branches, an upsampling, and heads that are reshaped and concatenated.
    """
    net = NetBuilder("detector", (1, size, size, 3), fused=fused)
    x = net.conv(_focus(net, net.input, size), 32, 3, activation="RELU")
    shallow = _split_block(net, net.conv(x, 64, 3, 2, activation="RELU"))
    deep = _split_block(net, net.conv(shallow, 128, 3, 2, activation="RELU"))
    nearest = make_primitive("Resize", method="NEAREST", new_height=size // 4, new_width=size // 4)
    merged = net.conv(net.concat([net.node(nearest, [net.conv(deep, 64)]), shallow]), 64, 3, activation="RELU")
    heads = [_head(net, level, classes) for level in (merged, deep)]
    rows = net.concat(heads, axis=1)
    columns = make_primitive("SliceFusion", axes=(0, 1, 2))
    boxes = net.node(columns, [rows, net.ints(0, 0, 0), net.ints(1, -1, 4)])
    scores = net.node(columns, [rows, net.ints(0, 0, 4), net.ints(1, -1, classes)])
    return net.graph(boxes, net.activation(scores, "SIGMOID"))


def _focus(net: NetBuilder, x: Value, size: int) -> Value:
    """Every second row and column, four times over, as channels."""
    parts = []
    for top in (0, 1):
        for left in (0, 1):
            bounds = net.ints(0, top, left, 0), net.ints(1, size, size, net.channels(x)), net.ints(1, 2, 2, 1)
            parts.append(net.node(make_primitive("StridedSlice"), [x, *bounds]))
    return net.concat(parts)


def _split_block(net: NetBuilder, x: Value) -> Value:
    """Half of the channels through a residual block, the other half past it."""
    half = net.channels(x) // 2
    first = net.conv(x, half, activation="RELU")
    through = net.add(first, net.conv(net.conv(first, half, activation="RELU"), half, 3, activation="RELU"))
    return net.conv(net.concat([through, net.conv(x, half, activation="RELU")]), 2 * half, activation="RELU")


def _head(net: NetBuilder, x: Value, classes: int) -> Value:
    raw = net.conv(x, 4 + classes)
    return net.node(make_primitive("Reshape"), [raw, net.ints(1, -1, 4 + classes)], 4 + classes)
