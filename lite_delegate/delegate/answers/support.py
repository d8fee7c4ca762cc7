"""A delegate's answer for one kernel: claimed, or rejected with a code and a reason."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Self, TypeAlias

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...ir.types.data_type import DataType


class RejectCode(StrEnum):
    """Why a kernel stays on the CPU. Stable: for tests, counting and scripts."""

    OPERATOR = "OPERATOR"
    """The delegate does not have the operator."""
    ATTRIBUTE = "ATTRIBUTE"
    """An attribute has a value that the delegate cannot do."""
    DTYPE = "DTYPE"
    """A tensor has an element type that the delegate cannot do."""
    SHAPE = "SHAPE"
    """A shape is unknown, or one that the delegate cannot do."""
    RANK = "RANK"
    """A tensor has too many or too few dimensions."""
    NOT_CONSTANT = "NOT_CONSTANT"
    """An input must be a constant and is not."""
    POLICY = "POLICY"
    """The user or the delegate chose so (deny list, pinned node, no reason given)."""
    TOO_SMALL = "TOO_SMALL"
    """The run is smaller than the smallest worth taking."""
    LIMIT = "LIMIT"
    """A limit of the device or of the number of subgraphs is reached."""
    COST = "COST"
    """The CPU is faster once the transfers are counted."""
    COMPILE_FAILED = "COMPILE_FAILED"
    """The delegate failed on the kernel: it raised when asked, or it claims it and cannot make its graph kernel."""
    NO_DEVICE = "NO_DEVICE"
    """There is no delegate, or its device is not there."""


@dataclass(frozen=True, slots=True)
class Supported(Brief):
    """The delegate claims the kernel."""


@dataclass(frozen=True, slots=True)
class Rejected(Brief):
    """The delegate rejects the kernel.

    Attributes:
        code: the kind of reason.
        reason: the reason in words: the limit and the value found.
        rule: the limit without the value found, in the same words for all kernels that it keeps away, such as
            "rank up to 4": what-if counts these kernels together. "" where the delegate does not say: the code stands
            for the rule.
        dtype: the element type that is not taken, for ``RejectCode.DTYPE``; None where the delegate does not say.
    """

    code: RejectCode
    reason: str
    rule: str = field(default="", compare=False)
    dtype: DataType | None = field(default=None, compare=False)

    @classmethod
    def by_rule(cls, code: RejectCode, rule: str, found: str, dtype: DataType | None = None) -> Self:
        """A rejection whose reason is the rule and the value found, as in "RULE, is 5"."""
        return cls(code, f"{rule}, {found}", rule, dtype)


SupportResult: TypeAlias = Supported | Rejected
