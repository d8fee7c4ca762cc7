"""CONV_3D: TensorFlow Lite's convolution over volumes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from ._shared import check_rank
from .op_conv import KERNEL as CONV
from .op_conv import conv

_PADDINGS = ("SAME_UPPER", "VALID")
_BOUNDS: dict[int, tuple[float, float]] = {
    0: (-np.inf, np.inf),
    1: (0.0, np.inf),
    2: (-1.0, 1.0),
    3: (0.0, 6.0),
}
"""By fused activation: none, RELU, RELU_N1_TO_1, RELU6."""


def conv_3d(x: Array, weight: Array, bias: Array | None = None, **options: int) -> Array:
    """The sum over channels and window, plus ``bias``, under the fused activation.

    Args:
        x: (N, D, H, W, C), float32.
        weight: (D, H, W, C, M).
        bias: (M,).
        options: ``Conv3DOptions`` of the schema.

    Returns:
        (N, D, H, W, M).
    """
    y = conv(np.moveaxis(x, -1, 1), weight.transpose(4, 3, 0, 1, 2), bias, **_attributes(options))
    low, high = _BOUNDS[options["fused_activation_function"]]
    return np.ascontiguousarray(np.clip(np.moveaxis(y, 1, -1), low, high).astype(x.dtype))


def infer_conv_3d(x: ArraySpec, weight: ArraySpec, bias: ArraySpec | None = None, **options: int) -> ArraySpec:
    """(N, D, H, W, M); raises KernelInputError for shapes or options that do not fit."""
    check_rank(x, 5, 5)
    check_rank(weight, 5, 5, "weight")
    if options.get("fused_activation_function", 0) not in _BOUNDS:
        raise KernelInputError(f"fused activation {options['fused_activation_function']} must be in {list(_BOUNDS)}")
    n, d, h, w, c = x.shape or (UNKNOWN,) * 5
    kd, kh, kw, kc, m = weight.shape or (UNKNOWN,) * 5
    turned = ArraySpec(x.dtype, (n, c, d, h, w)), ArraySpec(weight.dtype, (m, kc, kd, kh, kw))
    found = CONV.infer(*turned, bias, **_attributes(options)).shape
    return ArraySpec(x.dtype, None if found is None else (found[0], *found[2:], found[1]))


def _attributes(options: dict[str, int]) -> dict[str, Any]:
    """The options as ``conv`` takes them."""
    if options["padding"] not in (0, 1):
        raise KernelInputError(f"padding must be SAME (0) or VALID (1), got {options['padding']}")
    return {
        "auto_pad": _PADDINGS[options["padding"]],
        "strides": [options[f"stride_{axis}"] for axis in "dhw"],
        "dilations": [options[f"dilation_{axis}_factor"] for axis in "dhw"],
    }


KERNEL = ReferenceKernel("tflite.CONV_3D", conv_3d, infer_conv_3d, ("float32",))
