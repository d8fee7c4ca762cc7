"""Stretches of memory against those that a walk over every element finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.npu.cost.stretches import part_stretches, permuted_stretches, stretches
from lite_delegate.npu.device.instructions.dma import Dma
from lite_delegate.npu.device.instructions.gathering import GatherAlong, Take
from lite_delegate.npu.device.instructions.movement import Concatenate, Permute
from lite_delegate.npu.device.instructions.padding import Pad
from lite_delegate.npu.device.instructions.repetition import Broadcast
from lite_delegate.npu.device.instructions.slicing import Slice


def walked(moved: np.ndarray) -> int:
    """``moved`` holds, for each place of the destination, the place in the source: stretches that run together."""
    places = moved.reshape(-1)
    return 1 + int((np.diff(places) != 1).sum()) if places.size else 0


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@settings(deadline=None)
@given(shapes, st.randoms(use_true_random=False))
def test_a_permutation_never_counts_fewer_stretches_than_there_are(shape, random):
    axes = list(range(len(shape)))
    random.shuffle(axes)
    counted = permuted_stretches(shape, tuple(axes))
    assert counted == stretches(Permute(tuple(axes)), [shape], ())
    assert counted >= walked(numbered(shape).transpose(axes))
    assert counted <= np.prod(shape)


@pytest.mark.parametrize(
    ("shape", "axes", "want"),
    [
        ((1, 4, 4, 3), (0, 3, 1, 2), 48),
        ((1, 3, 4, 5), (0, 2, 1, 3), 12),
        ((1, 4, 4, 1), (0, 3, 1, 2), 1),
        ((2, 3, 4), (1, 0, 2), 6),
        ((2, 3, 4), (0, 1, 2), 1),
        ((), (), 1),
    ],
)
def test_a_permutation_keeps_trailing_axes_together(shape, axes, want):
    assert permuted_stretches(shape, axes) == want
    if shape:
        assert want == walked(numbered(shape).transpose(axes))


@settings(deadline=None)
@given(shapes, st.data())
def test_a_slice_is_made_of_the_stretches_that_a_walk_finds_at_most(shape, data):
    strides = tuple(data.draw(st.integers(1, 2)) for _ in shape)
    counts = tuple(data.draw(st.integers(1, -(-n // s))) for n, s in zip(shape, strides, strict=True))
    grid = tuple(slice(0, (c - 1) * s + 1, s) for c, s in zip(counts, strides, strict=True))
    cut = numbered(shape)[grid]
    counted = stretches(Slice(tuple(0 for _ in shape), counts, strides), [shape], counts)
    assert walked(cut) <= counted <= cut.size


def test_a_slice_keeps_the_outermost_axis_that_it_cuts():
    whole = (2, 6, 5)
    assert stretches(Slice((0, 1, 0), (2, 3, 5), (1, 1, 1)), [whole], (2, 3, 5)) == 2
    assert stretches(Slice((0, 0, 1), (2, 6, 3), (1, 1, 1)), [whole], (2, 6, 3)) == 12
    assert stretches(Slice((0, 0, 0), (2, 3, 5), (1, 2, 1)), [whole], (2, 3, 5)) == 6
    assert stretches(Slice((0, 0, 0), whole, (1, 1, 1)), [whole], whole) == 1


def test_other_instructions_move_what_lies_behind_their_axis():
    x = (2, 3, 4)
    assert stretches(Concatenate(0), [x, x], (4, 3, 4)) == 2
    assert stretches(Concatenate(1), [x, x, x], (2, 9, 4)) == 6
    assert stretches(Take(1, (2, 0)), [x], (2, 2, 4)) == 4
    assert stretches(GatherAlong(2), [x, (5,)], (2, 3, 5)) == 30
    assert stretches(Pad((0, 0, 1), (0, 0, 1)), [x], (2, 3, 6)) == 6
    assert stretches(Broadcast((5, 4)), [(1, 4)], (5, 4)) == 5
    assert stretches(Broadcast((5, 4)), [(5, 1)], (5, 4)) == 20
    assert stretches(Dma(), [x], x) == 1


@pytest.mark.parametrize(
    ("part", "whole", "want"),
    [((2, 3, 4), (2, 3, 4), 1), ((1, 3, 4), (2, 3, 4), 1), ((2, 2, 4), (2, 3, 4), 2), ((2, 3, 1), (2, 3, 4), 6)],
)
def test_a_part_is_cut_into_lines_of_the_whole(part, whole, want):
    assert part_stretches(part, whole) == want
    assert want == walked(numbered(whole)[tuple(slice(0, n) for n in part)])
