"""Tensors over memory that is there already: of other processes, files and libraries. Nothing is copied."""

from __future__ import annotations

import mmap
import re
import subprocess
import sys
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import Core, InputError, RemoteError
from lite_delegate.npu.queue import Engine
from tests.remote.simulated import SHAPE, Bench, net, numbers

NBYTES = int(np.prod(SHAPE)) * 4
OTHER_PROCESS = """
import sys
import numpy as np
from lite_delegate import Core
from tests.remote.simulated import SHAPE, net

core = Core()
model, context = core.compile_model(net(), "NPU"), core.default_context("NPU")
x = context.create_tensor(np.float32, SHAPE, shared=sys.argv[1])
y = context.create_tensor(np.float32, SHAPE, shared=sys.argv[1], offset=int(sys.argv[2]))
request = model.create_infer_request()
request.set_input_tensor(0, x)
request.set_output_tensor(0, y)
for line in sys.stdin:
    request.infer()
    print(request.copies, context.bytes_to_device, context.bytes_to_host, context.allocated_bytes, flush=True)
"""


def test_one_process_writes_and_another_runs_on_it():
    """Twice, with other numbers: what is read is what is there when the run begins."""
    memory = SharedMemory(create=True, size=2 * NBYTES)
    try:
        x = np.ndarray(SHAPE, np.float32, memory.buf)
        y = np.ndarray(SHAPE, np.float32, memory.buf, offset=NBYTES)
        model = Core().compile_model(net(), "NPU")
        command = [sys.executable, "-c", OTHER_PROCESS, memory.name, str(NBYTES)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdin is not None
            assert other.stdout is not None
            for seed in (1, 2):
                x[...] = numbers(seed)
                other.stdin.write("run\n")
                other.stdin.flush()
                assert other.stdout.readline() == "[] 0 0 0\n"
                np.testing.assert_array_equal(y, model(numbers(seed))[0])
            other.stdin.close()
        assert other.returncode == 0
        attached = SharedMemory(memory.name)  # the other process has not removed it
        attached.close()
        del x, y
    finally:
        memory.close()
        memory.unlink()


def test_a_mapped_file_is_an_input(tmp_path: Path):
    bench, x = Bench(), numbers(3)
    path = tmp_path / "x.bin"
    path.write_bytes(b"head" * 4 + x.tobytes())
    model, context = bench.core.compile_model(net(), "SIM"), bench.core.default_context("SIM")
    before = bench.device.allocated_memory
    remote = context.create_tensor(np.float32, SHAPE, file=path, offset=16)
    assert (context.allocated_bytes, bench.device.allocated_memory) == (0, before)
    request = model.create_infer_request()
    request.set_input_tensor(0, remote)
    bench.crossed()
    found = request.infer()[0]
    assert [each[Engine.UPLOAD] for each in bench.crossed()] == [0]
    np.testing.assert_array_equal(found, model(x)[0])
    assert not remote.is_writable
    with pytest.raises(InputError, match="can only be read"):
        request.set_output_tensor(0, remote)
    with pytest.raises(InputError, match="can only be read"):
        remote.copy_from(x)
    assert path.read_bytes()[16:] == x.tobytes()


@pytest.mark.parametrize("device", ["CPU", "NPU"])
def test_a_buffer_is_shared_both_ways(device, tmp_path: Path):
    context, x = Core().create_context(device), numbers(4, (4, 4))
    path = tmp_path / "buffer"
    path.write_bytes(bytes(64))
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 64)
    buffers: tuple[Any, ...] = (bytearray(64), mapped, np.zeros((4, 4), np.float32), memoryview(bytearray(64)))
    for buffer in buffers:
        tensor = context.create_tensor(np.float32, [4, 4], shared=buffer)
        tensor.copy_from(x)
        assert bytes(memoryview(buffer)) == x.tobytes()
    assert not context.create_tensor(np.uint8, [2], shared=b"ab").is_writable


def test_dlpack_is_taken_by_object_and_by_capsule():
    context = Core().create_context("NPU")
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    for shared in (array, array.__dlpack__()):
        tensor = context.create_tensor(np.int32, [2, 3], shared=shared)
        array[0, 0] += 1
        back = np.empty((2, 3), np.int32)
        tensor.copy_to(back)
        np.testing.assert_array_equal(back, array)
    with pytest.raises(InputError, match=re.escape("expected float32 [2, 3], what is shared is int32 [2, 3]")):
        context.create_tensor(np.float32, [2, 3], shared=array.__dlpack__())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shared": "no-such-memory-of-mine"}, "There is no shared memory 'no-such-memory-of-mine'"),
        ({"shared": "../etc/passwd"}, "expected the name of shared memory"),
        ({"shared": bytearray(15)}, "has 15 bytes; float32 [4] at offset 0 needs those up to 16"),
        ({"shared": bytearray(20), "offset": 8}, "at offset 8 needs those up to 24"),
        ({"shared": bytearray(32), "offset": 2}, "must begin at a multiple of 4 bytes"),
        ({"shared": bytearray(32), "offset": -4}, "offset -4"),
        ({"file": "/no/such/file"}, "cannot be mapped: No such file or directory"),
        ({"file": __file__, "shared": bytearray(16)}, "expected one of data, file and shared"),
    ],
)
def test_memory_that_cannot_be_taken(given, message):
    context = Core().create_context("NPU")
    with pytest.raises(InputError, match=re.escape(message)):
        context.create_tensor(np.float32, [4], **given)
    assert context.allocated_bytes == 0


def test_what_shares_nothing_is_a_wrong_type():
    with pytest.raises(TypeError, match="a name of shared memory, a buffer, or DLPack"):
        Core().create_context("NPU").create_tensor(np.float32, [4], shared=3.5)


def test_what_was_shared_is_let_go():
    context, buffer = Core().create_context("NPU"), bytearray(16)
    tensor = context.create_tensor(np.float32, [4], shared=buffer)
    with pytest.raises(BufferError):
        buffer.append(0)  # somebody looks at it
    tensor.release()
    buffer.append(0)
    with pytest.raises(RemoteError, match="released"):
        tensor.copy_to(np.zeros(4, np.float32))
