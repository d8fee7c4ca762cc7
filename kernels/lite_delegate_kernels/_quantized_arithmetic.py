"""Sums, differences and products of quantized arrays, in integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._arithmetic import infer_fused
from ._fixed_point import fixed_point, scale
from ._kernel import Array, ArraySpec, ReferenceKernel
from ._quantization import STORED, WIDE, NodeQuantization
from ._quantized_activation import clamp_fused

HEADROOM, WIDE_HEADROOM = 20, 15
"""Bits that both operands are shifted left by before they get one scale, as in TensorFlow Lite."""

Combine = Callable[[Array, Array], Array]


def quantized_sum(op_type: str, combine: Combine) -> ReferenceKernel:
    """A sum or difference: both operands at the scale ``2 * max(s_a, s_b)``, 20 bits finer, then the output's.

    int16 operands are 15 bits finer.
    """

    def run(a: Array, b: Array, *, activation_type: str = "NO_ACTIVATION", quantization: NodeQuantization) -> Array:
        (a_scale, a_zero), (b_scale, b_zero) = quantization.input_per_tensor(0), quantization.input_per_tensor(1)
        common, finer = 2 * max(a_scale, b_scale), WIDE_HEADROOM if a.dtype.name == WIDE else HEADROOM
        left = scale((a.astype(np.int64) - a_zero) << finer, fixed_point((a_scale / common,)))
        right = scale((b.astype(np.int64) - b_zero) << finer, fixed_point((b_scale / common,)))
        out_scale, out_zero = quantization.output_per_tensor(0)
        factor = fixed_point((common / ((1 << finer) * out_scale),))
        total = scale(combine(left, right), factor) + out_zero
        return clamp_fused(total, activation_type, out_scale, out_zero, a.dtype)

    return ReferenceKernel(op_type, run, _infer, STORED, needs_quantization=True)


def quantized_product(op_type: str) -> ReferenceKernel:
    """A product: ``(a - za) * (b - zb)``, scaled by ``s_a * s_b / s_y``, which is of single precision for int16."""

    def run(a: Array, b: Array, *, activation_type: str = "NO_ACTIVATION", quantization: NodeQuantization) -> Array:
        (a_scale, a_zero), (b_scale, b_zero) = quantization.input_per_tensor(0), quantization.input_per_tensor(1)
        out_scale, out_zero = quantization.output_per_tensor(0)
        product = (a.astype(np.int64) - a_zero) * (b.astype(np.int64) - b_zero)
        is_wide = a.dtype.name == WIDE
        factor = np.float32(a_scale) * np.float32(b_scale) / np.float32(out_scale)
        exact = float(factor) if is_wide else a_scale * b_scale / out_scale
        total = scale(product, fixed_point((exact,))) + out_zero
        return clamp_fused(total, activation_type, out_scale, out_zero, a.dtype)

    return ReferenceKernel(op_type, run, _infer, STORED, needs_quantization=True)


def _infer(a: ArraySpec, b: ArraySpec, *, activation_type: str, quantization: NodeQuantization) -> ArraySpec:
    for position in (0, 1):
        quantization.input_per_tensor(position)
    quantization.output_per_tensor(0)
    return infer_fused(a, b, activation_type)
