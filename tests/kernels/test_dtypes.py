"""Type ids, and the checks that name the dtypes a kernel takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import STRING_DTYPE, ArraySpec, KernelInputError
from lite_delegate_kernels._dtypes import check_same_dtype, dtype_of_type_id, widen


@pytest.mark.parametrize(
    ("number", "name"),
    [
        *((30, "bool"), (31, "int32"), (32, "int8"), (33, "int16"), (34, "int32"), (35, "int64"), (36, "uint32")),
        *((37, "uint8"), (38, "uint16"), (39, "uint32"), (40, "uint64"), (41, "float32"), (42, "float16")),
        *((43, "float32"), (44, "float64")),
    ],
)
def test_ids_are_those_of_the_file_format(number: int, name: str) -> None:
    assert dtype_of_type_id(number) == np.dtype(name)


@pytest.mark.parametrize("number", [0, 12, 46, -1])
def test_an_id_without_a_dtype_is_rejected(number: int) -> None:
    with pytest.raises(KernelInputError, match=f"type id {number} names no type .* 43 \\(float32\\)"):
        dtype_of_type_id(number)


def test_mixed_dtypes_are_rejected_by_name() -> None:
    half, single = ArraySpec(np.dtype("float16"), (1,)), ArraySpec(np.dtype("float32"), (1,))
    check_same_dtype(half, None, half)
    with pytest.raises(KernelInputError, match="one dtype, got float16, float32"):
        check_same_dtype(half, None, single)


def test_only_float16_is_widened() -> None:
    assert widen(np.zeros(1, dtype=np.float16)).dtype == np.float32
    for name in ("float32", "float64", "int8", "bool"):
        assert widen(np.zeros(1, dtype=name)).dtype == np.dtype(name)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", "u1", "i1", "<i8", "?", STRING_DTYPE], ids=str)
def test_the_name_of_a_specs_dtype_is_that_of_numpy(dtype: Any) -> None:
    for _ in range(2):
        assert ArraySpec(np.dtype(dtype), None).dtype_name == np.dtype(dtype).name
