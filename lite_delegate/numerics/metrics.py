"""The distance of one array from another, in numbers that say the same for every element type."""

from __future__ import annotations

import math

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array, KernelInputError, unpack_strings

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from .errors import measure


@dataclass(frozen=True, slots=True)
class Metrics(Brief):
    """The distance of an array from the one it should be.

    ``max_abs`` to ``max_ulp`` are over the elements that are finite in both; ``unlike`` counts the others that matter.
    They are None where no such element exists, and for strings.

    Attributes:
        elements: how many there are; of a tensor of strings, how many strings.
        differing: how many are not equal. NaN equals NaN, zero equals minus zero.
        unlike: how many are NaN or infinite in one of the two and not the same in the other.
        max_abs: the largest absolute difference; of bool, 1 where any differs.
        max_rel: the largest difference relative to the expected value, over those that are not 0.
        snr_db: 20 log10(|want| / |got - want|) in dB, with Euclidean norms; infinite when both are equal, minus
            infinite where all that is expected is 0 and something else came. None where ``unlike`` is not 0.
        cosine: of the angle between the two, -1 to 1; 1 when both are all 0, 0 when one of them is.
        max_ulp: how many numbers of the element type lie between the two at most, one of the ends counted; of integers
            the largest difference. None for bool.
    """

    elements: int
    differing: int
    unlike: int
    max_abs: float | None
    max_rel: float | None
    snr_db: float | None
    cosine: float | None
    max_ulp: int | None


def metrics_of(got: Array, want: Array) -> Metrics:
    """The metrics of an array that has the dtype and shape of the expected one; strings may differ in size."""
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype == STRING_DTYPE:
        return _of_strings(got, want)
    with np.errstate(all="ignore"):
        return _of_numbers(got, want)


def _of_numbers(got: Array, want: Array) -> Metrics:
    same = (got == want) | ((got != got) & (want != want))
    finite = np.isfinite(got) & np.isfinite(want)
    unlike = int((~same & ~finite).sum())
    differing = int((~same).sum())
    if not finite.any():
        return Metrics(want.size, differing, unlike, None, None, None, None, None)
    errors = measure([got], [want])
    return Metrics(
        elements=want.size,
        differing=differing,
        unlike=unlike,
        max_abs=errors.max_abs,
        max_rel=errors.max_rel,
        snr_db=errors.snr_db,
        cosine=_cosine(got[finite].astype(np.float64), want[finite].astype(np.float64)),
        max_ulp=_integer_distance(got, want) if want.dtype.kind in "iu" else errors.max_ulp,
    )


def _of_strings(got: Array, want: Array) -> Metrics:
    expected = unpack_strings(want)
    try:
        found = unpack_strings(got)
    except KernelInputError:  # no packed strings: nothing of it is as expected
        found = []
    count = max(len(found), len(expected))
    differing = count - sum(a == b for a, b in zip(found, expected, strict=False))
    return Metrics(count, differing, 0, None, None, None, None, None)


def _integer_distance(got: Array, want: Array) -> int:
    """The largest difference, without overflow."""
    return int((np.maximum(got, want) - np.minimum(got, want)).view(f"u{want.dtype.itemsize}").max())


def _cosine(a: Array, b: Array) -> float:
    sizes = float(np.abs(a).max()), float(np.abs(b).max())
    if not all(sizes):
        return 1.0 if sizes == (0.0, 0.0) else 0.0
    a, b = a / sizes[0], b / sizes[1]
    cosine = float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))
    return max(-1.0, min(1.0, cosine))
