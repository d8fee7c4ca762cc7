"""LayerNormFusion: in one array of its own, sums without numpy's Python code for means."""

from __future__ import annotations

import math

import numpy as np
from lite_delegate_kernels import Array
from lite_delegate_kernels._dtypes import widen
from lite_delegate_kernels._shapes import normalize_axis
from lite_delegate_kernels.op_layer_norm_fusion import KERNEL as REFERENCE

from .fast_kernel import fast_form


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
    """As the reference kernel."""
    start = normalize_axis(begin_norm_axis, x.ndim)
    groups = x.shape[:start]
    rows = widen(x).reshape(math.prod(groups), math.prod(x.shape[start:]))
    mean = _row_means(rows)
    centered: Array = rows - mean
    variance = _row_means(np.square(centered))
    centered /= np.sqrt(variance + epsilon)
    y = centered.reshape(x.shape)
    if gamma is not None and beta is not None:
        y *= gamma
        y += beta
    outputs = (y, mean.reshape(groups), variance.reshape(groups))[:output_count]
    rounded = tuple(output.astype(x.dtype, copy=False) for output in outputs)
    return rounded[0] if output_count == 1 else rounded


def _row_means(rows: Array) -> Array:
    means: Array = np.add.reduce(rows, axis=1, keepdims=True)
    means /= rows.dtype.type(rows.shape[1])
    return means


KERNEL = fast_form(REFERENCE, layer_norm_fusion)
