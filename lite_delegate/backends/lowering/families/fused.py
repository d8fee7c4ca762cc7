"""Activations that are fused into other operators."""

from __future__ import annotations

import numpy as np

from ....delegate import RejectCode
from ....ir.enums import ActivationType
from ..lowering import Lowering
from ..not_lowered import NotLowered
from ..term import Term


def fused(lowering: Lowering, term: Term, activation: ActivationType) -> Term:
    """A term after the activation of its operator: none, RELU or RELU6.

    Raises:
        NotLowered: it is another one.
    """
    if activation == ActivationType.NO_ACTIVATION:
        return term
    if activation == ActivationType.RELU:
        return lowering.emit("Relu", [term], term.dtype, term.shape)
    if activation == ActivationType.RELU6:
        return clipped(lowering, term, 0.0, 6.0)
    raise NotLowered(RejectCode.ATTRIBUTE, "a fused activation must be RELU or RELU6", f"is {activation.name}")


def fused_or_none(lowering: Lowering, term: Term, activation: ActivationType) -> Term:
    """The same for operators that take any other activation for none."""
    known = activation in (ActivationType.RELU, ActivationType.RELU6)
    return fused(lowering, term, activation) if known else term


def clipped(lowering: Lowering, term: Term, low: float, high: float) -> Term:
    """``min(max(term, low), high)``; an infinite bound is none."""
    bounds = [None if np.isinf(bound) else lowering.scalar(bound, term.dtype) for bound in (low, high)]
    return lowering.emit("Clip", [term, *bounds], term.dtype, term.shape)
