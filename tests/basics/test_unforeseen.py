"""What an importer or a pass raises on a model that it was not made for is a ModelFormatError with the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from lite_delegate import LimitError, ModelFormatError
from lite_delegate.formats.ms import ms_bytes, read_ms_buffer, write_ms
from lite_delegate.ir import DataType, Graph, Node, Value, make_primitive
from lite_delegate.passes import GraphPass, run_passes
from lite_delegate.passes.framework.base import PassResult
from tests.commands import call


def small() -> Graph:
    x, y = Value("x", DataType.FLOAT32, (2,)), Value("y", DataType.FLOAT32, (2,))
    return Graph("main", [x], [y], [Node("abs", make_primitive("Abs"), [x], [y])])


class Planted(GraphPass):
    """Fails as code does that nobody thought through."""

    name: ClassVar[str] = "planted"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def call(self, graph: Graph) -> PassResult[Graph]:
        raise self.error


def test_in_a_pass() -> None:
    cause = IndexError("list index out of range")
    with pytest.raises(ModelFormatError, match=r"Pass 'planted': .* IndexError: list index out of range") as caught:
        run_passes(small(), [Planted(cause)])
    assert caught.value.__cause__ is cause


def test_in_a_pass_without_memory() -> None:
    with pytest.raises(LimitError, match="Pass 'planted': there is not enough memory: MemoryError"):
        run_passes(small(), [Planted(MemoryError())])


def test_in_the_reader_of_ms(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = ms_bytes(small())
    cause = KeyError("planted")

    def fails(*_: Any) -> Any:
        raise cause

    monkeypatch.setattr("lite_delegate.formats.ms.reader.read_values", fails)
    with pytest.raises(ModelFormatError, match=r"model of [\d,]+ bytes: .* KeyError: 'planted'") as caught:
        read_ms_buffer(content)
    assert caught.value.__cause__ is cause


def test_in_a_converter_of_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = pytest.importorskip("onnx")
    from lite_delegate.formats.onnx import read_onnx_buffer
    from lite_delegate.formats.onnx.converters import elementwise

    x, y = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in "xy")
    model = onnx.helper.make_model(
        onnx.helper.make_graph([onnx.helper.make_node("Abs", ["x"], ["y"], name="the_node")], "g", [x], [y]),
        opset_imports=[onnx.helper.make_opsetid("", 17)],
        ir_version=10,
    )
    cause = RuntimeError("planted")

    def fails(*_: Any) -> Any:
        raise cause

    monkeypatch.setitem(elementwise.CONVERTERS, "Abs", fails)
    with pytest.raises(ModelFormatError, match=r"node 'the_node' \(Abs\).* RuntimeError: planted") as caught:
        read_onnx_buffer(model.SerializeToString())
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__cause__ is cause


def test_in_a_converter_of_tflite(monkeypatch: pytest.MonkeyPatch) -> None:
    from lite_delegate.formats.tflite import read_tflite_buffer, table
    from tests.formats.tflite.models import T, out, single

    def fails(*_: Any) -> Any:
        raise ZeroDivisionError("planted")

    monkeypatch.setitem(table.CONVERTERS, "ABS", fails)
    content = single("ABS", [T(np.zeros(2, np.float32))], [out(shape=(2,))])
    with pytest.raises(ModelFormatError, match=r"operators\[0\].*ABS: ZeroDivisionError: planted"):
        read_tflite_buffer(content)


def test_scales_that_are_not_one_for_each_channel_are_rejected_where_they_stand() -> None:
    from lite_delegate.formats.tflite import read_tflite_buffer
    from tests.formats.tflite.models import T, const, out, single

    weight = const(np.ones((3, 4), np.int8), scales=(0.1, 0.2, 0.3, 0.4), axis=0)
    content = single("FULLY_CONNECTED", [T(np.zeros((1, 4), np.float32)), weight, None], [out(shape=(1, 3))],
                     "FullyConnectedOptions")  # fmt: skip
    with pytest.raises(ModelFormatError, match=r"tensors\[1\] 't1'.*expected a scale for each index of dimension 0"):
        read_tflite_buffer(content)


def test_a_model_that_no_kernel_foresaw_is_one_line(tmp_path: Path) -> None:
    """An axis that numpy's own integers cannot hold."""
    x, y = Value("x", DataType.FLOAT32, (2, 2)), Value("y", DataType.FLOAT32, (2, 2))
    softmax = Node("soft", make_primitive("Softmax", axis=(2**62,)), [x], [y])
    path = tmp_path / "model.ms"
    write_ms(Graph("main", [x], [y], [softmax]), path)
    assert call("run", path, status=2).stderr.count("\n") == 1
