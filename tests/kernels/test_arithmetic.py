"""Two-input arithmetic: errors and unknown dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS, ArraySpec, KernelInputError, KernelRegistry, ReferenceKernel

F32, I32 = np.dtype("float32"), np.dtype("int32")
FUSED = ("AddFusion", "SubFusion", "MulFusion", "DivFusion")
BINARY = (*FUSED, "Maximum", "Minimum", "Eltwise")


def _kernel(op_type: str) -> ReferenceKernel:
    kernel = KernelRegistry(ALL_KERNELS).find(op_type)
    assert kernel is not None
    return kernel


def _infer(op_type: str, a: ArraySpec, b: ArraySpec, **attributes: str) -> ArraySpec:
    spec = _kernel(op_type).infer(a, b, **attributes)
    assert isinstance(spec, ArraySpec)
    return spec


@pytest.mark.parametrize("op_type", BINARY)
def test_unknown_dims_are_inferred(op_type: str) -> None:
    spec = _infer(op_type, ArraySpec(F32, (-1, 3, -1)), ArraySpec(F32, (5,)))
    assert (spec.dtype, spec.shape, spec.value) == (F32, (-1, 3, 5), None)
    assert _infer(op_type, ArraySpec(F32, None), ArraySpec(F32, (5,))).shape is None


@pytest.mark.parametrize("op_type", BINARY)
def test_mixed_dtypes_are_rejected(op_type: str) -> None:
    with pytest.raises(KernelInputError, match="one dtype, got float32, int32"):
        _infer(op_type, ArraySpec(F32, (2,)), ArraySpec(I32, (2,)))


@pytest.mark.parametrize("op_type", BINARY)
def test_other_dtypes_are_rejected(op_type: str) -> None:
    flags = ArraySpec(np.dtype("bool"), (2,))
    with pytest.raises(KernelInputError, match=r"input 0 must be one of float32, .*, got bool"):
        _infer(op_type, flags, flags)


@pytest.mark.parametrize("op_type", BINARY)
def test_shapes_that_do_not_broadcast_are_rejected(op_type: str) -> None:
    with pytest.raises(KernelInputError, match=r"shapes \(2, 3\), \(4,\) cannot be broadcast"):
        _infer(op_type, ArraySpec(F32, (2, 3)), ArraySpec(F32, (4,)))


@pytest.mark.parametrize("op_type", FUSED)
@pytest.mark.parametrize("activation", ["SIGMOID", "LEAKY_RELU", "UNKNOWN"])
def test_activations_that_cannot_be_fused_are_rejected(op_type: str, activation: str) -> None:
    a = ArraySpec(F32, (2,))
    with pytest.raises(KernelInputError, match=f"NO_ACTIVATION, RELU, RELU6 .*got {activation}"):
        _infer(op_type, a, a, activation_type=activation)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "int64"])
def test_integer_division_by_zero_is_rejected(dtype: str) -> None:
    a, b = np.array([4, 4], dtype=dtype), np.array([2, 0], dtype=dtype)
    with pytest.raises(KernelInputError, match="integer division by zero"):
        _kernel("DivFusion").run(a, b)


def test_the_smallest_integer_over_minus_1_wraps() -> None:
    a, b = np.array([-128], dtype=np.int8), np.array([-1], dtype=np.int8)
    np.testing.assert_array_equal(_kernel("DivFusion").run(a, b), np.array([-128], dtype=np.int8))


def test_eltwise_takes_two_inputs_and_a_known_mode() -> None:
    x = ArraySpec(F32, (2,))
    for xs in ((x,), (x, x, x)):
        with pytest.raises(KernelInputError, match=f"exactly 2 inputs expected, got {len(xs)}"):
            _kernel("Eltwise").infer(*xs, mode="SUM")
    with pytest.raises(KernelInputError, match="mode must be one of PROD, SUM, MAXIMUM, got UNKNOWN"):
        _infer("Eltwise", x, x, mode="UNKNOWN")


def test_rank_0_gives_an_array_not_a_scalar() -> None:
    a = np.array(2, dtype=np.float32)
    for op_type in BINARY:
        assert isinstance(_kernel(op_type).run(a, a), np.ndarray)
    for activation in ("RELU", "RELU6"):
        assert isinstance(_kernel("AddFusion").run(a, a, activation_type=activation), np.ndarray)
