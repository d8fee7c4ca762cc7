"""LayerNormFusion: normalization over the trailing dims, with an optional scale and shift."""

from __future__ import annotations

import math

import numpy as np

from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel, Shape
from ._shapes import normalize_axis


@np.errstate(all="ignore")
def layer_norm_fusion(
    x: Array,
    gamma: Array | None = None,
    beta: Array | None = None,
    *,
    begin_norm_axis: int = 0,
    epsilon: float = 0.00001,
    elementwise_affine: bool = False,
    begin_params_axis: int = 0,
    output_count: int = 1,
) -> Array | tuple[Array, ...]:
    """``(x - mean) / sqrt(variance + epsilon) * gamma + beta`` with the mean and the biased variance of each group.

    NOTE: MindSpore Lite's CPU kernel stops at rank 4; here any rank from 1 will do.

    Args:
        x: any rank >= 1, float.
        gamma: dims those of ``x`` from ``begin_params_axis`` on; None, together with ``beta``, leaves it out.
        beta: the shape of ``gamma``.
        begin_norm_axis: a group is the elements along this dim and those after it; negative counts from the end.
        epsilon: added to the variance.
        elementwise_affine: no effect; the inputs decide.
        begin_params_axis: the first dim that ``gamma`` and ``beta`` cover; negative counts from the end.
        output_count: 1, or 3 for mean and variance too.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32; with three outputs also the mean and the variance,
        shape ``x.shape[:begin_norm_axis]``, the dtype of ``x``.
    """
    start = normalize_axis(begin_norm_axis, x.ndim)
    groups = x.shape[:start]
    rows = widen(x).reshape(math.prod(groups), math.prod(x.shape[start:]))
    mean, variance = rows.mean(axis=1, keepdims=True), rows.var(axis=1, keepdims=True)
    y = ((rows - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)
    if gamma is not None and beta is not None:
        y = y * gamma + beta
    outputs = (y, mean.reshape(groups), variance.reshape(groups))[:output_count]
    rounded = tuple(output.astype(x.dtype, copy=False) for output in outputs)
    return rounded[0] if output_count == 1 else rounded


def infer_layer_norm_fusion(
    x: ArraySpec,
    gamma: ArraySpec | None = None,
    beta: ArraySpec | None = None,
    *,
    begin_norm_axis: int,
    begin_params_axis: int,
    output_count: int,
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The spec of ``x`` and of the statistics; raises KernelInputError for gamma and beta that do not fit."""
    check_dtype(x, FLOATS)
    if (gamma is None) != (beta is None):
        raise KernelInputError("gamma and beta must be given both or neither")
    if output_count not in (1, 3):
        raise KernelInputError(f"1 or 3 outputs expected, got {output_count}")
    for name, spec in (("gamma", gamma), ("beta", beta)):
        if spec is not None:
            check_dtype(spec, FLOATS, name)
            _check_parameter(name, spec, x, begin_params_axis)
    y = ArraySpec(x.dtype, x.shape)
    groups = None if x.shape is None else x.shape[: normalize_axis(begin_norm_axis, len(x.shape))]
    return y if output_count == 1 else (y, ArraySpec(x.dtype, groups), ArraySpec(x.dtype, groups))


def _check_parameter(name: str, spec: ArraySpec, x: ArraySpec, begin_params_axis: int) -> None:
    if spec.shape is None or x.shape is None:
        return
    covered = x.shape[normalize_axis(begin_params_axis, len(x.shape)) :]
    if not _agree(spec.shape, covered):
        raise KernelInputError(
            f"{name} must have the dims of x from axis {begin_params_axis} on, {covered}, got {spec.shape}"
        )


def _agree(a: Shape, b: Shape) -> bool:
    return len(a) == len(b) and all(m == n or UNKNOWN in (m, n) for m, n in zip(a, b, strict=True))


KERNEL = ReferenceKernel("LayerNormFusion", layer_norm_fusion, infer_layer_norm_fusion, FLOATS, needs_output_count=True)
