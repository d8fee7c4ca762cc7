"""Polynomials in values: sums and products multiplied out, in whatever order and grouping they are written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ....ir import Node, Value
from ...framework.draft import Draft
from ...framework.patterns import is_activated, scalar_of

Polynomial = Mapping[tuple[Value, ...], float]
"""Coefficients by monomial: its factors in some fixed order, a power as often as it says."""
MOST_TERMS, HIGHEST, DEEPEST = 8, 4, 10
"""Monomials, factors of one, and nodes in a row of the polynomials that patterns need."""
_ARITHMETIC = frozenset({"AddFusion", "DivFusion", "MulFusion", "Neg", "PowFusion", "Square", "SubFusion"})


def monomial(*factors: Value) -> tuple[Value, ...]:
    """The key of a product of values."""
    return tuple(sorted(factors, key=id))


def polynomial_of(value: Value, atoms: Collection[Value], draft: Draft, depth: int = DEEPEST) -> Polynomial | None:
    """A value as a polynomial in ``atoms`` and in values that are no sum, product or power; None where it is too large.

    Args:
        value: any value.
        atoms: values that are not taken apart.
        draft: the graph.
        depth: nodes in a row that are taken apart.
    """
    number = scalar_of(draft, value)
    if number is not None:
        return {(): number}
    node = None if value in atoms else arithmetic(value, draft)
    if node is None:
        return {(value,): 1.0}
    if not depth:
        return None
    parts = [polynomial_of(v, atoms, draft, depth - 1) for v in node.inputs if v is not None]
    if any(part is None for part in parts):
        return None
    made = _combined(node, [part for part in parts if part is not None])
    return made if made is not None and _is_small(made) else None


def arithmetic(value: Value, draft: Draft) -> Node | None:
    """The plain node without a fused activation that gives a value, if it is a sum, product, quotient or power."""
    node = draft.producer(value)
    if node is None or node.op_type not in _ARITHMETIC or not draft.is_plain(node) or is_activated(node):
        return None
    return None if None in node.inputs else node


def values_behind(value: Value, draft: Draft, depth: int) -> Iterator[Value]:
    """A value and the values, without constants, that up to ``depth`` sums, products and powers compute it from."""
    found, layer = dict[Value, None](), [value]
    for _ in range(depth + 1):
        layer = [v for v in layer if v not in found and draft.constant(v) is None]
        found |= dict.fromkeys(layer)
        makers = [arithmetic(v, draft) for v in layer]
        layer = [v for maker in makers if maker is not None for v in maker.inputs if v is not None]
    yield from found


def _combined(node: Node, parts: list[Polynomial]) -> Polynomial | None:
    match node.op_type:
        case "AddFusion":
            return _sum(parts[0], parts[1], 1.0)
        case "SubFusion":
            return _sum(parts[0], parts[1], -1.0)
        case "Neg":
            return _sum({}, parts[0], -1.0)
        case "MulFusion":
            return _product(parts[0], parts[1])
        case "DivFusion":
            divisor = parts[1].get(())
            return {k: c / divisor for k, c in parts[0].items()} if len(parts[1]) == 1 and divisor else None
        case "Square":
            return _product(parts[0], parts[0])
    return _power(node, parts)


def _power(node: Node, parts: list[Polynomial]) -> Polynomial | None:
    attributes, exponent = node.primitive.attributes(), parts[1].get(())
    if len(parts[1]) != 1 or exponent not in (2.0, 3.0) or (attributes["scale"], attributes["shift"]) != (1.0, 0.0):
        return None
    square = _product(parts[0], parts[0])
    return _product(square, parts[0]) if exponent == 3.0 else square


def _sum(left: Polynomial, right: Polynomial, sign: float) -> Polynomial:
    made = dict(left)
    for key, coefficient in right.items():
        made[key] = made.get(key, 0.0) + sign * coefficient
    return made


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    made: dict[tuple[Value, ...], float] = {}
    for a, p in left.items():
        for b, q in right.items():
            key = monomial(*a, *b)
            made[key] = made.get(key, 0.0) + p * q
    return made


def _is_small(polynomial: Polynomial) -> bool:
    return len(polynomial) <= MOST_TERMS and all(len(key) <= HIGHEST for key in polynomial)
