"""Reshape whose shape is known when the model runs and may have zeros: ONNX's, with ``allowzero``."""

from __future__ import annotations

from .._dtypes import ALL_DTYPES, check_dtype
from .._kernel import UNKNOWN, Array, ArraySpec, KernelInputError, ReferenceKernel
from .._movement import unknown_shape, vector_length
from ._shared import known_integers, product


def reshape(x: Array, shape: Array, *, allowzero: int = 0) -> Array:
    """``x`` under another shape: -1 takes what is left, 0 is a size with ``allowzero`` and copies one of ``x`` without.

    Raises:
        KernelInputError: another number of elements.
    """
    try:
        return x.reshape(_sizes(x.shape, [int(n) for n in shape], allowzero))
    except ValueError as e:
        raise KernelInputError(f"shape {x.shape} cannot be {[int(n) for n in shape]}: {e}") from e


def infer_reshape(x: ArraySpec, shape: ArraySpec, *, allowzero: int) -> ArraySpec:
    """The shape, as far as it is known."""
    check_dtype(x, ALL_DTYPES)
    wanted = known_integers(shape)
    if wanted is None:
        return ArraySpec(x.dtype, unknown_shape(vector_length(shape)))
    if x.shape is None or not x.known:
        return ArraySpec(x.dtype, tuple(n if n > 0 else UNKNOWN for n in wanted))
    sizes, count = _sizes(x.shape, wanted, allowzero), product(x.shape)
    rest = product([n for n in sizes if n != -1])
    if sizes.count(-1) > 1 or (rest != count if -1 not in sizes else rest < 1 or count % rest):
        raise KernelInputError(f"shape {x.shape} cannot be {wanted}")
    return ArraySpec(x.dtype, tuple(count // rest if n == -1 else n for n in sizes))


def _sizes(given: tuple[int, ...], wanted: list[int], allowzero: int) -> list[int]:
    if allowzero:
        return wanted
    if any(n == 0 and i >= len(given) for i, n in enumerate(wanted)):
        raise KernelInputError(f"0 copies a dimension that shape {given} does not have, in {wanted}")
    return [given[i] if n == 0 else n for i, n in enumerate(wanted)]


KERNEL = ReferenceKernel("ai.onnx.Reshape", reshape, infer_reshape, ALL_DTYPES)
