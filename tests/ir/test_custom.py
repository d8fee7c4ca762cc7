"""Attributes of Custom nodes as blobs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.ir import custom_attributes, custom_primitive, custom_type, make_primitive
from lite_delegate.ir.custom import decoded, encoded, imported_as_custom


@pytest.mark.parametrize("value", [0, -3, 0.1, float("inf"), "fünf", "", [], [1, 2], [0.5, -1.0], ["a", "b"], True])
def test_values_come_back(value: Any) -> None:
    found = decoded(encoded(value))
    assert found == value
    assert type(found) is type(value)


def test_numbers_of_numpy_come_back_as_numbers() -> None:
    assert decoded(encoded([np.int64(3), np.float32(0.5)])) == [3, 0.5]


@pytest.mark.parametrize("array", [np.arange(6).reshape(2, 3), np.array([1.5], np.float16), np.zeros((0, 2), np.bool_)])
def test_arrays_come_back(array: Any) -> None:
    found = decoded(encoded(array))
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize(
    "blob",
    [
        *(b"", b"1", b"json:", b"json:{", b"json:\xff", b"json:" + b"[" * 9**5),
        *(b"npy:", b"npy:\x93NUMPY", encoded(np.arange(9))[:-8]),
    ],
)
def test_blobs_that_say_nothing_stay_bytes(blob: bytes) -> None:
    assert decoded(blob) == blob


def test_objects_are_not_unpickled() -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        encoded(np.array([print]))


def test_a_primitive_has_its_type_and_attributes() -> None:
    made = custom_primitive("com.acme.Blend", {"alpha": 0.5, "raw": b"\0\1"})
    assert (made.op_type, custom_type(made)) == ("Custom", "com.acme.Blend")
    assert custom_attributes(made) == {"alpha": 0.5, "raw": b"\0\1"}
    assert custom_type(make_primitive("Abs")) == "Abs"
    assert custom_type(make_primitive("Custom")) == ""


def test_why_it_is_custom() -> None:
    made = custom_primitive("com.acme.Blend", {"@version": 4, "@reason": "OPERATOR: none"})
    assert imported_as_custom(made) == "it stands for com.acme.Blend (version 4), OPERATOR: none"
    assert imported_as_custom(custom_primitive("Blend", {})) == imported_as_custom(make_primitive("Abs")) == ""
