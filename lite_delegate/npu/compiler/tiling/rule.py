"""TilingRule: the splitting of instructions of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from ....basics.data_class import dataclass
from ...device.instructions.functions import Fused
from ...device.programs.instruction import Instruction, Shape
from .box import Box

Kind = TypeVar("Kind", bound=Instruction)
TERMS = -1
"""In the place of an axis: the terms of the sums, which no axis of the result has."""


@dataclass(frozen=True, slots=True)
class TiledPart:
    """The computation of a box of the result.

    Attributes:
        instruction: the instruction on the boxes of the operands.
        boxes: the box that it reads of each operand.
    """

    instruction: Instruction
    boxes: tuple[Box, ...]


class Rule(ABC, Generic[Kind]):
    """The splitting of instructions of one kind. Stateless."""

    @abstractmethod
    def units(self, instruction: Kind, operands: Sequence[Shape], output: Shape) -> Mapping[int, int]:
        """The axes along which the result may be cut, best first, and of how many positions each cut is a multiple.

        ``TERMS`` among them: sums may be cut as well, and the rule is a ``SumRule``.
        """

    @abstractmethod
    def part(self, instruction: Kind, operands: Sequence[Shape], box: Box) -> TiledPart:
        """The computation of ``box`` of the result: exactly its elements, each from the same terms."""

    def boxes(self, instruction: Kind, operands: Sequence[Shape], box: Box) -> tuple[Box, ...]:
        """The boxes of ``part`` alone, which the search asks for often: rules may tell them without the instruction."""
        return self.part(instruction, operands, box).boxes


class SumRule(Rule[Kind]):
    """The splitting of instructions whose sums may be cut as well: their ``units`` have ``TERMS``."""

    @abstractmethod
    def terms(self, instruction: Kind, operands: Sequence[Shape]) -> int:
        """The number of terms of each sum."""

    @abstractmethod
    def partial(self, part: TiledPart, start: int, stop: int, *, first: bool) -> TiledPart:
        """The computation of the terms from ``start`` to ``stop`` of the sums of ``part``, without fused functions.

        Args:
            first: whether these are the first terms, which add the bias.
        """

    @abstractmethod
    def fused(self, instruction: Kind) -> Fused:
        """The function of the whole sums."""
