"""CallReader: the common part of an emitter's calls: operands by position, attributes by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .emitter import Attributes
from .term import Term


class CallReader:
    """Reads the operands and attributes of one operator, which a subclass has as fields."""

    __slots__ = ()
    operands: Sequence[Term | None]
    attributes: Attributes

    def term(self, position: int) -> Term:
        """An operand that must be there."""
        found = self.operands[position]
        assert found is not None
        return found

    def has(self, position: int) -> bool:
        """Whether an operand is there."""
        return position < len(self.operands) and self.operands[position] is not None

    def ints(self, name: str, default: Sequence[int]) -> list[int]:
        """An attribute of several integers."""
        found: Any = self.attributes.get(name, default)
        return [int(each) for each in found]

    def number(self, name: str, default: float) -> float:
        """An attribute of one number."""
        found: Any = self.attributes.get(name, default)
        return float(found)

    def integer(self, name: str, default: int) -> int:
        """An attribute of one integer."""
        return int(self.number(name, default))

    def text(self, name: str, default: str) -> str:
        """An attribute of text."""
        return str(self.attributes.get(name, default))
