from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.npu.device.instructions.functions import RELU
from lite_delegate.npu.device.instructions.length import NormalizeLength
from lite_delegate.npu.device.instructions.local_response import LocalResponse
from lite_delegate.npu.device.instructions.moments import NormalizeMoments
from lite_delegate.npu.device.programs.instruction import narrow
from tests.npu.device.reordering import permuted
from tests.npu.graphs import half


def groups(x, axes):
    """Positions that share their index along all axes but ``axes``, as lists."""
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for index in np.ndindex(x.shape):
        found.setdefault(tuple(0 if a in axes else i for a, i in enumerate(index)), []).append(index)
    return found.values()


def close(got, want, size):
    """One rounding to float16, and some in float32 of numbers of that size."""
    return abs(got - want) <= 2.0**-11 * abs(want) + 2.0**-25 + 2.0**-18 * size


@pytest.mark.parametrize("axes", [(3,), (1, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("affine", [True, False])
def test_moments_of_each_group(axes, affine):
    x, scale, shift = half((2, 3, 4, 5), 1), half((1, 3, 1, 1), 2), half((1, 1, 1, 5), 3)
    operands = [x, scale, shift] if affine else [x]
    got = narrow(NormalizeMoments(axes, 0.01).run(operands)).astype(np.float64)
    for indices in groups(x, axes):
        values = [float(x[i]) for i in indices]
        mean = math.fsum(values) / len(values)
        variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
        for index, value in zip(indices, values, strict=True):
            want = (value - mean) / math.sqrt(variance + 0.01)
            if affine:
                want = want * float(scale[0, index[1], 0, 0]) + float(shift[0, 0, 0, index[3]])
            assert close(got[index], want, 10)


def test_moments_keep_the_precision_of_a_large_mean():
    x = np.array([1000.0, 1001.0, 1002.0, 1003.0], np.float16)
    got = narrow(NormalizeMoments((0,), 0.0).run([x]))
    np.testing.assert_allclose(got, np.array([-1.5, -0.5, 0.5, 1.5]) / math.sqrt(1.25), rtol=2.0**-11)


@pytest.mark.parametrize("axes", [(3,), (1, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("least", [1e-6, 4.0])
def test_length_of_each_group(axes, least):
    x = half((2, 3, 4, 5), 1)
    got = narrow(NormalizeLength(axes, least).run([x])).astype(np.float64)
    for indices in groups(x, axes):
        length = math.sqrt(max(math.fsum(float(x[i]) ** 2 for i in indices), least))
        for index in indices:
            assert close(got[index], float(x[index]) / length, 1)


def test_length_is_followed_by_the_activation():
    x = np.array([3.0, -4.0], np.float16)
    np.testing.assert_allclose(NormalizeLength((0,), 1e-6, RELU).run([x]), [0.6, 0.0], rtol=1e-6)
    np.testing.assert_array_equal(NormalizeLength((0,), 4.0).run([np.zeros(2, np.float16)]), [0.0, 0.0])


@pytest.mark.parametrize("axis", [0, 1, 3])
@pytest.mark.parametrize("radius", [0, 1, 2, 9])
def test_local_response_of_each_element(axis, radius):
    x = half((2, 3, 4, 5), 1)
    got = narrow(LocalResponse(axis, radius, 1.5, 0.3, 0.75).run([x])).astype(np.float64)
    for index in np.ndindex(x.shape):
        total = 0.0
        for place in range(max(0, index[axis] - radius), min(x.shape[axis], index[axis] + radius + 1)):
            total += float(x[(*index[:axis], place, *index[axis + 1 :])]) ** 2
        assert close(got[index], float(x[index]) * (1.5 + 0.3 * total) ** -0.75, 1)


@given(permuted(), st.data())
def test_after_a_permutation(operand, data):
    x, axes = operand
    rank = len(axes)
    chosen = tuple(sorted(data.draw(st.sets(st.integers(0, rank - 1), min_size=1))))
    axis = data.draw(st.integers(0, rank - 1))
    for instruction in (
        NormalizeMoments(chosen, 0.01),
        NormalizeLength(chosen, 0.01, RELU),
        LocalResponse(axis, 1, 1.0, 0.5, 0.75),
    ):
        other = instruction.reordered(axes)
        before, after = instruction.run([x.transpose(axes)]), other.run([x]).transpose(axes)
        np.testing.assert_allclose(before, after, rtol=1e-4, atol=1e-4)  # sums in another order


def test_work_counts_passes():
    assert NormalizeMoments((1,), 0.0).work([(2, 5)], (2, 5)).vector == 40
    assert NormalizeLength((1,), 0.0).work([(2, 5)], (2, 5)).vector == 20
    assert LocalResponse(1, 2, 1.0, 1.0, 1.0).work([(2, 5)], (2, 5)).vector == 80
    assert LocalResponse(1, 9, 1.0, 1.0, 1.0).work([(2, 5)], (2, 5)).vector == 120
