"""Movements and their forms against numpy, which does the same step by step."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate.delegate import DelegateLimits
from lite_delegate.passes.limits.forms import Permuted, Reshaped, Sliced, forms_of
from lite_delegate.passes.limits.movement import Movement
from lite_delegate.passes.limits.routes import route

LAYOUTS = ((0, 2, 3, 1), (0, 3, 1, 2))
LIMITS = [
    DelegateLimits(),
    DelegateLimits(max_rank=4),
    DelegateLimits(max_rank=3),
    DelegateLimits(max_rank=4, permutations=LAYOUTS),
]


def run(form, x):
    for step in form:
        match step:
            case Reshaped(shape):
                x = x.reshape(shape)
            case Sliced(begin, size):
                x = x[tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))]
            case Permuted(axes):
                x = x.transpose(axes)
    return x


def check_forms(movement, x, expected):
    for limits in LIMITS:
        for form in forms_of(movement, limits):
            np.testing.assert_array_equal(run(form, x), expected, err_msg=str(form))
            for before, step in zip([Reshaped(movement.root), *form], form, strict=False):
                if isinstance(step, Permuted):
                    assert limits.allows(step.axes)
                if isinstance(before, Reshaped) and not isinstance(step, Reshaped) and before.shape != movement.root:
                    assert limits.allows_rank(len(before.shape))


@st.composite
def shape_of(draw, size):
    """Some shape of as many elements."""
    shape = []
    while size > 1:
        divisors = [d for d in range(2, size + 1) if size % d == 0]
        shape.append(draw(st.sampled_from(divisors)))
        size //= shape[-1]
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return tuple(shape)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_chains_are_what_numpy_makes_of_them(data):
    """Random reshapes, transposes and slices in a row; every form within every limit gives the same elements."""
    shape = data.draw(shape_of(data.draw(st.sampled_from([1, 6, 12, 24, 60, 72, 120]))))
    x = expected = np.arange(prod(shape)).reshape(shape)
    movement: Movement | None
    movement, after = Movement.of(shape), None
    for _ in range(data.draw(st.integers(1, 5))):
        kind = data.draw(st.sampled_from(["reshape", "transpose", "slice"]))
        if kind == "reshape":
            new = data.draw(shape_of(expected.size))
            after, expected = movement.reshaped(new), expected.reshape(new)
        elif kind == "transpose":
            axes = tuple(data.draw(st.permutations(range(expected.ndim))))
            after = movement.transposed(axes)
            expected = expected.transpose(axes) if after is not None else expected
        elif expected.ndim:
            axis = data.draw(st.integers(0, expected.ndim - 1))
            start = data.draw(st.integers(0, expected.shape[axis] - 1))
            stop = data.draw(st.integers(start + 1, expected.shape[axis]))
            after = movement.sliced(axis, start, stop)
            if after is not None:
                expected = expected[(slice(None),) * axis + (slice(start, stop),)]
        else:
            continue
        movement = movement if after is None else after
    assert movement.shape == expected.shape
    check_forms(movement, x, expected)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=6), st.data())
def test_one_transpose_always_has_a_form_of_four_axes(shape, data):
    """A transpose of up to six axes that all move on their own comes to at most three of four axes."""
    axes = tuple(data.draw(st.permutations(range(len(shape)))))
    x = np.arange(prod(shape)).reshape(shape)
    movement = Movement.of(shape).transposed(axes)
    assert movement is not None
    check_forms(movement, x, x.transpose(axes))
    forms = forms_of(movement, DelegateLimits(max_rank=4))
    assert forms
    assert sum(isinstance(step, Permuted) for step in forms[0]) <= 3


def chain(shape, *steps):
    """The movement of steps by name, which all have one."""
    made = Movement.of(shape)
    for name, *arguments in steps:
        made = getattr(made, name)(*arguments)
        assert made is not None
    return made


def test_equal_chains_are_equal_movements():
    assert chain((2, 3, 4), ("transposed", (2, 0, 1)), ("transposed", (1, 2, 0))) == Movement.of((2, 3, 4))
    assert chain((6, 4), ("reshaped", (2, 3, 4)), ("reshaped", (6, 4))) == Movement.of((6, 4))


def test_moves_nothing():
    assert chain((2, 1, 3), ("transposed", (1, 0, 2))).moves_nothing
    assert not chain((2, 1, 3), ("transposed", (2, 1, 0))).moves_nothing
    assert not chain((2, 3), ("sliced", 0, 0, 1)).moves_nothing


def test_what_factors_cannot_say_is_none():
    crossed = chain((2, 3), ("transposed", (1, 0)), ("reshaped", (2, 3)))
    assert crossed.transposed((1, 0)) is None
    assert crossed.sliced(1, 0, 2) is None


def test_query_of_a_projection_is_a_slice_and_a_transpose_of_four_axes():
    """[1, 7, 3, 2, 4] -> (2, 0, 3, 1, 4) -> index 1, as ViT has it."""
    split = ("reshaped", (1, 7, 3, 2, 4)), ("transposed", (2, 0, 3, 1, 4)), ("sliced", 0, 1, 2)
    movement = chain((1, 7, 24), *split, ("reshaped", (1, 2, 7, 4)))
    form = forms_of(movement, DelegateLimits(max_rank=4))[0]
    assert form == (Sliced((0, 0, 8), (1, 7, 8)), Reshaped((1, 7, 2, 4)), Permuted((0, 2, 1, 3)))


def test_channel_shuffle_is_one_transpose_of_few_axes():
    shuffle = ("reshaped", (5, 5, 1, 2, 4)), ("transposed", (0, 1, 2, 4, 3)), ("reshaped", (1, 5, 5, 8))
    movement = chain((5, 5, 8), *shuffle)
    form = forms_of(movement, DelegateLimits(max_rank=4))[0]
    assert form == (Reshaped((25, 2, 4)), Permuted((0, 2, 1)), Reshaped((1, 5, 5, 8)))


def test_pixel_shuffle_is_two_transposes():
    shuffle = ("reshaped", (1, 3, 2, 2, 5, 7)), ("transposed", (0, 1, 4, 2, 5, 3)), ("reshaped", (1, 3, 10, 14))
    forms = forms_of(chain((1, 12, 5, 7), *shuffle), DelegateLimits(max_rank=4))
    assert [sum(isinstance(step, Permuted) for step in form) for form in forms] == [2]


@pytest.mark.parametrize("axes", [axes for axes in permutations(range(4)) if axes != (0, 1, 2, 3)])
def test_two_layout_permutations_come_to_every_one_of_four_factors(axes):
    legs = route(axes, LIMITS[3])
    assert legs is not None
    assert all(leg.axes in LAYOUTS for leg in legs)
