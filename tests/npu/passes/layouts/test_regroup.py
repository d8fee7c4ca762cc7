from itertools import permutations

import numpy as np
import pytest

from lite_delegate.npu.passes.layouts.regroup import regrouping, signature

SHAPES = [
    ((2, 3, 4), (6, 4)),
    ((2, 3, 4), (2, 12)),
    ((2, 12), (2, 1, 3, 4)),
    ((1, 3, 4, 2), (3, 4, 2)),
    ((2, 3), (3, 2)),
    ((2, 1, 5), (2, 5)),
    ((1, 4, 1, 6), (2, 2, 6)),
]


@pytest.mark.parametrize(("source", "target"), SHAPES)
def test_a_permutation_crosses_exactly_when_the_elements_allow_it(source, target):
    numbers = np.arange(np.prod(source)).reshape(source)
    rule = regrouping(source, target)
    for axes in permutations(range(len(source))):
        flat = numbers.transpose(axes).ravel()
        same = [
            p for p in permutations(range(len(target))) if (numbers.reshape(target).transpose(p).ravel() == flat).all()
        ]
        result = rule.result(axes)
        assert (result is not None) == bool(same), axes
        if result is not None:
            assert result in same
            back = rule.operand(result)
            assert back is not None
            assert signature(source, back) == signature(source, axes)


def test_nothing_but_the_order_that_it_has_crosses_a_view_without_elements():
    assert regrouping((0, 3), (3, 0)).result((1, 0)) is None
