import math

import numpy as np
import pytest

from lite_delegate.npu.device.instruction import narrow
from lite_delegate.npu.device.reduction import Reduce, Reduction, SoftmaxAlong
from tests.npu.graphs import half


@pytest.mark.parametrize("reduction", Reduction)
@pytest.mark.parametrize("axes", [(0,), (3,), (2, 3), (0, 2), (0, 1, 2, 3)])
def test_reduce_adds_up_each_stretch(reduction, axes):
    x = half((2, 3, 4, 5), 0)
    got = narrow(Reduce(reduction, axes).run([x])).astype(np.float64)
    sums: dict[tuple[int, ...], list[float]] = {}
    for index in np.ndindex(x.shape):
        kept = tuple(0 if a in axes else i for a, i in enumerate(index))
        sums.setdefault(kept, []).append(float(x[index]))
    for kept, terms in sums.items():
        divisor = len(terms) if reduction is Reduction.MEAN else 1
        want, size = math.fsum(terms) / divisor, math.fsum(map(abs, terms)) / divisor
        assert abs(got[kept] - want) <= 2.0**-11 * abs(want) + 2.0**-25 + 1.01 * (len(terms) + 1) * 2.0**-24 * size
    assert got.size == len(sums)


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_softmax_is_the_share_of_exponentials(axis):
    x = half((2, 3, 4, 5), 1) * np.float16(3)
    got = np.moveaxis(narrow(SoftmaxAlong(axis).run([x])), axis, -1).reshape(-1, x.shape[axis])
    for row, result in zip(np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis]), got, strict=True):
        exponentials = [math.exp(float(v)) for v in row]
        for value, share in zip(exponentials, result, strict=True):
            want = value / math.fsum(exponentials)
            assert abs(float(share) - want) <= (2.0**-11 + 2.0**-19) * want + 2.0**-25


def test_softmax_of_large_numbers_does_not_overflow():
    x = np.array([60000.0, 60000.0, -60000.0], np.float16)
    np.testing.assert_array_equal(narrow(SoftmaxAlong(0).run([x])), [0.5, 0.5, 0.0])
