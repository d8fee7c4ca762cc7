"""Tensor and TensorMeta: the interface of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Literal

import numpy as np
import pytest

from lite_delegate import DataType, Format, InputError, Tensor, TensorMeta


def test_nothing_given() -> None:
    tensor = Tensor()
    assert (tensor.name, tensor.dtype, tensor.shape, tensor.format) == ("", DataType.FLOAT32, [], Format.NCHW)
    assert (tensor.element_num, tensor.data_size, tensor.device) == (1, 4, "None:-1")
    assert tensor.get_data_to_numpy() == 0


def test_devices_come_with_the_public_name_and_are_loaded_when_one_is_asked_for() -> None:
    code = """
import sys
from lite_delegate.tensors.tensor import Tensor as Plain
try:
    Plain(device="npu")
except ValueError as e:
    print(e)
from lite_delegate import Tensor
print(Tensor is Plain, type(Tensor(shape=[1])) is Plain, "lite_delegate.mindspore.device_tensor" in sys.modules)
there = Tensor(shape=[1], device="npu")
print(type(there).__name__, isinstance(there, Plain), there.device)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "device must be None, but got 'npu': only lite_delegate.Tensor has devices.",
        "True True False",
        "DeviceTensor True npu:0",
    ]


def test_from_numpy_copies() -> None:
    array = np.arange(6, dtype=np.int8).reshape(2, 3)
    tensor = Tensor(array)
    array[:] = 0
    assert (tensor.dtype, tensor.shape, tensor.data_size) == (DataType.INT8, [2, 3], 6)
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), [[0, 1, 2], [3, 4, 5]])


def test_from_tensor_copies() -> None:
    first = Tensor(np.ones(3, np.float32))
    first.name, first.format = "first", Format.NHWC
    second = Tensor(first)
    second.get_data_to_numpy()[:] = 2
    assert (second.name, second.format) == ("first", Format.NHWC)
    np.testing.assert_array_equal(first.get_data_to_numpy(), [1, 1, 1])


def test_numpy_view_shares_the_memory() -> None:
    tensor = Tensor(shape=[2], dtype=DataType.INT32)
    tensor.get_data_to_numpy()[0] = 7
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), [7, 0])


@pytest.mark.parametrize("order", ["C", "F"])
def test_set_data_copies_and_keeps_the_shape(order: Literal["C", "F"]) -> None:
    tensor = Tensor(shape=[3, 2], dtype=DataType.FLOAT32)
    array = np.array(np.arange(6).reshape(2, 3), dtype=np.float32, order=order)
    tensor.set_data_from_numpy(array)
    array[:] = 0
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), [[0, 1], [2, 3], [4, 5]])


def test_big_endian_arrays_are_converted() -> None:
    tensor = Tensor(shape=[2], dtype=DataType.INT32)
    tensor.set_data_from_numpy(np.array([1, 2], dtype=">i4"))
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), [1, 2])


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([1, 2], TypeError),
        (np.zeros(2, np.complex64), TypeError),
        (np.zeros(2, np.float64), RuntimeError),
        (np.zeros(3, np.float32), RuntimeError),
    ],
)
def test_set_data_rejects(given: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Tensor(shape=[2], dtype=DataType.FLOAT32).set_data_from_numpy(given)


@pytest.mark.parametrize(
    "arguments",
    [
        {"tensor": [1]},
        {"tensor": np.zeros(2, np.float32), "shape": [3]},
        {"tensor": np.zeros(2, np.float32), "dtype": DataType.INT8},
        {"shape": 3},
        {"shape": ["a"]},
        {"dtype": "float32"},
        {"device": "gpu"},
    ],
)
def test_constructor_rejects(arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="but got"):
        Tensor(**arguments)


@pytest.mark.parametrize(("name", "value"), [("name", 1), ("dtype", 43), ("shape", "ab"), ("format", 0)])
def test_properties_reject_the_wrong_type(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=name):
        setattr(Tensor(), name, value)


def test_new_dtype_or_shape_drops_the_contents() -> None:
    tensor = Tensor(np.ones(4, np.float32))
    tensor.shape = [2, 2]
    assert not tensor.has_data
    tensor.dtype = DataType.INT8
    assert tensor.data_size == 4


def test_unknown_shapes() -> None:
    open_dim = Tensor(shape=[-1, 3], dtype=DataType.FLOAT32)
    open_rank = Tensor.describe("t", DataType.FLOAT32, None)
    assert (open_dim.element_num, open_dim.data_size, open_rank.shape) == (0, 0, [-2])
    assert open_dim.get_data_to_numpy().size == 0
    with pytest.raises(InputError, match=r"the shape \[-1, 3\] is not known"):
        _ = open_dim.data


def test_kernels_set_data_without_a_copy_but_not_another_dtype() -> None:
    tensor = Tensor.describe("t", DataType.FLOAT32, None)
    array = np.ones((2, 2), np.float32)
    tensor.data = array
    assert tensor.data is array
    assert tensor.shape == [2, 2]
    with pytest.raises(InputError, match="expected FLOAT32 data, got float64"):
        tensor.data = np.ones(2)


def test_text_has_the_lines_in_order() -> None:
    lines = [line.partition(":")[0] for line in str(Tensor()).splitlines()]
    assert lines == ["name", "dtype", "shape", "format", "element_num", "data_size", "device"]


def test_meta_defaults() -> None:
    meta = TensorMeta()
    assert (meta.name, meta.dtype, meta.shape, meta.format) == ("", DataType.UNKNOWN, [], Format.DEFAULT)
    assert (meta.element_num, meta.data_size) == (0, 0)


def test_strings_come_back() -> None:
    tensor = Tensor(dtype=DataType.STRING)
    tensor.set_strings(["a", b"bc", "gr\u00fc\u00dfe", ""])
    assert tensor.get_strings() == ["a", "bc", "gr\u00fc\u00dfe", ""]
    assert (tensor.shape, tensor.data_size) == ([24 + 10], 24 + 10)
    assert Tensor(tensor).get_strings() == tensor.get_strings()
    tensor.set_strings(())
    assert (tensor.get_strings(), tensor.shape) == ([], [8])


def test_bytes_that_are_no_text_come_back() -> None:
    tensor = Tensor(dtype=DataType.STRING)
    tensor.set_strings([b"\xff\x00\xc3"])
    strings = tensor.get_strings()
    tensor.set_strings(strings)
    assert [os.fsencode(s) for s in strings] == [b"\xff\x00\xc3"]
    assert bytes(tensor.data[-3:]) == b"\xff\x00\xc3"


def test_only_string_tensors_hold_strings() -> None:
    numbers, strings = Tensor(shape=[2], dtype=DataType.UINT8), Tensor(dtype=DataType.STRING)
    mixed: list[Any] = ["a", 1]
    with pytest.raises(InputError, match="expected a tensor of STRING, got UINT8"):
        numbers.set_strings(["a"])
    with pytest.raises(InputError, match="expected a tensor of STRING, got UINT8"):
        numbers.get_strings()
    with pytest.raises(TypeError, match="strings must be list or tuple, but got str"):
        strings.set_strings("abc")
    with pytest.raises(TypeError, match="strings element must be str or bytes, but got int"):
        strings.set_strings(mixed)
    with pytest.raises(InputError, match="cannot hold the places of 0 strings"):
        Tensor(shape=[4], dtype=DataType.STRING).get_strings()


def test_an_unknown_rank_can_be_set() -> None:
    tensor = Tensor(shape=[2, 3])
    tensor.shape = [-2]
    assert (tensor.shape, tensor.has_known_shape, tensor.element_num) == ([-2], False, 0)
    tensor.data = np.ones((4, 5), np.float32)
    assert tensor.shape == [4, 5]
