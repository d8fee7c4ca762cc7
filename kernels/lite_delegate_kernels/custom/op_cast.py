"""Cast to an element type that numpy does not have: every element rounded to what that type has."""

from __future__ import annotations

from .._dtypes import ALL_DTYPES, check_dtype
from .._kernel import Array, ArraySpec, KernelInputError, ReferenceKernel
from .narrow import NARROW, narrowed, wide_dtype


def cast(x: Array, *, to: int, saturate: int = 1, round_mode: str = "up") -> Array:
    """Every element as the type with ONNX's number ``to`` has it, in the type that holds it (``narrow``).

    Args:
        x: any shape.
        to: bfloat16, a float8, float4e2m1, int4, uint4, int2 or uint2.
        saturate: floats beyond the largest become that.
        round_mode: of float8e8m0.
    """
    return narrowed(x, to, saturate=bool(saturate), round_mode=round_mode)


def infer_cast(x: ArraySpec, *, to: int, round_mode: str) -> ArraySpec:
    """The shape of ``x``; raises KernelInputError for a type that is not narrow."""
    check_dtype(x, ALL_DTYPES)
    if to not in NARROW or round_mode not in ("up", "down", "nearest"):
        raise KernelInputError(f"element type {to} must be one of {sorted(NARROW)}, round_mode {round_mode}")
    return ArraySpec(wide_dtype(to), x.shape)


KERNEL = ReferenceKernel("ai.onnx.Cast", cast, infer_cast, ALL_DTYPES)
