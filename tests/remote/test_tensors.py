"""Remote tensors by themselves: memory that is counted, copies, boxes, and what is rejected."""

from __future__ import annotations

import gc
import re
from typing import Any, cast

import numpy as np
import pytest

from lite_delegate import (
    Core,
    DataType,
    Delegate,
    DelegateBuildError,
    DeviceLost,
    InputError,
    RemoteContext,
    RemoteError,
    Tensor,
)
from lite_delegate.npu.device import Faults
from tests.remote.simulated import SHAPE, Bench, net, numbers


def test_it_counts_in_the_allocated_memory_until_it_is_gone():
    bench = Bench()
    context = bench.core.create_context("SIM")

    def allocated() -> int:
        return int(str(bench.core.get_property("SIM", "NPU_DEVICE_ALLOC_MEM_SIZE")))

    before = allocated()
    first = context.create_tensor(DataType.FLOAT32, [2, 16])
    second = context.create_tensor(np.uint8, (70,))
    assert context.allocated_bytes == 128 + 128  # buffers take multiples of 64 bytes
    assert allocated() == before + 256
    assert bench.device.memory_by()["remote tensor"] == 256
    box = second.roi([0], [10])
    del second
    gc.collect()
    assert allocated() == before + 256  # the box has it still
    del box
    gc.collect()
    assert allocated() == before + 128
    first.release()
    first.release()
    assert (allocated(), context.allocated_bytes) == (before, 0)
    with pytest.raises(RemoteError, match="was released"):
        first.copy_to(np.zeros((2, 16), np.float32))


def test_no_room_says_what_is_needed_and_free():
    bench = Bench(dram=1000)
    context = bench.core.create_context("SIM")
    kept = context.create_tensor(np.float32, [100])
    with pytest.raises(DelegateBuildError, match=re.escape("needs 640 bytes of device memory, 552 of 1,000 are free")):
        context.create_tensor(np.float32, [160])
    assert context.allocated_bytes == 448
    kept.release()
    assert context.create_tensor(np.float32, [160]).nbytes == 640


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_contents_come_and_go_by_copies(device):
    core = Core()
    context = core.default_context(device)
    assert core.default_context(device) is context
    assert (context.device_name, isinstance(context, RemoteContext)) == (device, True)
    x = numbers(0, (3, 4, 5))
    tensor = context.create_tensor(np.float32, [3, 4, 5], x)
    x_then = x.copy()
    x[...] = 0  # the tensor has its own
    back = np.empty((3, 4, 5), np.float32)
    tensor.copy_to(back)
    np.testing.assert_array_equal(back, x_then)
    tensor.copy_from(np.full((2, 2, 5), 7, np.float32), region=([1, 0, 0], [3, 2, 5]))
    x_then[1:3, 0:2] = 7
    part = Tensor(shape=[1, 4, 5], dtype=DataType.FLOAT32)
    tensor.copy_to(part, region=([2, 0, 0], [3, 4, 5]))
    np.testing.assert_array_equal(part.data, x_then[2:3])
    zeros = np.ones((2, 2), np.int8)
    context.create_tensor(np.int8, [2, 2]).copy_to(zeros)
    assert not zeros.any()


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_boxes_of_boxes_share_the_memory(device):
    context = Core().create_context(device)
    tensor = context.create_tensor(np.int32, [4, 6], np.arange(24, dtype=np.int32).reshape(4, 6))
    inner = tensor.roi([1, 1], [4, 6]).roi([1, 2], [3, 4])
    found = np.empty((2, 2), np.int32)
    inner.copy_to(found)
    np.testing.assert_array_equal(found, [[15, 16], [21, 22]])
    inner.copy_from(np.zeros((2, 2), np.int32))
    whole = np.empty((4, 6), np.int32)
    tensor.copy_to(whole)
    assert whole[2:4, 3:5].tolist() == [[0, 0], [0, 0]]
    assert whole.sum() == sum(range(24)) - 15 - 16 - 21 - 22
    with pytest.raises(InputError, match=re.escape("from [0, 0] to [5, 6] does not lie between [0, 0] and [4, 6]")):
        tensor.roi([0, 0], [5, 6])


def test_copies_between_contexts_go_through_the_host_and_are_counted():
    bench = Bench()
    one, other = bench.core.create_context("SIM"), bench.core.create_context("NPU")
    a = one.create_tensor(np.float32, [4], np.arange(4, dtype=np.float32))
    assert (one.bytes_to_device, one.bytes_to_host) == (16, 0)
    bench.crossed()
    same = bench.core.create_context("SIM").create_tensor(np.float32, [4])
    same.copy_from(a)
    assert bench.commands == []  # on the device itself nothing crosses
    b = other.create_tensor(np.float32, [4])
    a.copy_to(b)
    assert (one.bytes_to_host, other.bytes_to_device) == (16, 16)
    (crossed,) = bench.crossed()
    assert sum(crossed.values()) == 16
    back = np.empty(4, np.float32)
    b.copy_to(back)
    assert back.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_what_looks_at_it_from_the_host_is_told_of_copy_to(device):
    tensor = Core().create_context(device).create_tensor(np.float32, [2])
    for look in (
        lambda: tensor.data,
        lambda: np.asarray(tensor),
        lambda: np.add(tensor, 1),
        tensor.get_data_to_numpy,
        lambda: Tensor(tensor),
        tensor.__dlpack__,
    ):
        with pytest.raises(RemoteError, match="copy_to"):
            look()
    with pytest.raises(RemoteError, match="copy_from"):
        tensor.set_data_from_numpy(np.zeros(2, np.float32))
    with pytest.raises(RemoteError, match="copy_from"):
        tensor.shape = [3]
    assert tensor.shape == [2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros(3, np.float32), "float32 [3] to float32 [2]"),
        (np.zeros(2, np.float64), "float64 [2] to float32 [2]"),
    ],
)
def test_copies_of_another_type_or_shape_are_rejected(given, message):
    context = Core().create_context("NPU")
    tensor = context.create_tensor(np.float32, [2])
    with pytest.raises(InputError, match=re.escape(message)):
        tensor.copy_from(given)
    with pytest.raises(InputError, match=re.escape(message)):
        context.create_tensor(np.float32, [2], given)
    assert context.allocated_bytes == 64  # nothing is left of what could not be made
    with pytest.raises(TypeError, match="expected Tensor or numpy"):
        tensor.copy_from("x")


def test_a_lost_device_takes_its_tensors_with_it():
    bench = Bench()
    context = bench.core.default_context("SIM")
    tensor, box = (t := context.create_tensor(np.float32, [4])), t.roi([0], [2])
    model = bench.core.compile_model(net(), "SIM")
    bench.device.inject(Faults(lost=(1,)))
    with pytest.raises(DeviceLost):
        model(numbers(0, SHAPE))
    assert context.allocated_bytes == 0
    for dead in (tensor, box):
        with pytest.raises(DeviceLost):
            dead.copy_to(np.empty(dead.shape, np.float32))
    with pytest.raises(DeviceLost):
        context.create_tensor(np.float32, [4])
    again = bench.core.default_context("SIM")
    assert again is not context
    assert again.create_tensor(np.float32, [4]).nbytes == 16
    with pytest.raises(DeviceLost):  # the device is back, what it held is not
        tensor.copy_from(np.zeros(4, np.float32))


def test_a_delegate_without_contexts_says_so():
    class Plain(Delegate):
        name = "PLAIN"

        def init(self) -> None:
            return None

    core = Core()
    core.register_device("PLAIN", Plain)
    with pytest.raises(RemoteError, match="Device 'PLAIN' offers no contexts"):
        core.create_context("PLAIN")
    with pytest.raises(InputError, match="made of other devices"):
        core.default_context("HETERO:NPU,CPU")
    with pytest.raises(InputError, match="NO_SUCH"):
        core.create_context("NPU", NO_SUCH=1)
    with pytest.raises(InputError, match="NO_SUCH"):
        core.create_context("CPU", NO_SUCH=1)


@pytest.mark.parametrize("shape", [[-1, 2], "ab", [1.5], 4])
def test_shapes_that_are_none(shape):
    with pytest.raises(InputError, match="shape"):
        Core().create_context("CPU").create_tensor(np.float32, shape)


@pytest.mark.parametrize("dtype", [DataType.STRING, DataType.UNKNOWN, "nonsense", object])
def test_types_that_no_device_has(dtype):
    with pytest.raises(InputError, match="create_tensor"):
        Core().create_context("CPU").create_tensor(dtype, [1])


def test_contexts_tell_what_they_were_made_with():
    context = Core().create_context("NPU", NPU_TURBO="YES")
    params = context.get_params()
    assert params["NPU_TURBO"] == "YES"
    assert params["TOTAL_BYTES"] == 1 << 30
    assert Core().create_context("CPU").get_params() == {}


def test_host_tensors_are_aligned_to_pages():
    tensor = Core().create_context("NPU").create_host_tensor(np.float32, [3, 5])
    assert tensor.shape == [3, 5]
    assert tensor.data.ctypes.data % 4096 == 0
    assert not tensor.data.any()


def test_regions_and_offsets_that_are_none():
    context = Core().create_context("CPU")
    tensor, wrong = context.create_tensor(np.float32, [2]), cast(Any, 5)
    with pytest.raises(InputError, match="a region is a pair of corners"):
        tensor.copy_to(np.zeros(2, np.float32), wrong)
    with pytest.raises(InputError, match="expected 1 integers"):
        tensor.copy_to(np.zeros(2, np.float32), ([0, 0], [1, 1]))
    with pytest.raises(TypeError, match="offset must be int"):
        context.create_tensor(np.float32, [2], shared=bytearray(8), offset=cast(Any, "a"))


def test_no_room_on_the_host_is_an_error_of_the_project():
    context = Core().create_context("CPU")
    with pytest.raises(DelegateBuildError, match="the host has no memory for it"):
        context.create_tensor(np.float32, [10**13])
    assert context.allocated_bytes == 0
