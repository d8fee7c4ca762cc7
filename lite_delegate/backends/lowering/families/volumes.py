"""Windows over volumes, as TensorFlow Lite has them: the backend's axes (N, C, D, H, W)."""

from __future__ import annotations

import math

from ....delegate import Kernel
from ....ir.custom import custom_attributes
from ....semantics.operands import operand, required
from ..lowering import Lowering
from ..term import Lowered
from .fused import clipped
from .results import given_shape

NCDHW = (0, 4, 1, 2, 3)
"""The order of axes (N, D, H, W, C) that a backend's operators take."""
FILTERS = (4, 3, 0, 1, 2)
"""The order of the axes of weights (D, H, W, C, M)."""
BOUNDS = {1: (0.0, math.inf), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
"""Of fused activations: RELU, RELU_N1_TO_1, RELU6."""
SAME = 0
"""The padding that gives ``ceil(size / stride)`` places."""


def lower_conv_3d(kernel: Kernel, lowering: Lowering) -> Lowered:
    """A convolution over volumes."""
    assert kernel.primitive is not None
    options = custom_attributes(kernel.primitive)
    x, weight = (lowering.value(required(kernel, position)) for position in (0, 1))
    bias, output = operand(kernel, 2), given_shape(kernel)
    strides = [options[f"stride_{axis}"] for axis in "dhw"]
    dilations = [options[f"dilation_{axis}_factor"] for axis in "dhw"]
    before, after = [0] * 3, [0] * 3
    for axis in range(3) if options["padding"] == SAME else ():
        reach = (weight.shape[axis] - 1) * dilations[axis] + 1
        total = max((output[1 + axis] - 1) * strides[axis] + reach - x.shape[1 + axis], 0)
        before[axis], after[axis] = total // 2, total - total // 2
    operands = [lowering.in_order(x, NCDHW), lowering.in_order(weight, FILTERS)]
    operands += [] if bias is None else [lowering.in_order(lowering.value(bias))]
    physical = tuple(output[axis] for axis in NCDHW)
    y = lowering.emit(
        "Conv",
        operands,
        x.dtype,
        physical,
        group=x.shape[4] // weight.shape[3],
        kernel_shape=weight.shape[:3],
        strides=strides,
        dilations=dilations,
        pads=(*before, *after),
    )
    bounds = BOUNDS.get(options["fused_activation_function"])
    return Lowered(output, x.dtype, NCDHW, y if bounds is None else clipped(lowering, y, *bounds))


LOWERINGS = {"tflite.CONV_3D": lower_conv_3d}
