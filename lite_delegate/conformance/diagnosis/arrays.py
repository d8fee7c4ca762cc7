"""Defects that the outputs alone tell: moved, missing or coarse elements."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
from numpy.typing import DTypeLike

from ..judging.case import Array
from ..judging.mismatch import mismatch
from ..reports.defects import Defect
from ..trials.trial import POISON
from .evidence import Evidence, Wrong, wrong_outputs

MAX_ORDERED = 5
"""Outputs of which all orders are tried."""
CLOSE_DB = 25.0
"""Signal-to-noise ratio from which on a result is the right one, computed coarsely."""


def moved(evidence: Evidence) -> tuple[Defect, str] | None:
    """Outputs with elements of other outputs, or with elements in another order."""
    got, expected = evidence.got, evidence.expected
    if 1 < len(got) <= MAX_ORDERED:
        for order in permutations(range(len(got))):
            if not mismatch([got[i] for i in order], expected.outputs, expected.tolerances):
                return Defect.OUTPUT_ORDER, f"order {list(order)}"
    for defect, note, change in _MOVES:
        outputs = [change(y) for y in expected.outputs]
        is_moved = any(a is not b for a, b in zip(outputs, expected.outputs, strict=True))
        if is_moved and evidence.is_explained_by(outputs):
            return defect, note
    return None


def uninitialized(evidence: Evidence) -> tuple[Defect, str] | None:
    """Elements that hold the earlier contents of their memory."""
    return (Defect.UNINITIALIZED, "") if any(_poisoned(w) for w in wrong_outputs(evidence)) else None


def missing(evidence: Evidence) -> tuple[Defect, str] | None:
    """The end of an output that was never computed."""
    for wrong in wrong_outputs(evidence):
        note = _slab(wrong)
        if note:
            return Defect.PARTIAL_OUTPUT, note
    return None


def coarse(evidence: Evidence) -> tuple[Defect, str] | None:
    """Results that are right but for their last digits."""
    wrongs = wrong_outputs(evidence)
    if not wrongs:
        return None
    if all(w.got.dtype.kind in "iu" and w.got.dtype.itemsize == 1 for w in wrongs):
        near = all(np.abs(w.got.astype(int) - w.want.astype(int)).max() <= 1 for w in wrongs)
        return (Defect.INTEGER_ROUNDING, "by one") if near else None
    if any(w.got.dtype.kind != "f" or _decibels(w) < CLOSE_DB for w in wrongs):
        return None
    if all(w.got.dtype == np.float32 and _has_bits(w.got, np.float16) for w in wrongs):
        return Defect.FLOAT16, ""
    if all(w.got.dtype == np.float32 and not (w.got.view(np.uint32) & 0xFFFF).any() for w in wrongs):
        return Defect.BFLOAT16, ""
    return Defect.COARSE, ""


def _spatial(y: Array) -> Array:
    return np.swapaxes(y, 1, 2) if y.ndim == 4 and y.shape[1] == y.shape[2] > 1 else y


def _packed(y: Array) -> Array:
    """The elements as they lie in memory when they are left packed by channels."""
    return np.transpose(y, (0, 3, 1, 2)).reshape(y.shape) if y.ndim == 4 else y


def _unpacked(y: Array) -> Array:
    if y.ndim != 4:
        return y
    n, h, w, c = y.shape
    return np.transpose(y.reshape(n, c, h, w), (0, 2, 3, 1))


_MOVES: tuple[tuple[Defect, str, Callable[[Array], Array]], ...] = (
    (Defect.SWAPPED_SPATIAL, "of an output", _spatial),
    (Defect.LAYOUT, "of an output", _packed),
    (Defect.LAYOUT, "of an output", _unpacked),
)


def _poisoned(wrong: Wrong) -> bool:
    bad = np.ascontiguousarray(wrong.got[wrong.at])
    return bool((bad.view(np.uint8).reshape(bad.size, -1) == POISON).all(axis=1).any())


def _slab(wrong: Wrong) -> str:
    """The end (or beginning) of an axis to which all wrong elements belong, if they are all the same number there."""
    bad = wrong.got[wrong.at]
    if bad.size > 1 and not (bad == bad.flat[0]).all() and not np.isnan(bad).all():
        return ""
    for axis in range(wrong.at.ndim):
        others = tuple(i for i in range(wrong.at.ndim) if i != axis)
        is_bad = np.asarray(wrong.at.any(axis=others))
        first, count = int(np.argmax(is_bad)), int(is_bad.sum())
        at_an_end = first + count == is_bad.size or first == 0
        if count < is_bad.size and is_bad[first : first + count].all() and at_an_end:
            return f"from {first} to {first + count - 1} along axis {axis}, where {bad.flat[0]} came"
    return ""


def _decibels(wrong: Wrong) -> float:
    want = wrong.want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        noise = wrong.got.astype(np.float64) - want
    finite = np.isfinite(want) & np.isfinite(noise)
    power = float(np.square(noise[finite]).sum())
    if not finite.all() or not power:
        return -np.inf
    return float(10 * np.log10(max(float(np.square(want[finite]).sum()), 1e-300) / power))


def _has_bits(x: Array, dtype: DTypeLike) -> bool:
    with np.errstate(over="ignore"):
        return bool((x.astype(dtype).astype(x.dtype) == x).all())
