"""Cast: errors and inference."""

from __future__ import annotations

import numpy as np
import pytest
from lite_delegate_kernels import Array, ArraySpec, KernelInputError, spec_of
from lite_delegate_kernels.op_cast import KERNEL as CAST
from lite_delegate_kernels.op_cast import cast

X = ArraySpec(np.dtype("float32"), (-1, 3))
INT64 = np.array(35, dtype=np.int32)


def test_unknown_dims_stay_and_the_dtype_is_the_named_one() -> None:
    spec = CAST.infer(X, spec_of(INT64))
    assert (spec.dtype, spec.shape, spec.value) == (np.dtype("int64"), (-1, 3), None)
    assert CAST.infer(ArraySpec(X.dtype, None), spec_of(INT64)).shape is None


def test_a_type_id_that_is_not_constant_is_rejected() -> None:
    with pytest.raises(KernelInputError, match=r"input 1 \(the type id to cast to\) must be a constant"):
        CAST.infer(X, ArraySpec(np.dtype("int32"), ()))


@pytest.mark.parametrize(
    ("type_id", "message"),
    [
        (np.array([43, 43], dtype=np.int32), r"must be one integer, got int32 of shape \(2,\)"),
        (np.array(43, dtype=np.float32), r"must be one integer, got float32 of shape \(\)"),
        (np.array(46, dtype=np.int32), "type id 46 names no type"),
        (np.array(12, dtype=np.int32), "type id 12 names no type"),
    ],
)
def test_other_type_ids_are_rejected(type_id: Array, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        CAST.infer(X, spec_of(type_id))
    with pytest.raises(KernelInputError, match=message):
        cast(np.zeros(1, dtype=np.float32), type_id)


def test_other_dtypes_are_rejected() -> None:
    with pytest.raises(KernelInputError, match=r"input 0 must be one of bool, float32, .*got complex64"):
        CAST.infer(ArraySpec(np.dtype("complex64"), (1,)), spec_of(INT64))
