"""Custom nodes that stand for a builtin operator of TensorFlow Lite (``tflite.ATAN2``), and other custom operators."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import FileTensor
from ..broadcasting import broadcast
from ..node import DirectNode
from ..table import Direct


def atan2(node: DirectNode) -> None:
    """ATAN2 of operands of one shape."""
    node.write("ATAN2", [spread(node, node.x(place)) for place in (0, 1)], "ATan2Options")


def bitwise_xor(node: DirectNode) -> None:
    """BITWISE_XOR."""
    broadcast(node, "BITWISE_XOR", [node.x(0), node.x(1)], "BitwiseXorOptions")


def right_shift(node: DirectNode) -> None:
    """RIGHT_SHIFT by constant steps that leave a bit of signed numbers, of operands of one shape."""
    x, steps = node.x(0), node.source(1)
    node.wanted(steps.is_const and x.dtype.startswith("int"), RejectCode.NOT_CONSTANT, "constant steps")
    bits = 8 * np.dtype(x.dtype).itemsize
    sound = bool(((steps.data >= 0) & (steps.data < bits)).all())
    node.wanted(sound, RejectCode.ATTRIBUTE, "steps within the number's bits")
    operands = [spread(node, node.x(place)) for place in (0, 1)]
    node.write("RIGHT_SHIFT", operands, "RightShiftOptions")


def spread(node: DirectNode, x: FileTensor) -> FileTensor:
    """A tensor repeated to the result's dimensions."""
    if x.shape == node.shape:
        return x
    given = x if x.rank else node.builtins.reshape(x, (1,))
    operands = [given, node.builtins.ints(node.shape)]
    return node.builtins.op("BROADCAST_TO", operands, node.shape, None, "BroadcastToOptions")


WRITERS: dict[str, Direct] = {
    "tflite.ATAN2": atan2,
    "tflite.BITWISE_XOR": bitwise_xor,
    "tflite.RIGHT_SHIFT": right_shift,
}
"""Writers of this file by the names of nodes."""
