"""Activation: errors and inference."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError
from lite_delegate_kernels.op_activation import KERNEL as ACTIVATION
from lite_delegate_kernels.op_activation import activation

from lite_delegate.ir.types.enums import ActivationType

F32 = np.dtype("float32")
NAMES = [member.name for member in ActivationType if member.name != "UNKNOWN"]


@pytest.mark.parametrize("name", NAMES)
def test_every_type_of_the_schema_keeps_shape_and_dtype(name: str) -> None:
    spec = ACTIVATION.infer(ArraySpec(F32, (-1, 3)), activation_type=name, max_val=1.0)
    assert (spec.dtype, spec.shape) == (F32, (-1, 3))
    assert ACTIVATION.infer(ArraySpec(F32, None), activation_type=name, max_val=1.0).shape is None
    for shape in ((), (2, 3)):
        y = activation(np.zeros(shape, dtype=np.float16), activation_type=name, max_val=1.0)
        assert isinstance(y, np.ndarray)
        assert (y.dtype.name, y.shape) == ("float16", shape)


@pytest.mark.parametrize("name", ["UNKNOWN", "MISH"])
def test_unknown_types_are_rejected(name: str) -> None:
    with pytest.raises(KernelInputError, match=f"activation_type must be one of NO_ACTIVATION, .*got {name}"):
        ACTIVATION.infer(ArraySpec(F32, (1,)), activation_type=name)


@pytest.mark.parametrize("name", ["SIGMOID", "TANH", "HSWISH", "GELU", "HARD_TANH", "ELU", "LEAKY_RELU"])
def test_fractional_types_are_rejected_on_integers(name: str) -> None:
    with pytest.raises(KernelInputError, match="must be one of float32, float16, float64, got int32"):
        ACTIVATION.infer(ArraySpec(np.dtype("int32"), (1,)), activation_type=name, max_val=1.0)


def test_unsigned_integers_are_rejected() -> None:
    with pytest.raises(KernelInputError, match="got uint8"):
        ACTIVATION.infer(ArraySpec(np.dtype("uint8"), (1,)), activation_type="RELU")


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (1.0, -1.0), (0.0, 0.0)])
def test_hard_tanh_without_a_range_is_rejected(low: float, high: float) -> None:
    with pytest.raises(KernelInputError, match=f"min_val < max_val, got min_val {low} and max_val {high}"):
        ACTIVATION.infer(ArraySpec(F32, (1,)), activation_type="HARD_TANH", min_val=low, max_val=high)
