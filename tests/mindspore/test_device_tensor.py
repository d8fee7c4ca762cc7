"""Tensors of the MindSpore Lite interface that are in the memory of a device."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Context,
    DataType,
    DelegateWarning,
    Format,
    InputError,
    Model,
    ModelParallelRunner,
    RemoteError,
    Tensor,
)
from lite_delegate.demo import model_path
from lite_delegate.devices import Physical
from lite_delegate.mindspore.context.npu_device import machine
from lite_delegate.mindspore.device_tensor import DeviceTensor
from lite_delegate.npu import NPUDelegate
from lite_delegate.tensors.tensor import Array

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def image(seed: int) -> Array:
    return np.random.default_rng(seed).uniform(0, 16, (1, 8, 8, 1)).astype(np.float32)


def on_npu() -> Model:
    context, model = Context(), Model()
    context.target = ["npu", "cpu"]
    model.build_from_file(model_path(), context=context)
    return model


def taken() -> dict[str, int]:
    """What the memory of the machine's NPU is taken for."""
    gc.collect()
    context = Context()
    context.target = ["npu"]
    delegate = context.npu.delegate()
    assert isinstance(delegate, NPUDelegate)
    return delegate.device.memory_by()


@pytest.mark.parametrize("device", ["npu", "npu:0", "NPU:0"])
def test_contents_go_to_the_device_and_come_back_as_copies(device: str) -> None:
    before = taken()
    tensor = Tensor(X, device=device)
    assert isinstance(tensor, DeviceTensor)
    assert (tensor.shape, tensor.dtype, tensor.device) == ([2, 3], DataType.FLOAT32, "npu:0")
    assert (tensor.element_num, tensor.data_size, tensor.format) == (6, 24, Format.NCHW)
    assert sum(taken().values()) > sum(before.values())
    got = tensor.get_data_to_numpy()
    np.testing.assert_array_equal(got, X)
    got[:] = 0
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), X)
    tensor.set_data_from_numpy(X.ravel() + 1)
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), X + 1)
    del tensor
    assert taken() == before


def test_it_is_described_as_any_tensor() -> None:
    tensor = Tensor(shape=[2, 2], dtype=DataType.INT32, device="npu")
    tensor.name = "x"
    assert str(tensor).splitlines() == [
        "name: x,",
        "dtype: DataType.INT32,",
        "shape: [2, 2],",
        "format: Format.NCHW,",
        "element_num: 4,",
        "data_size: 16.",
        "device: npu:0",
    ]
    assert not tensor.get_data_to_numpy().any()


def test_tensors_are_copied_between_host_and_device() -> None:
    host = Tensor(X)
    host.name, host.format = "x", Format.NHWC
    there = Tensor(host, device="npu")
    assert (there.name, there.format) == ("x", Format.NHWC)
    other = Tensor(there, device="npu:0")
    there.set_data_from_numpy(X + 5)
    np.testing.assert_array_equal(other.get_data_to_numpy(), X)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((X,), {"device": 3}, TypeError, r"device must be str, but got int\."),
        ((X,), {"device": "gpu:0"}, TypeError, "'npu', 'npu:NUMBER' or 'npu:PROFILE', but got 'gpu:0'"),
        ((X,), {"device": "npu:"}, TypeError, "but got 'npu:'"),
        ((X,), {"device": "npu:7"}, ValueError, r"device must be one of 1, 'npu:0' to 'npu:0', got 'npu:7'"),
        ((X,), {"device": "npu:nothing"}, ValueError, "nothing"),
        ((3,), {"device": "npu"}, TypeError, r"tensor must be Tensor or numpy\.ndarray, but got int\."),
        ((X, [3, 2]), {"device": "npu"}, TypeError, r"shape must be that of tensor, \[2, 3\], but got \[3, 2\]\."),
        ((), {"shape": [-1, 2], "device": "npu"}, ValueError, "shape of known dimensions"),
        ((X,), {"device": "npu", "shared_memory": True}, ValueError, "shared_memory must be False"),
    ],
)
def test_what_cannot_be(arguments: Any, options: Any, error: type[Exception], message: str) -> None:
    before = taken()
    with pytest.raises(error, match=message):
        Tensor(*arguments, **options)
    assert taken() == before


def test_a_device_of_the_package_that_is_not_here_is_the_host_s_memory_aloud() -> None:
    with pytest.warns(DelegateWarning, match="There is no device 'ascend:1' here") as said:
        tensor = Tensor(X, device="ascend:1")
    assert (type(tensor), tensor.device, said[0].filename) == (Tensor, "None:-1", __file__)
    np.testing.assert_array_equal(tensor.data, X)


def test_contents_of_another_type_or_size_are_rejected() -> None:
    tensor = Tensor(X, device="npu")
    with pytest.raises(TypeError, match=r"numpy_obj must be numpy\.ndarray, but got list\."):
        tensor.set_data_from_numpy([1])  # type: ignore[arg-type]
    for array in (X.astype(np.float64), X[:1]):
        with pytest.raises(InputError):
            tensor.set_data_from_numpy(array)
    with pytest.raises(RemoteError, match="copy_to"):
        np.asarray(tensor)
    np.testing.assert_array_equal(tensor.get_data_to_numpy(), X)


def test_predictions_read_and_leave_tensors_on_the_device() -> None:
    model, x = on_npu(), image(1)
    expected = model.predict([x])[0].get_data_to_numpy().copy()
    given, kept = Tensor(x, device="npu"), Tensor(shape=[1, 10], dtype=DataType.FLOAT32, device="npu")
    np.testing.assert_array_equal(model.predict([given])[0].get_data_to_numpy(), expected)
    np.testing.assert_array_equal(model.predict({"image": given})[0].get_data_to_numpy(), expected)
    assert model.predict([given], [kept])[0] is kept
    np.testing.assert_array_equal(kept.get_data_to_numpy(), expected)
    kept.set_data_from_numpy(np.zeros((1, 10), np.float32))
    assert model.predict([x], [kept]) == [kept]
    np.testing.assert_array_equal(kept.get_data_to_numpy(), expected)


def test_predictions_bring_nothing_of_them_to_the_host_or_back() -> None:
    model, account = on_npu(), machine().contexts.default(Physical("NPU"))
    given, kept = Tensor(image(2), device="npu"), Tensor(shape=[1, 10], dtype=DataType.FLOAT32, device="npu")
    before = account.bytes_to_device, account.bytes_to_host
    for _ in range(3):
        model.predict([given], [kept])
    assert (account.bytes_to_device, account.bytes_to_host) == before
    kept.get_data_to_numpy()
    assert account.bytes_to_host == before[1] + 40


def test_predictions_reuse_what_they_took_on_the_device() -> None:
    """The outputs of the user are let go, and states begin anew."""
    model, memory = on_npu(), machine().contexts.default(Physical("NPU"))
    given, first = Tensor(image(2), device="npu"), Tensor(shape=[1, 10], dtype=DataType.FLOAT32, device="npu")
    model.predict([given], [first])
    kept = memory.allocated_bytes
    requests = taken()["request"]
    for _ in range(3):
        other = Tensor(shape=[1, 10], dtype=DataType.FLOAT32, device="npu")
        model.predict([given], [other])
        model.predict([given])
        assert taken()["request"] == requests
    np.testing.assert_array_equal(first.get_data_to_numpy(), other.get_data_to_numpy())
    del first, other
    assert memory.allocated_bytes < kept
    assert model.compiled.release_memory() == requests
    np.testing.assert_array_equal(model.predict([given])[0].shape, [1, 10])


def test_runners_take_them(tmp_path: Path) -> None:
    context = Context()
    context.target = ["npu", "cpu"]
    runner = ModelParallelRunner()
    runner.build_from_file(model_path(), context=context)
    x = image(3)
    expected = runner.predict([x])[0].get_data_to_numpy()
    np.testing.assert_array_equal(runner.predict([Tensor(x, device="npu:0")])[0].get_data_to_numpy(), expected)


def test_a_model_that_does_not_run_there() -> None:
    model, own = Model(), Model()
    model.build_from_file(model_path())
    context = Context()
    context.set_delegate(NPUDelegate())
    own.build_from_file(model_path(), context=context)
    for each in (model, own):
        with pytest.raises(RemoteError, match="belongs to a context of another device than the model runs on"):
            each.predict([Tensor(image(4), device="npu")])


def test_outputs_that_do_not_fit() -> None:
    model = on_npu()
    for shape, dtype in ([1, 9], DataType.FLOAT32), ([1, 10], DataType.INT32):
        with pytest.raises(InputError, match="Output 0 'probabilities'"):
            model.predict([image(5)], [Tensor(shape=shape, dtype=dtype, device="npu")])
