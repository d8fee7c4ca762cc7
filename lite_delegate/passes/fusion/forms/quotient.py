"""Quotients and sums of values, taken apart however they are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....basics.data_class import dataclass
from ....ir import Node, Value
from ...framework.draft import Draft
from ...framework.patterns import is_activated, maker_of, scalar_of

IsWhole = Callable[[Value], bool]
DEEPEST = 5
"""Nodes in a row that are taken apart: frameworks write patterns with three at most."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """A product of values and a number, over a product of values.

    Attributes:
        number: the product of all numbers.
        over: the factors, constants of more than one element among them.
        under: the divisors.
    """

    number: float
    over: tuple[Value, ...]
    under: tuple[Value, ...] = ()

    def times(self, other: Quotient) -> Quotient:
        """The product of two."""
        return Quotient(self.number * other.number, self.over + other.over, self.under + other.under)

    def inverted(self) -> Quotient:
        """One over it; the number is not 0."""
        return Quotient(1 / self.number, self.under, self.over)

    def without(self, value: Value) -> Quotient | None:
        """The quotient without one factor that is this value; None where no factor is."""
        if value not in self.over:
            return None
        place = self.over.index(value)
        return Quotient(self.number, self.over[:place] + self.over[place + 1 :], self.under)

    def has_values_of(self, other: Quotient) -> bool:
        """Whether both have the same values, in any order."""
        return all(
            sorted(map(id, mine)) == sorted(map(id, theirs))
            for mine, theirs in ((self.over, other.over), (self.under, other.under))
        )


def quotient_of(value: Value, draft: Draft, is_whole: IsWhole, depth: int = DEEPEST) -> Quotient:
    """A value as a quotient.

    Args:
        value: a product, a quotient, a reciprocal, or any other value, which is its own only factor.
        draft: the graph.
        is_whole: whether a value is not taken apart.
        depth: nodes in a row that are taken apart.
    """
    number = scalar_of(draft, value)
    if number is not None:
        return Quotient(number, ())
    node = draft.producer(value)
    if not depth or node is None or not draft.is_plain(node) or is_activated(node) or is_whole(value):
        return Quotient(1.0, (value,))
    if node.op_type == "Reciprocal" and node.inputs[0] is not None:
        inside = quotient_of(node.inputs[0], draft, is_whole, depth - 1)
        return inside.inverted() if inside.number else Quotient(1.0, (value,))
    if node.op_type not in ("DivFusion", "MulFusion") or None in node.inputs:
        return Quotient(1.0, (value,))
    left, right = (quotient_of(v, draft, is_whole, depth - 1) for v in node.inputs if v is not None)
    if node.op_type == "MulFusion":
        return left.times(right)
    return left.times(right.inverted()) if right.number else Quotient(1.0, (value,))


def terms_of(
    value: Value, draft: Draft, is_whole: IsWhole, sign: int = 1, depth: int = 3
) -> Iterator[tuple[int, Value]]:
    """The terms of a sum with their signs: sums, differences and negations are taken apart.

    Args:
        value: a sum, or any other value, which is its own only term.
        draft: the graph.
        is_whole: whether a value is not taken apart.
        sign: 1 or -1.
        depth: nodes in a row that are taken apart.
    """
    node = _plain_sum(value, draft)
    if not depth or node is None or is_whole(value):
        yield sign, value
        return
    for position, operand in enumerate(node.inputs):
        assert operand is not None
        is_negative = node.op_type == "Neg" or (node.op_type == "SubFusion" and position == 1)
        yield from terms_of(operand, draft, is_whole, -sign if is_negative else sign, depth - 1)


def _plain_sum(value: Value, draft: Draft) -> Node | None:
    for op_type in ("AddFusion", "SubFusion", "Neg"):
        node = maker_of(draft, value, op_type)
        if node is not None and not is_activated(node) and None not in node.inputs:
            return node
    return None
