"""Convolutional classifiers with seeded random weights as ONNX models, in the way that exporters write them.

Batch normalization is folded into the convolutions, activations are nodes of their own; (1, C, H, W) to (1, classes).
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx

from benchmarks.onnx_networks import OnnxNet

RELU, RELU6, HARD_SWISH, NONE = "Relu", "Clip", "HardSwish", ""
BRANCH_GAIN = 0.5
"""Of the last convolution of a residual branch, so that additions do not blow up the activations."""


class ConvNet(OnnxNet):
    """Adds convolutions, which know their channels.

    Args:
        name: of the graph.
        shape: of the image.
    """

    def __init__(self, name: str, shape: Sequence[int]) -> None:
        super().__init__(name)
        self.image = self.input("image", shape)
        self._channels = {self.image: shape[1]}

    def channels(self, x: str) -> int:
        """Of a value that a layer gives."""
        return self._channels[x]

    def conv(
        self,
        x: str,
        channels: int,
        sizes: tuple[int, int] = (1, 1),
        stride: int = 1,
        activation: str = NONE,
        *,
        group: int = 1,
        pads: Sequence[int] | None = None,
        gain: float = 1.0,
    ) -> str:
        """A convolution with bias, padded so that stride 1 keeps the size, and an activation."""
        inside = self._channels[x] // group
        weight = self.weight(channels, inside, *sizes, terms=max(1, round(inside * sizes[0] * sizes[1] / 2 / gain**2)))
        around = [(size - 1) // 2 for size in sizes]
        y = self.op(
            "Conv", x, weight, self.vector(channels), strides=[stride] * 2, group=group, pads=pads or [*around, *around]
        )
        y = self._activated(y, activation)
        self._channels[y] = channels
        return y

    def _activated(self, x: str, activation: str) -> str:
        if activation == RELU6:
            return str(self.op("Clip", x, self.const(0.0), self.const(6.0)))
        return str(self.op(activation, x)) if activation else x

    def depthwise(self, x: str, size: int, stride: int, activation: str) -> str:
        """A convolution whose channels have weights of their own."""
        channels = self._channels[x]
        return self.conv(x, channels, (size, size), stride, activation, group=channels)

    def excited(self, x: str) -> str:
        """Squeeze and excitation: channels weighed by what they have on average; Hu et al., 2018."""
        channels = self._channels[x]
        inner = self.conv(self.averaged(x), max(8, (channels // 4 + 4) // 8 * 8), activation=RELU)
        share = self.op("HardSigmoid", self.conv(inner, channels), alpha=1 / 6, beta=0.5)
        y = self.op("Mul", x, share)
        self._channels[y] = channels
        return str(y)

    def inverted_residual(
        self, x: str, inside: int, channels: int, size: int, stride: int, activation: str, *, excites: bool = False
    ) -> str:
        """A block of MobileNetV2, with or without squeeze and excitation."""
        y = self.conv(x, inside, activation=activation) if inside != self._channels[x] else x
        y = self.depthwise(y, size, stride, activation)
        y = self.conv(self.excited(y) if excites else y, channels, gain=BRANCH_GAIN)
        if stride > 1 or channels != self._channels[x]:
            return y
        y = self.op("Add", y, x)
        self._channels[y] = channels
        return str(y)

    def pooled(self, x: str) -> str:
        """The largest of each 2 by 2."""
        y = self.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        self._channels[y] = self._channels[x]
        return str(y)

    def averaged(self, x: str) -> str:
        """The average of each channel."""
        y = self.op("GlobalAveragePool", x)
        self._channels[y] = self._channels[x]
        return str(y)

    def classified(self, x: str, classes: int, *hidden: int, activation: str = RELU, area: int = 1) -> onnx.ModelProto:
        """The model: fully connected layers over channels of so many places each."""
        terms = self._channels[x] * area
        x = self.op("Flatten", x)
        for units in hidden:
            x = self._activated(self._dense(x, terms, units), activation)
            terms = units
        return self.model(self._dense(x, terms, classes))

    def _dense(self, x: str, terms: int, units: int) -> str:
        return str(self.op("Gemm", x, self.weight(units, terms, terms=terms), self.vector(units), transB=1))


def mobilenet_v3(*, size: int = 224, classes: int = 1000) -> onnx.ModelProto:
    """MobileNetV3-Large; Howard et al., 2019, table 1."""
    net = ConvNet("mobilenet_v3", (1, 3, size, size))
    x = net.conv(net.image, 16, (3, 3), 2, HARD_SWISH)
    for kernel, inside, channels, excites, activation, stride in (
        (3, 16, 16, False, RELU, 1),
        (3, 64, 24, False, RELU, 2),
        (3, 72, 24, False, RELU, 1),
        (5, 72, 40, True, RELU, 2),
        (5, 120, 40, True, RELU, 1),
        (5, 120, 40, True, RELU, 1),
        (3, 240, 80, False, HARD_SWISH, 2),
        (3, 200, 80, False, HARD_SWISH, 1),
        (3, 184, 80, False, HARD_SWISH, 1),
        (3, 184, 80, False, HARD_SWISH, 1),
        (3, 480, 112, True, HARD_SWISH, 1),
        (3, 672, 112, True, HARD_SWISH, 1),
        (5, 672, 160, True, HARD_SWISH, 2),
        (5, 960, 160, True, HARD_SWISH, 1),
        (5, 960, 160, True, HARD_SWISH, 1),
    ):
        x = net.inverted_residual(x, inside, channels, kernel, stride, activation, excites=excites)
    x = net.averaged(net.conv(x, 960, activation=HARD_SWISH))
    return net.classified(x, classes, 1280, activation=HARD_SWISH)


def efficientnet_lite0(*, size: int = 224, classes: int = 1000) -> onnx.ModelProto:
    """EfficientNet-lite0: B0 of Tan and Le, 2019, table 1, without excitation and with ReLU6."""
    net = ConvNet("efficientnet_lite0", (1, 3, size, size))
    x = net.conv(net.image, 32, (3, 3), 2, RELU6)
    for expansion, channels, repeats, first_stride, kernel in (
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ):
        for number in range(repeats):
            stride = 1 if number else first_stride
            x = net.inverted_residual(x, expansion * net.channels(x), channels, kernel, stride, RELU6)
    return net.classified(net.averaged(net.conv(x, 1280, activation=RELU6)), classes)


def ds_cnn(*, classes: int = 12) -> onnx.ModelProto:
    """DS-CNN for keyword spotting, small: (1, 1, 49, 10) features; Zhang et al., 2017."""
    net = ConvNet("ds_cnn", (1, 1, 49, 10))
    x = net.conv(net.image, 64, (10, 4), 2, RELU, pads=(4, 1, 5, 1))
    for _ in range(4):
        x = net.conv(net.depthwise(x, 3, 1, RELU), 64, activation=RELU)
    return net.classified(net.averaged(x), classes)


def lenet(*, classes: int = 10) -> onnx.ModelProto:
    """LeNet-5 as it is written today, with max pools and ReLU: (1, 1, 28, 28); LeCun et al., 1998."""
    net = ConvNet("lenet", (1, 1, 28, 28))
    x = net.pooled(net.conv(net.image, 6, (5, 5), activation=RELU))
    x = net.pooled(net.conv(x, 16, (5, 5), activation=RELU, pads=(0, 0, 0, 0)))
    return net.classified(x, classes, 120, 84, area=5 * 5)
