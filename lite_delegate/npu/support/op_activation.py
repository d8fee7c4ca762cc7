"""Activation: claimed for the functions that the device has a table for."""

from __future__ import annotations

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.enums import ActivationType
from ...ir.primitives import Activation
from ..activations import LOOKUPS
from ..operands import primitive_of
from ..profiles import Profile
from ._check import SupportCheck
from ._elementwise import check_unary
from .gate import check_range


def check_activation(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel."""
    activation = primitive_of(kernel, Activation).activation_type
    return check_unary(kernel, profile) or _check_type(activation) or check_range(kernel, profile) or Supported()


def _check_type(activation: ActivationType) -> Rejected | None:
    if activation in LOOKUPS:
        return None
    names = ", ".join(a.name for a in LOOKUPS)
    return Rejected(RejectCode.ATTRIBUTE, f"activation_type must be one of {names}, is {activation.name}")


CHECK = SupportCheck("Activation", check_activation)
