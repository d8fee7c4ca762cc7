"""Compiled models in open streams, and calls that OpenVINO's users are used to."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import AsyncInferQueue, Context, InputError, Model
from lite_delegate.demo import model_path
from lite_delegate.devices.core import Core
from lite_delegate.inference.model_file import FileVerdict
from tests.runtime.graphs import chain

X = np.arange(6, dtype=np.float32).reshape(2, 3)
IMAGE = np.ones((1, 8, 8, 1), np.float32)


@pytest.mark.parametrize("device", ["CPU", "NPU", "AUTO:CPU"])
def test_a_compiled_model_goes_through_a_stream_in_memory(device: str) -> None:
    core, stream = Core(), io.BytesIO()
    compiled = core.compile_model(model_path(), device)
    assert compiled.export_model(stream) == stream.getvalue()
    stream.seek(0)
    again = core.import_model(stream, device.removeprefix("AUTO:"))
    np.testing.assert_array_equal(again([IMAGE])[0], compiled([IMAGE])[0])


def test_a_compiled_model_goes_through_an_open_file_from_its_position_on(tmp_path: Path) -> None:
    core, path = Core(), tmp_path / "compiled.bin"
    with path.open("wb") as file:
        file.write(b"before")
        core.compile_model(chain(2), "CPU").export_model(file)
    with path.open("rb") as file:
        file.seek(len(b"before"))
        again = core.import_model(file)  # the device is that of the file's header: it is read once
    want = core.compile_model(chain(2), "CPU")([X])[0]
    np.testing.assert_array_equal(again([X])[0], want)


def test_the_other_door_writes_to_a_stream_too() -> None:
    stream, model = io.BytesIO(), Model()
    model.build_from_graph(chain(2), Context())
    assert model.export(stream) == stream.getvalue()
    stream.seek(0)
    assert Core().check_compatibility(stream, "CPU").verdict is FileVerdict.SUPPORTED


def test_a_stream_of_text_is_refused() -> None:
    core = Core()
    compiled = core.compile_model(chain(1), "CPU")
    with pytest.raises(InputError, match=r"must take bytes.* mode 'wb'"):
        compiled.export_model(io.StringIO())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must give bytes, got str; open the file with mode 'rb'"):
        core.import_model(io.StringIO("x"), "CPU")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must give bytes"):
        core.check_compatibility(io.StringIO("x"), "CPU")  # type: ignore[arg-type]


def test_a_stream_that_takes_less_is_an_error() -> None:
    class Full(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, _: object) -> int:
            return 1

    with pytest.raises(OSError, match="did not take all"):
        Core().compile_model(chain(1), "CPU").export_model(Full())  # type: ignore[arg-type]


@pytest.mark.parametrize("device", ["CPU", "NPU", "MULTI:NPU,CPU"])
def test_inputs_may_be_said_to_be_shared(device: str) -> None:
    compiled = Core().compile_model(model_path(), device)
    want = compiled([IMAGE])[0]
    request = compiled.create_infer_request()
    np.testing.assert_array_equal(request.infer([IMAGE], share_inputs=True)[0], want)
    np.testing.assert_array_equal(compiled([IMAGE], share_inputs=True, share_outputs=True)[0], want)
    np.testing.assert_array_equal(compiled.infer_new_request([IMAGE])[0], want)
    request.start_async([IMAGE], share_inputs=True)
    request.wait()
    np.testing.assert_array_equal(request.results[0], want)
    with AsyncInferQueue(compiled, 2) as queue:
        queue.start_async([IMAGE], share_inputs=True)
        queue.wait_all()


def test_a_request_shows_its_tensors_and_the_ports_of_the_model() -> None:
    compiled = Core().compile_model(chain(2), "CPU")
    request = compiled.create_infer_request()
    request.inputs[0].data[:] = X
    results = request.infer()
    np.testing.assert_array_equal(request.outputs[0].data, results[0])
    assert request.inputs[0] is request.get_input_tensor(0)
    assert request.outputs[0] is request.get_output_tensor(0)
    assert request.model_inputs == tuple(compiled.inputs)
    assert request.model_outputs == tuple(compiled.outputs)
    assert request.profiling_info == request.get_profiling_info()


def test_the_default_context_has_openvinos_name() -> None:
    core = Core()
    assert core.get_default_context("NPU") is core.default_context("NPU")
