"""The element types that an input accepts: its own type, types without a loss, and float64 for float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from lite_delegate_kernels import Array

FLOAT64, FLOAT32 = np.dtype(np.float64), np.dtype(np.float32)
NUMBERS = "biuf"
"""The kinds of numpy types for numbers: bool, integers and real numbers."""
WIDE_INTEGERS = (np.dtype(np.int64), np.dtype(np.uint64))


def converts(given: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """True if the wanted type holds every number of the given type, and for float64 to float32."""
    given = given.newbyteorder("=")
    if (given, wanted) == (FLOAT64, FLOAT32):
        return True
    if given.kind not in NUMBERS or wanted.kind not in NUMBERS or (given in WIDE_INTEGERS and wanted.kind == "f"):
        return False  # numpy calls int64 to float64 safe; beyond 2 ** 53 it rounds
    return np.can_cast(given, wanted, "safe")


def converted(array: Array, wanted: np.dtype[Any]) -> Array:
    """The numbers in another type, in new memory; a number too large for float32 becomes infinite, by IEEE 754."""
    with np.errstate(over="ignore"):
        return array.astype(wanted, order="C")


def of_numbers(numbers: object, wanted: np.dtype[Any]) -> Array | None:
    """An array of Python numbers or nested lists of numbers; None if the type does not hold them.

    Python's floats are rounded to the type; integers must be exact.
    """
    try:
        array = np.asarray(numbers)
    except ValueError:  # lists of different lengths
        return None
    if array.dtype.kind not in NUMBERS:
        return None
    if array.dtype == wanted:
        return array
    with np.errstate(over="ignore", invalid="ignore"):
        made = array.astype(wanted)
    is_rounded = array.dtype.kind == "f" and wanted.kind == "f"
    return made if is_rounded or np.array_equal(made, array) else None
