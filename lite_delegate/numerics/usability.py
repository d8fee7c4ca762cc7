"""Usability: whether a model's outputs are near enough to the reference's to be used in their place.

This is another question than whether a device is right. A device that rounds as it promises may still ruin a model
whose digits cancel.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from lite_delegate_kernels import STRING_DTYPE, Array

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..ir import DataType, Graph, QuantParam
from .classes import best_classes, distribution_axis, logits_of, scores_at
from .metrics import metrics_of
from .precision import precision_of
from .tolerance import ATOL, ROUNDINGS, RTOL


@dataclass(frozen=True, slots=True)
class UsableLimits(Brief):
    """The limits that an output must reach to be usable.

    Attributes:
        snr_db: signal-to-noise ratio of an output of real numbers, in dB: 20 is noise of a tenth of the signal.
        cosine: of the angle between an output of real numbers and the reference's.
        agreement: share of equal elements in an output of integers that stand for nothing else, bool or strings; and
            share of rows with the same best class in an output of classes.
        floor: absolute differences up to it are usable whatever their ratio to the signal: what an output that is next
            to nothing everywhere differs by is next to nothing, too.
        classes: names of the outputs whose best class must stay the same; None: those that are recognized, see
            ``numerics.classes``; none at all: no output.

    Raises:
        ValueError: a cosine or a share that is not between 0 and 1, a ratio that is not a number, or a floor below 0.
    """

    snr_db: float = 20.0
    cosine: float = 0.99
    agreement: float = 0.99
    floor: float = ATOL
    classes: Collection[str] | None = None

    def __post_init__(self) -> None:
        if math.isnan(self.snr_db):
            raise ValueError("snr_db must be a number of dB, got nan.")
        for name, value in (("cosine", self.cosine), ("agreement", self.agreement)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must be between 0 and 1, got {value}.")
        if not self.floor >= 0:
            raise ValueError(f"floor must be at least 0, got {self.floor}.")
        if isinstance(self.classes, str):
            raise ValueError(f"classes must be a collection of names, got '{self.classes}'.")


@dataclass(frozen=True, slots=True)
class OutputUse(Brief):
    """Whether one output of the model is usable.

    Attributes:
        name: the tensor's.
        usable: whether it reaches all that is asked of it.
        snr_db: signal-to-noise ratio in dB; None where there is none: no real numbers, or NaN and infinities that the
            reference does not have.
        cosine: of the angle; None where ``snr_db`` is.
        agreement: share of equal elements, or of rows with the same best class; None where neither is asked.
        class_axis: the axis along which it holds classes; None where it holds none.
        reasons: what it misses, for people; none where it is usable.
    """

    name: str
    usable: bool
    snr_db: float | None = None
    cosine: float | None = None
    agreement: float | None = None
    class_axis: int | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputKind:
    """The facts about an output beside its numbers.

    Attributes:
        name: the tensor's.
        quant: what its integers stand for; none for themselves.
        is_logits: it holds logits of classes along its last axis.
        storage: the type in which the device stores real numbers; None for the output's own.
    """

    name: str
    quant: tuple[QuantParam, ...] = ()
    is_logits: bool = False
    storage: DataType | None = None


def kinds_of(graph: Graph, storage: DataType | None) -> tuple[OutputKind, ...]:
    """The outputs of a model.

    Args:
        graph: the model.
        storage: the type in which its device stores real numbers; None for their own.
    """
    logits = logits_of(graph)
    return tuple(OutputKind(v.name, v.quant_params, v is logits, storage) for v in graph.outputs)


def uses_of(
    kinds: Sequence[OutputKind], got: Sequence[Array], want: Sequence[Array], limits: UsableLimits
) -> tuple[OutputUse, ...]:
    """Judges all outputs of a model, see ``use_of``."""
    return tuple(use_of(kind, a, b, limits) for kind, a, b in zip(kinds, got, want, strict=True))


def use_of(kind: OutputKind, got: Array, want: Array, limits: UsableLimits) -> OutputUse:
    """Judges one output.

    1. Another type or shape: not usable.
    2. Real numbers, and integers that stand for such: signal-to-noise ratio and cosine, unless all differences are
       within the floor; NaN and infinities at the same places; and the best class where it holds classes.
    3. Other integers, bool and strings: the share of equal elements.

    Args:
        kind: what the output is.
        got: the device's.
        want: the reference's.
        limits: what it must reach.
    """
    if got.dtype != want.dtype or (got.shape != want.shape and want.dtype != STRING_DTYPE):
        reason = f"{got.dtype} {list(got.shape)} in place of {want.dtype} {list(want.shape)}"
        return OutputUse(kind.name, usable=False, reasons=(reason,))
    if want.dtype.kind == "f":
        return _of_reals(kind, got, want, limits)
    if kind.quant and want.dtype.kind in "iu":
        return _of_reals(kind, _real(got, kind.quant), _real(want, kind.quant), limits)
    share = _equal_share(got, want)
    missed = [] if share >= limits.agreement else [f"{share:.1%} of the elements are equal, not {limits.agreement:.1%}"]
    return OutputUse(kind.name, not missed, agreement=share, reasons=tuple(missed))


def _of_reals(kind: OutputKind, got: Array, want: Array, limits: UsableLimits) -> OutputUse:
    found = metrics_of(got, want)
    missed = []
    snr, cosine = found.snr_db, found.cosine
    if found.unlike:
        missed.append(f"{found.unlike} of {found.elements} elements are NaN or infinite in one of the two only")
    is_above = found.max_abs is not None and found.max_abs > limits.floor
    if is_above and snr is not None and snr < limits.snr_db:
        missed.append(f"{snr:.3g} dB, not {limits.snr_db:g}")
    if is_above and cosine is not None and cosine < limits.cosine:
        missed.append(f"cosine {cosine:.3f}, not {limits.cosine:g}")
    axis = _class_axis(kind, want, limits)
    share = None
    if axis is not None:
        share, text = _same_class(got, want, axis, _tie(want, kind.storage))
        missed += [text] if share < limits.agreement else []
    return OutputUse(kind.name, not missed, snr, cosine, share, axis, tuple(missed))


def _class_axis(kind: OutputKind, want: Array, limits: UsableLimits) -> int | None:
    step = kind.quant[0].scale if len(kind.quant) == 1 else 0.0
    if limits.classes is not None:
        if kind.name not in limits.classes or want.ndim == 0 or want.size == 0:
            return None
        found = distribution_axis(want, step)
        return want.ndim - 1 if found is None else found
    if kind.is_logits and want.size and want.ndim:
        return want.ndim - 1
    return distribution_axis(want, step)


def _same_class(got: Array, want: Array, axis: int, tie: float) -> tuple[float, str]:
    """The share of rows with the same best class, and the first that is another.

    Classes of which the reference's scores are nearer than ``tie`` of the best one are one class.
    """
    best, found = best_classes(want, axis), best_classes(np.nan_to_num(got, nan=-math.inf), axis)
    score, other = scores_at(want, axis, best), scores_at(want, axis, found)
    with np.errstate(invalid="ignore"):
        other_row = (best != found) & ~(np.abs(score - other) <= tie * np.abs(score))
    if not other_row.any():
        return 1.0, ""
    row = int(np.argmax(other_row))
    where = f" in row {row}" if len(best) > 1 else ""
    text = (
        f"class {found[row]} in place of {best[row]}{where} (the reference has {other[row]:.3g} and {score[row]:.3g})"
    )
    return 1.0 - float(other_row.mean()), text


def _tie(want: Array, storage: DataType | None) -> float:
    """Relative difference of scores that are one in the type in which the device stores them."""
    precision = precision_of(want.dtype if storage is None else storage)
    return max(RTOL, ROUNDINGS * precision.rounding)


def _equal_share(got: Array, want: Array) -> float:
    found = metrics_of(got, want)
    return 1.0 - found.differing / found.elements if found.elements else 1.0


def _real(x: Array, quant: tuple[QuantParam, ...]) -> Array:
    """The real numbers that integers with one scale stand for; with several scales differences are what is left."""
    if len(quant) != 1:
        return np.asarray(x.astype(np.float64))
    return np.asarray((x.astype(np.float64) - quant[0].zero_point) * quant[0].scale)
