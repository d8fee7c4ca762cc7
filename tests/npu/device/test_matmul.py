import numpy as np
import pytest

from lite_delegate.npu.device.instructions.functions import RELU, RELU6
from lite_delegate.npu.device.instructions.matmul import MatMul
from lite_delegate.npu.device.programs.instruction import narrow
from tests.npu import loops
from tests.npu.graphs import half


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize(("m", "k", "n"), [(3, 5, 4), (1, 1, 1), (1, 300, 2), (7, 1, 3)])
def test_matmul_is_the_sum_of_products(transpose_a, transpose_b, m, k, n):
    a, b, bias = half((m, k), 0), half((k, n), 1), half((n,), 2)
    operands = [a.T.copy() if transpose_a else a, b.T.copy() if transpose_b else b, bias]
    got = narrow(MatMul(transpose_a, transpose_b).run(operands)).astype(np.float64)
    want = loops.matmul(a, b) + bias.astype(np.float64)
    sizes = loops.matmul(np.abs(a), np.abs(b)) + np.abs(bias).astype(np.float64)
    assert (np.abs(got - want) <= 2.0**-11 * np.abs(want) + 2.0**-25 + 1.01 * (k + 1) * 2.0**-24 * sizes).all()


def test_leading_axes_broadcast():
    a, b = half((2, 1, 3, 4), 3), half((5, 4, 2), 4)
    got = narrow(MatMul().run([a, b])).astype(np.float64)
    assert got.shape == (2, 5, 3, 2)
    for i, j in np.ndindex(2, 5):
        np.testing.assert_allclose(got[i, j], loops.matmul(a[i, 0], b[j]), rtol=2.0**-10, atol=2.0**-14)


def test_bias_comes_before_the_activation():
    a, b = np.array([[1.0, 1.0]], np.float16), np.array([[2.0, -8.0, 1.0], [2.0, -8.0, 1.0]], np.float16)
    bias = np.array([4.0, 4.0, 1.0], np.float16)
    np.testing.assert_array_equal(MatMul(fused=RELU6).run([a, b, bias]), [[6.0, 0.0, 3.0]])
    np.testing.assert_array_equal(MatMul(fused=RELU).run([a, b, bias]), [[8.0, 0.0, 3.0]])
    np.testing.assert_array_equal(MatMul().run([a, b, bias]), [[8.0, -12.0, 3.0]])
