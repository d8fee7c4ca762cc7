"""FusedBatchNorm: batch normalization with a scale and an offset per channel."""

from __future__ import annotations

import numpy as np

from ._channels import check_per_channel
from ._dtypes import FLOATS, check_dtype, widen
from ._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel


@np.errstate(all="ignore")
def fused_batch_norm(
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float = 0.0001,
    momentum: float = 0.9,
    mode: int = 0,
    output_count: int = 1,
) -> Array | tuple[Array, ...]:
    """``(x - mean) / sqrt(variance + epsilon) * scale + offset`` per last dim.

    NOTE: as in MindSpore Lite outside of training, the given statistics are used whatever ``mode`` says.

    Args:
        x: ``(..., C)``, float.
        scale: ``(C,)``.
        offset: ``(C,)``.
        mean: ``(C,)``.
        variance: ``(C,)``.
        epsilon: added to the variance.
        momentum: no effect outside of training; must be in [0, 1].
        mode: no effect outside of training.
        output_count: 1 to 5; outputs 1 to 4 are scale, offset, mean and variance, which inference leaves as they are.

    Returns:
        The shape and dtype of ``x``, float16 computed in float32; a tuple when there is more than one output.
    """
    factor = widen(scale) / np.sqrt(widen(variance) + epsilon)
    y: Array = widen(x) - widen(mean)
    y *= factor
    y += offset
    y = y.astype(x.dtype, copy=False)
    return y if output_count == 1 else (y, scale, offset, mean, variance)[:output_count]


def infer_fused_batch_norm(
    x: ArraySpec,
    scale: ArraySpec,
    offset: ArraySpec,
    mean: ArraySpec,
    variance: ArraySpec,
    *,
    momentum: float,
    output_count: int,
) -> ArraySpec | tuple[ArraySpec, ...]:
    """The specs of the first inputs; raises KernelInputError for parameters that are not ``(C,)``."""
    channels = {"scale": scale, "offset": offset, "mean": mean, "variance": variance}
    for name, spec in {"input 0": x, **channels}.items():
        check_dtype(spec, FLOATS, name)
    check_per_channel(x, **channels)
    if not 0 <= momentum <= 1:
        raise KernelInputError(f"momentum must be in [0, 1], got {momentum}")
    if not 1 <= output_count <= 5:
        raise KernelInputError(f"1 to 5 outputs expected, got {output_count}")
    y = ArraySpec(x.dtype, x.shape)
    return y if output_count == 1 else (y, *channels.values())[:output_count]


KERNEL = ReferenceKernel("FusedBatchNorm", fused_batch_norm, infer_fused_batch_norm, FLOATS, needs_output_count=True)
