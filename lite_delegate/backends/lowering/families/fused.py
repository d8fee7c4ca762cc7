"""Activations that are fused into other operators."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....ir.types.enums import ActivationType
from ..lowering import Lowering, wanted
from ..not_lowered import NotLowered
from ..term import Dtype, Term


def fused(lowering: Lowering, term: Term, activation: ActivationType) -> Term:
    """A term after the activation of its operator: none, RELU or RELU6.

    Raises:
        NotLowered: it is another one.
    """
    if activation == ActivationType.NO_ACTIVATION:
        return term
    if activation == ActivationType.RELU and term.dtype.kind != "f":
        return lowering.emit("Max", [term, lowering.scalar(0, term.dtype)], term.dtype, term.shape)
    if activation == ActivationType.RELU:
        return lowering.emit("Relu", [term], term.dtype, term.shape)
    if activation == ActivationType.RELU6:
        return clipped(lowering, term, 0.0, 6.0)
    raise NotLowered(RejectCode.ATTRIBUTE, "a fused activation must be RELU or RELU6", f"is {activation.name}")


def fused_or_none(lowering: Lowering, term: Term, activation: ActivationType) -> Term:
    """A term with an activation, for operators that ignore any other activation than RELU and RELU6."""
    known = activation in (ActivationType.RELU, ActivationType.RELU6)
    return fused(lowering, term, activation) if known else term


@np.errstate(over="ignore")
def _bound(lowering: Lowering, bound: float, dtype: Dtype) -> Term | None:
    """A float's bound; an infinite one is written, because an absent one is the largest number in ONNX."""
    return lowering.scalar(bound, dtype)


def _whole_bound(lowering: Lowering, bound: float, dtype: Dtype) -> Term | None:
    limits = np.iinfo(dtype.name)
    if bound == limits.min or bound == limits.max or np.isinf(bound):
        return None
    if limits.min < bound < limits.max:
        wanted(bound == int(bound), RejectCode.ATTRIBUTE, "integers have whole bounds", f"is {bound}")
        return lowering.scalar(int(bound), dtype)
    return lowering.scalar(limits.min if bound < 0 else limits.max, dtype)


def clipped(lowering: Lowering, term: Term, low: float, high: float) -> Term:
    """``min(max(term, low), high)``; bounds that integers do not reach are none.

    Raises:
        NotLowered: a fraction bounds integers.
    """
    if np.isinf(low) and np.isinf(high):
        return term
    bound_of = _bound if term.dtype.kind == "f" else _whole_bound
    bounds = [bound_of(lowering, bound, term.dtype) for bound in (low, high)]
    return lowering.emit("Clip", [term, *bounds], term.dtype, term.shape)
