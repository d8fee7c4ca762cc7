"""The layout contract of instructions, checked on operands of any small shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from lite_delegate.npu.device.programs.instruction import Instruction
from tests.npu.graphs import half

Array = np.ndarray[Any, Any]


@st.composite
def permuted(draw: st.DrawFn, least_rank: int = 1) -> tuple[Array, tuple[int, ...]]:
    """An operand, and a permutation of its axes."""
    shape = draw(st.lists(st.integers(1, 4), min_size=least_rank, max_size=4))
    axes = tuple(draw(st.permutations(range(len(shape)))))
    return half(shape, draw(st.integers(0, 99))), axes


def assert_follows(instruction: Instruction, operand: Array, axes: tuple[int, ...]) -> None:
    """``instruction`` after a permutation is what its reordered form gives, permuted after it."""
    other = instruction.reordered(axes)
    assert other is not None
    before = instruction.run([operand.transpose(axes)])
    after = np.asarray(other.run([operand])).transpose(axes)
    np.testing.assert_array_equal(before, after)
