"""Activation: claimed for the functions that the device has a table for."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.enums import ActivationType
from ...ir.primitives import Activation
from ..profiles import Profile
from ..semantics.activations import IDENTITIES, LOOKUPS, OF_INTEGERS
from ..semantics.operands import primitive_of
from ._check import SupportCheck
from ._elementwise import INTEGERS, check_unary
from .gate import check_range


def check_activation(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    return (
        check_unary(kernel, profile, INTEGERS)
        or _check_type(kernel, primitive_of(kernel, Activation).activation_type)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_type(kernel: Kernel, activation: ActivationType) -> Rejected | None:
    dtype = kernel.inputs[0].dtype
    known = IDENTITIES.union(OF_INTEGERS if dtype in INTEGERS else LOOKUPS)
    if activation in known:
        return None
    names = ", ".join(a.name for a in sorted(known))
    reason = f"activation_type of {dtype.name} must be one of {names}, is {activation.name}"
    return Rejected(RejectCode.ATTRIBUTE, reason)


CHECK = SupportCheck("Activation", check_activation)
