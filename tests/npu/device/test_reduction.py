import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.reduction import Reduce, ReductionFunction, SoftmaxAlong
from lite_delegate.npu.device.programs.instruction import narrow
from tests.npu.device.reordering import assert_follows, permuted
from tests.npu.graphs import half


def stretches(x, axes):
    """For each element of the result its index and the elements that it stands for."""
    found: dict[tuple[int, ...], list[float]] = {}
    for index in np.ndindex(x.shape):
        kept = tuple(0 if a in axes else i for a, i in enumerate(index))
        found.setdefault(kept, []).append(x[index].item())
    return found


def mean(values):
    return math.fsum(values) / len(values)


SCALAR: dict[ReductionFunction, Callable[[list[float]], float]] = {
    ReductionFunction.ABS_SUM: lambda values: math.fsum(map(abs, values)),
    ReductionFunction.L2: lambda values: math.sqrt(math.fsum(v * v for v in values)),
    ReductionFunction.MAX: max,
    ReductionFunction.MEAN: mean,
    ReductionFunction.MIN: min,
    ReductionFunction.PROD: math.prod,
    ReductionFunction.SUM: math.fsum,
    ReductionFunction.SUM_SQUARE: lambda values: math.fsum(v * v for v in values),
    ReductionFunction.VARIANCE: lambda values: mean([(v - mean(values)) ** 2 for v in values]),
}
AXES = [(0,), (3,), (2, 3), (0, 2), (0, 1, 2, 3)]


def test_every_reduction_has_a_scalar_loop():
    assert {*SCALAR, ReductionFunction.ALL} == set(ReductionFunction)


@pytest.mark.parametrize("reduction", SCALAR)
@pytest.mark.parametrize("axes", AXES)
def test_reduce_each_stretch(reduction, axes):
    x = half((2, 3, 4, 5), 0)
    got = narrow(Reduce(reduction, axes).run([x])).astype(np.float64)
    expected = stretches(x, axes)
    for kept, terms in expected.items():
        want = SCALAR[reduction](terms)
        size = abs(want) if reduction is ReductionFunction.PROD else math.fsum(max(abs(t), t * t) for t in terms)
        if reduction in (ReductionFunction.MEAN, ReductionFunction.VARIANCE):
            size /= len(terms)
        assert abs(got[kept] - want) <= 2.0**-11 * abs(want) + 2.0**-25 + 1.01 * (len(terms) + 4) * 2.0**-23 * size
    assert got.size == len(expected)


def wrapped(number):
    """A whole number as int32 arithmetic keeps it."""
    return (number + 2**31) % 2**32 - 2**31


OF_INTEGERS: dict[ReductionFunction, Callable[[list[int]], int]] = {
    ReductionFunction.ABS_SUM: lambda values: wrapped(sum(abs(v) for v in values)),
    ReductionFunction.MAX: max,
    ReductionFunction.MEAN: lambda values: int(
        math.copysign(abs(wrapped(sum(values))) // len(values), wrapped(sum(values)))
    ),
    ReductionFunction.MIN: min,
    ReductionFunction.PROD: lambda values: wrapped(math.prod(values)),
    ReductionFunction.SUM: lambda values: wrapped(sum(values)),
    ReductionFunction.SUM_SQUARE: lambda values: wrapped(sum(v * v for v in values)),
}


@pytest.mark.parametrize("reduction", OF_INTEGERS)
@pytest.mark.parametrize("axes", AXES)
def test_reduce_of_integers_is_exact_and_wraps(reduction, axes):
    x = np.random.default_rng(5).integers(-(2**31), 2**31, (2, 3, 4, 5)).astype(np.int32)
    with np.errstate(all="ignore"):
        got = Reduce(reduction, axes).run([x])
    assert got.dtype == np.int32
    for kept, terms in stretches(x, axes).items():
        assert got[kept] == OF_INTEGERS[reduction](terms)


def test_mean_of_integers_drops_the_fraction():
    x = np.array([[-1, -2], [1, 2], [-3, 0]], np.int32)
    assert Reduce(ReductionFunction.MEAN, (1,)).run([x]).tolist() == [[-1], [1], [-1]]


def test_reduce_of_truth():
    x = np.array([[True, True], [True, False]])
    got = Reduce(ReductionFunction.ALL, (1,)).run([x])
    assert got.dtype == np.bool_
    assert got.tolist() == [[True], [False]]


def test_factor_multiplies_the_result():
    x = np.array([[1, 2], [3, 4]], np.float16)
    assert Reduce(ReductionFunction.SUM, (1,), 0.5).run([x]).tolist() == [[1.5], [3.5]]


@given(permuted(), st.sampled_from(sorted(SCALAR)), st.data())
def test_reduce_after_a_permutation(operand, reduction, data):
    x, axes = operand
    chosen = data.draw(st.sets(st.integers(0, len(axes) - 1), min_size=1))
    instruction = Reduce(reduction, tuple(sorted(chosen)), 1.0 if reduction in OF_INTEGERS else 0.5)
    if reduction in OF_INTEGERS:
        return assert_follows(instruction, np.rint(x * 4).astype(np.int32), axes)
    other = instruction.reordered(axes)
    before, after = instruction.run([x.transpose(axes)]), other.run([x]).transpose(axes)
    return np.testing.assert_allclose(before, after, rtol=1e-4, atol=1e-6)  # sums in another order


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
