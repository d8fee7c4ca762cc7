"""Data types: the file's type ids, the groups that kernels accept, and the checks on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._kernel import Array, ArraySpec, KernelInputError
from ._strings import STRING

DType = np.dtype[np.generic]

TYPE_IDS: dict[int, DType] = {
    number: np.dtype(name)
    for number, name in {
        30: "bool",
        31: "int32",
        32: "int8",
        33: "int16",
        34: "int32",
        35: "int64",
        36: "uint32",
        37: "uint8",
        38: "uint16",
        39: "uint32",
        40: "uint64",
        41: "float32",
        42: "float16",
        43: "float32",
        44: "float64",
    }.items()
}
"""The numpy dtype of every number type id (``TypeId``) that a file may hold and numpy has.

31, 36 and 41 are the generic int, uint and float, which count as their 32-bit members. 46, bfloat16, has no
numpy dtype.
"""

_GENERIC_IDS = (31, 36, 41)

FLOATS = ("float32", "float16", "float64")
SIGNED_INTS = ("int8", "int16", "int32", "int64")
INTS = (*SIGNED_INTS, "uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + INTS
ALL_DTYPES = ("bool", *NUMBERS)


def dtype_of_type_id(type_id: int) -> DType:
    """The numpy dtype of a type id.

    Raises:
        KernelInputError: an id that names no number type, or one that numpy lacks.
    """
    dtype = TYPE_IDS.get(type_id)
    if dtype is None:
        known = ", ".join(f"{i} ({t})" for i, t in TYPE_IDS.items() if i not in _GENERIC_IDS)
        raise KernelInputError(f"type id {type_id} names no type that kernels compute with, expected one of {known}")
    return dtype


def check_dtype(spec: ArraySpec, allowed: Sequence[str], name: str = "input 0") -> None:
    """Raises KernelInputError, naming the ``allowed`` dtypes, unless the dtype of ``spec`` is one of them."""
    if spec.dtype_name not in allowed:
        words = ", ".join(map(_word, allowed))
        raise KernelInputError(f"{name} must be one of {words}, got {_word(spec.dtype.name)}")


def _word(name: str) -> str:
    """A dtype's name as people know it."""
    return "string" if name == STRING else name


def check_same_dtype(*specs: ArraySpec | None) -> None:
    """Raises KernelInputError unless all the specs that are present have one dtype."""
    names = [s.dtype_name for s in specs if s is not None]
    if len(set(names)) > 1:
        raise KernelInputError(f"inputs must have one dtype, got {', '.join(names)}")


def as_dtype(number: float, dtype: np.dtype[Any]) -> Any:
    """A constant that an attribute or a scalar input gives, as an element of ``dtype``.

    Integers drop the fraction; a float that is too large becomes infinite; a bool is whether it is not 0.

    Raises:
        KernelInputError: an integer type does not reach so far, or NaN for an integer type.
    """
    if dtype.kind not in "iu":
        with np.errstate(over="ignore"):
            return dtype.type(number)
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise KernelInputError(f"constant {number} does not fit dtype {dtype.name}")
    return dtype.type(int(number))


def widen(x: Array) -> Array:
    """float16 as float32, any other dtype as it is: what a kernel computes in before it rounds once."""
    return x.astype(np.float32) if x.dtype.char == "e" else x
