"""Affine: frames joined with their neighbors, then a matrix product and an activation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._expect import expect_shape
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from .op_activation import activation
from .op_matmul_fusion import infer_matmul_fusion, matmul_fusion

_ACTIVATIONS = (
    "NO_ACTIVATION",
    "RELU",
    "RELU6",
    "SIGMOID",
    "TANH",
    "SWISH",
    "HSWISH",
    "HSIGMOID",
    "SOFTPLUS",
)


@np.errstate(all="ignore")
def affine(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    context: Sequence[int] | None = None,
    output_dim: int = 0,
    activation_type: str = "NO_ACTIVATION",
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Array:
    """``activation(splice(x) @ weight + bias)``; frame t of the splice is ``x[:, t - min(context) + o]`` for each o.

    Args:
        x: (N, T, D), float. float16 is computed in float32.
        weight: (P * D, M) where P is the number of offsets in ``context``, or (M, P * D) with ``transpose_b``.
        bias: (M,) or None.
        context: which frames are joined, as offsets from one in their middle.
        output_dim: P * D, the width of the splice.
        activation_type: any that MindSpore Lite's kernel takes, see ``_ACTIVATIONS``.
        transpose_a: swap the last two dims of the splice.
        transpose_b: see ``weight``.

    Returns:
        (N, T - (max(context) - min(context)), M), or (N, P * D, M) with ``transpose_a``, in the dtype of ``x``.

    NOTE: MindSpore Lite works out every frame at its first run only, then moves what it has up by one and adds one
    new frame, which is the same as long as each run's input moves up by one. Here every run works out all.
    """
    assert context is not None
    frames = x.shape[1] - (max(context) - min(context))
    joined = np.arange(frames)[:, None] + (np.array(context) - min(context))
    spliced = widen(x)[:, joined].reshape(x.shape[0], frames, output_dim)
    y = matmul_fusion(spliced, weight, bias, transpose_a=transpose_a, transpose_b=transpose_b)
    return activation(y, activation_type=activation_type).astype(x.dtype, copy=False)


def infer_affine(
    x: ArraySpec,
    weight: ArraySpec,
    bias: ArraySpec | None = None,
    *,
    context: Sequence[int] | None,
    output_dim: int,
    activation_type: str,
    transpose_a: bool,
    transpose_b: bool,
) -> ArraySpec:
    """The spec of ``affine``; raises KernelInputError for dtypes, shapes or attributes that do not fit."""
    check_dtype(x, FLOATS)
    if activation_type not in _ACTIVATIONS:
        raise KernelInputError(f"activation_type must be one of {', '.join(_ACTIVATIONS)}, got {activation_type}")
    if not context:
        raise KernelInputError(f"context must hold the offsets of at least one frame, got {context}")
    batch, steps, width = expect_shape("x", x, (UNKNOWN,) * 3)
    if width != UNKNOWN and output_dim != len(context) * width:
        raise KernelInputError(f"output_dim must be {len(context)} * {width}, got {output_dim}")
    span = max(context) - min(context)
    if UNKNOWN != steps <= span:
        raise KernelInputError(f"context reaches over {span + 1} frames, x has only {steps}")
    frames = UNKNOWN if steps == UNKNOWN else steps - span
    spliced = ArraySpec(x.dtype, (batch, frames, output_dim))
    return infer_matmul_fusion(
        spliced, weight, bias, transpose_a=transpose_a, transpose_b=transpose_b, activation_type="NO_ACTIVATION"
    )


KERNEL = ReferenceKernel("Affine", affine, infer_affine, FLOATS)
