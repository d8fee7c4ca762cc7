"""Element moves: operators that only move elements are tried on numbers of positions, to see where elements go."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, Shape
from lite_delegate_kernels.built_in import built_in_kernels

from ...ir import Node
from ...ir.traits import operators_with
from ...shapes.finding import kernel_for
from ...shapes.folding import run_kernel
from .corners import MOST_ELEMENTS, RULES, corner

SOFTER = frozenset({"Gather", "GatherD", "GatherNd", "ReverseV2"})
"""Operators that are tried although they have a rule, because the rule rejects more."""
MOVES = operators_with(lambda traits: traits.moves) - (RULES.keys() - SOFTER)
"""Operators whose results hold elements of the first input, or constants, at positions that the other inputs give."""

Specs = Sequence[ArraySpec | None]
"""The known specs of a node's inputs, in order."""


def can_be_tried(inputs: Specs) -> bool:
    """Whether the values of all inputs behind the first are known."""
    return all(each is None or each.value is not None for each in inputs[1:])


def moves_alike(nodes: tuple[Node, Node], inputs: tuple[Specs, Specs]) -> bool:
    """Whether the results of a node for smaller inputs are the leading corners of its results for larger inputs.

    Args:
        nodes: of the plan for the inputs without padding, and of the plan for the padded inputs.
        inputs: of each node, which ``can_be_tried`` accepts; the first small input is the corner of the large input.
    """
    small, large = inputs
    before, after = _shape(small), _shape(large)
    if before == after and _same(small[1:], large[1:]):
        return True
    if math.prod(after) > MOST_ELEMENTS:
        return False
    places = np.arange(1, math.prod(after) + 1, dtype=np.int32).reshape(after)
    try:
        return all(_fit(nodes, inputs, each, before) for each in (places, -places))  # no constant equals both
    except KernelInputError:
        return False


def _fit(nodes: tuple[Node, Node], inputs: tuple[Specs, Specs], places: Array, before: Shape) -> bool:
    small, large = (
        _moved(node, each, operands)
        for node, each, operands in zip(nodes, (places[corner(before)], places), inputs, strict=True)
    )
    return all(np.array_equal(one, other[corner(one.shape)]) for one, other in zip(small, large, strict=True))


def _moved(node: Node, places: Array, inputs: Specs) -> tuple[Array, ...]:
    kernel = kernel_for(built_in_kernels(), node)
    if kernel is None:
        raise KernelInputError("no kernel")
    return run_kernel(node, kernel, [places, *(None if each is None else each.value for each in inputs[1:])], None)


def _shape(inputs: Specs) -> Shape:
    return () if inputs[0] is None else inputs[0].shape or ()


def _same(one: Specs, other: Specs) -> bool:
    values = [[None if each is None else each.value for each in specs] for specs in (one, other)]
    return all(
        a is b or (a is not None and b is not None and np.array_equal(a, b)) for a, b in zip(*values, strict=True)
    )
