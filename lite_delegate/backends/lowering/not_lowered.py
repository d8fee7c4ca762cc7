"""NotLowered: the reason why a kernel cannot be lowered."""

from __future__ import annotations

from ...delegate import RejectCode, Rejected
from ...ir import DataType


class NotLowered(Exception):
    """A kernel that the backend cannot compute.

    Args:
        code: the kind of reason.
        rule: the limit, in the same words for all kernels that it keeps away.
        found: the value found, "" where the rule alone is enough.
        dtype: the element type that is not taken, for ``RejectCode.DTYPE``.
    """

    def __init__(self, code: RejectCode, rule: str, found: str = "", dtype: DataType | None = None) -> None:
        super().__init__(f"{rule}, {found}" if found else rule)
        self.code, self.rule, self.dtype = code, rule, dtype

    @property
    def rejected(self) -> Rejected:
        """The claim's answer."""
        return Rejected(self.code, str(self), self.rule, self.dtype)
