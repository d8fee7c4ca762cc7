"""Parts of patterns: numbers, sums and products."""

from __future__ import annotations

import math

import numpy as np

from ....basics.data_class import dataclass
from ....ir import Node, Value
from ....ir.traits import VIEWS
from ...framework.draft import Draft
from ...framework.patterns import is_activated, maker_of, scalar_of
from ...framework.specs import Specs


@dataclass(frozen=True, slots=True)
class Scene:
    """The graph that patterns are looked for in.

    Attributes:
        draft: the graph.
        specs: the specs of its values, with the shapes that the file declares; values made by passes have none.
    """

    draft: Draft
    specs: Specs

    def rank(self, value: Value) -> int | None:
        """Number of dimensions, as far as it is known."""
        spec = self.specs.get(value)
        return None if spec is None else spec.rank

    def shape(self, value: Value) -> tuple[int, ...] | None:
        """The dimensions, where all of them are known."""
        if value.data is not None:
            return tuple(value.data.shape)
        spec = self.specs.get(value)
        return None if spec is None or spec.shape is None or min(spec.shape, default=0) < 0 else spec.shape

    def behind_views(self, value: Value) -> Value:
        """The value whose elements, in the same order, a view shows under other dimensions; any other value itself.

        Views are Reshape and its like, and BroadcastTo where known shapes show that it adds no element.
        """
        node = self.draft.producer(value)
        while node is not None and node.op_type in SAME_ELEMENTS and self.draft.is_plain(node):
            source = node.inputs[0]
            if source is None or not self.are_as_many(source, value):
                return value
            value, node = source, self.draft.producer(source)
        return value

    def are_as_many(self, *values: Value) -> bool:
        """True for values of known shapes that have as many elements, at least one."""
        counts = {None if shape is None else math.prod(shape) for shape in map(self.shape, values)}
        return len(counts) == 1 and not counts & {None, 0}

    def sum_with_number(self, value: Value | None, activated: Node | None = None) -> tuple[Value, float] | None:
        """``(x, c)`` where a value is ``x + c`` with a number ``c``.

        Args:
            value: the value.
            activated: the node that may have a fused activation, which the caller knows; None for none.
        """
        for op_type, sign in (("AddFusion", 1.0), ("SubFusion", -1.0)):
            node = maker_of(self.draft, value, op_type)
            if node is None or (is_activated(node) and node is not activated):
                continue
            for side in (1, 0) if op_type == "AddFusion" else (1,):
                number, other = scalar_of(self.draft, node.inputs[side]), node.inputs[1 - side]
                if number is not None and other is not None and self._keeps_shape(node, other, side):
                    return other, sign * number
        return None

    def product(self, value: Value | None) -> Product | None:
        """A value as a product of numbers and values."""
        if value is None:
            return None
        return self._product(value, is_root=True)

    def expanded(self, product: Product) -> Product:
        """A product whose factors are themselves taken apart, even where other nodes read them: powers in products."""
        number, factors = product.number, list[Value]()
        for value in product.factors:
            inside = self._product(value, is_root=True)
            number *= inside.number
            factors += inside.factors
        return Product(number, tuple(factors))

    def _product(self, value: Value, is_root: bool) -> Product:
        single = Product(1.0, (value,))
        node = self.draft.producer(value)
        if node is None or not self.draft.is_plain(node) or node.op_type not in _PRODUCTS:
            return single
        if not is_root and node.op_type in ("MulFusion", "DivFusion") and self.draft.only_reader(value) is None:
            return single
        return self._split(node) or single

    def _split(self, node: Node) -> Product | None:
        if node.op_type in ("Square", "PowFusion"):
            return self._power(node)
        left, right = node.inputs[0], node.inputs[1]
        if left is None or right is None or is_activated(node):
            return None
        for value, other, side in ((right, left, 1), (left, right, 0)):
            number = scalar_of(self.draft, value)
            if number is not None and self._keeps_shape(node, other, side):
                if node.op_type == "MulFusion":
                    return self._product(other, is_root=False).times(number)
                if side == 1 and number:
                    return self._product(other, is_root=False).times(1 / number)
        if node.op_type != "MulFusion":
            return None
        a, b = self._product(left, is_root=False), self._product(right, is_root=False)
        return Product(a.number * b.number, a.factors + b.factors)

    def _power(self, node: Node) -> Product | None:
        x, attributes = node.inputs[0], node.primitive.attributes()
        exponent = 2.0 if node.op_type == "Square" else scalar_of(self.draft, node.inputs[1])
        if x is None or exponent not in (2.0, 3.0):
            return None
        if node.op_type == "PowFusion" and (attributes["scale"], attributes["shift"]) != (1.0, 0.0):
            return None
        return Product(1.0, (x,) * int(exponent))

    def _keeps_shape(self, node: Node, other: Value, side: int) -> bool:
        """True when a number does not stretch the other operand to more dimensions."""
        number, rank = node.inputs[side], self.rank(other)
        return (
            number is not None
            and number.data is not None
            and (number.data.ndim == 0 or number.data.ndim <= (rank or 0))
        )


SAME_ELEMENTS = VIEWS | {"BroadcastTo"}
"""Operators whose output has the elements of the input in the same order; BroadcastTo where it repeats none."""
_PRODUCTS = frozenset({"DivFusion", "MulFusion", "PowFusion", "Square"})


@dataclass(frozen=True, slots=True)
class Product:
    """Values multiplied with each other and with a number.

    Attributes:
        number: the product of all numbers.
        factors: the values, in the order in which they are found.
    """

    number: float
    factors: tuple[Value, ...]

    def times(self, number: float) -> Product:
        """The product and one more number."""
        return Product(self.number * number, self.factors)

    def without(self, value: Value) -> tuple[Value, ...] | None:
        """The factors but for one that is this value; None where none is."""
        if value not in self.factors:
            return None
        place = self.factors.index(value)
        return self.factors[:place] + self.factors[place + 1 :]

    def is_number_times(self, number: float, *factors: Value) -> bool:
        """True for this number, and these factors in any order."""
        return near(self.number, number) and sorted(map(id, self.factors)) == sorted(map(id, factors))


def near(found: float, wanted: float) -> bool:
    """True for a number and the same number in another precision, or written with six digits."""
    return math.isclose(found, wanted, rel_tol=2e-6) or found == float(np.float16(wanted))
