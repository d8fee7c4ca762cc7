from itertools import permutations

import numpy as np
import pytest

from lite_delegate.passes.transposes.groups import across, groups_of


@pytest.mark.parametrize(
    ("source", "target", "groups"),
    [
        ((2, 3, 4), (6, 4), (((0, 1), (0,)), ((2,), (1,)))),
        ((6, 4), (2, 3, 4), (((0,), (0, 1)), ((1,), (2,)))),
        ((2, 1, 3), (1, 2, 3, 1), (((0,), (1,)), ((2,), (2,)))),
        ((4, 6), (8, 3), (((0, 1), (0, 1)),)),
        ((2, 2, 9), (4, 3, 3), (((0, 1), (0,)), ((2,), (1, 2)))),
        ((1, 1), (1,), ()),
    ],
)
def test_groups_hold_the_same_elements(source, target, groups):
    assert groups_of(source, target) == groups


@pytest.mark.parametrize(
    ("source", "target"), [((2, 3, 4), (6, 4)), ((2, 12), (2, 1, 3, 4)), ((1, 4, 1, 6), (2, 2, 6)), ((2, 1, 5), (2, 5))]
)
def test_a_permutation_crosses_exactly_when_the_elements_allow_it(source, target):
    numbers = np.arange(np.prod(source)).reshape(source)
    for axes in permutations(range(len(source))):
        flat = numbers.transpose(axes).ravel()
        same = [
            p for p in permutations(range(len(target))) if (numbers.reshape(target).transpose(p).ravel() == flat).all()
        ]
        result = across(axes, groups_of(source, target), target)
        assert result in same if same else result is None


@pytest.mark.parametrize(
    ("shape", "order", "axes"),
    [
        ((1, 2, 3), (1, 0), (2, 0, 1)),
        ((2, 1, 3), (0, 1), (0, 1, 2)),
        ((2, 3, 1), (1, 0), (1, 0, 2)),
        ((1, 1), (), (0, 1)),
    ],
)
def test_axes_of_one_element_come_before_what_they_are_before(shape, order, axes):
    squeezed = tuple(size for size in shape if size != 1)
    assert across(order, groups_of(squeezed, shape), shape) == axes
