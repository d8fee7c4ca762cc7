"""The forms in which Attention's weights, biases and mask come, told apart by number and rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from ._expect import T, without_gaps
from ._kernel import ArraySpec, KernelInputError

GROUPS = {3: ((0,), (1,), (2,)), 2: ((0,), (1, 2)), 1: ((0, 1, 2),)}
"""Which of query (0), key (1) and value (2) lie side by side in each of one, two or three arrays."""


@dataclass(frozen=True)
class AttentionInputs(Generic[T]):
    """The inputs that follow query, key and value.

    Attributes:
        weights: of query, key and value, as many arrays as ``GROUPS`` has keys for.
        output_weight: of the output.
        biases: of query, key and value: three arrays, one with all of them, or none.
        output_bias: None in the form without biases.
        position_bias: what is added to the scores, None in the forms with biases.
        mask: 1 where a query may look, 0 where it may not; None if it may look everywhere.
    """

    weights: tuple[T, ...]
    output_weight: T
    biases: tuple[T, ...]
    output_bias: T | None
    position_bias: T | None
    mask: T | None


def sort_inputs(parameters: Sequence[T | None], cross: bool) -> AttentionInputs[T]:
    """Tells which form the inputs after query, key and value have.

    Raises:
        KernelInputError: a number of inputs that no form has, or one is absent before the last.
    """
    given = without_gaps(parameters, first=3)
    if len(given) in (8, 9):
        return AttentionInputs(tuple(given[:3]), given[3], tuple(given[4:7]), given[7], None, _last(given, 8))
    packed = 2 if cross else 1
    weights, rest = tuple(given[:packed]), given[packed + 1 :]
    if len(rest) == 1 or (len(rest) == 2 and any(_is_table(x) for x in rest)):
        return AttentionInputs(weights, given[packed], (), None, rest[0], _last(rest, 1))
    if len(rest) in (2, 3):
        return AttentionInputs(weights, given[packed], (rest[0],), rest[1], None, _last(rest, 2))
    counts = f"{packed + 5} to {packed + 7} inputs, or 11 or 12"
    raise KernelInputError(f"{counts} expected where cross is {cross}, got {len(given) + 3}")


def _last(inputs: Sequence[T], position: int) -> T | None:
    return inputs[position] if len(inputs) > position else None


def _is_table(x: T) -> bool:
    """True when it is certainly no bias."""
    rank = x.rank if isinstance(x, ArraySpec) else x.ndim
    return rank is not None and rank > 1
