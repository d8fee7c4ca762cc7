"""Quantized forms of kernels: the groups of operators state what the operators' traits state."""

from __future__ import annotations

import pytest
from lite_delegate_kernels import ALL_KERNELS
from lite_delegate_kernels.quantized import (
    AS_STORED,
    ELEMENT_BY_ELEMENT,
    MOVEMENT,
    THROUGH_FLOATS,
    WEIGHTED,
    quantized_kernel,
)

from lite_delegate.ir.traits import TRAITS, ElementPattern, of_pattern, operators_with

QUANTIZED = frozenset(kernel.op_type for kernel in ALL_KERNELS if quantized_kernel(kernel) is not None)
PADDING = {"PadFusion", "SpaceToBatch", "SpaceToBatchND"}
"""Operators that move elements and write a constant beside the elements, which goes through real numbers."""


def test_operators_that_move_elements_move_integers() -> None:
    assert set(MOVEMENT) == (operators_with(lambda traits: traits.moves) & QUANTIZED) - PADDING


def test_padding_goes_through_real_numbers() -> None:
    assert set(THROUGH_FLOATS) >= PADDING


@pytest.mark.parametrize("op_type", ELEMENT_BY_ELEMENT)
def test_an_operator_with_a_table_of_integers_reads_one_element(op_type: str) -> None:
    assert TRAITS[op_type].pattern is ElementPattern.UNARY


def test_shapes_do_not_depend_on_the_meaning_of_integers() -> None:
    assert set(AS_STORED) == of_pattern(ElementPattern.SHAPE) | {"Cast"}


def test_operators_with_weights_are_the_same() -> None:
    assert WEIGHTED.keys() == operators_with(lambda traits: traits.weight_axis is not None)


@pytest.mark.parametrize("op_type", WEIGHTED)
def test_the_scales_of_a_weight_lie_along_its_channels(op_type: str) -> None:
    axis, (channel_axis, _) = TRAITS[op_type].weight_axis, WEIGHTED[op_type]
    assert axis is not None
    assert [channel_axis(rank, {}) for rank in (2, 4)] == [axis % rank for rank in (2, 4)]
