"""Runs as files of other runtimes, for authors of delegates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from ai_edge_litert.interpreter import Interpreter

from lite_delegate import (
    Boundary,
    DataType,
    Delegate,
    DelegateBuildError,
    DelegateModel,
    Kernel,
    RunFile,
    Supported,
    SupportResult,
    run_as_onnx,
    run_as_tflite,
)
from lite_delegate.ir import make_primitive
from lite_delegate.tensors.tensor import Tensor

A, B = np.array([[1.0, -2.0]], np.float32), np.array([[3.0, 5.0]], np.float32)


class Plain(Kernel):
    def execute(self) -> None:
        raise AssertionError("never run")


def tensor(name: str, data: Any = None) -> Tensor:
    return Tensor.describe(name, DataType.FLOAT32, (1, 2), data=data, is_const=data is not None)


def twice_named() -> tuple[list[Kernel], Boundary]:
    """``neg(a - b + c)``, whose inputs and output have one name."""
    a, b, y = tensor("t"), tensor("t"), tensor("t")
    c, difference, total = tensor("c", np.array([[10, 20]], np.float32)), tensor("difference"), tensor("sum")
    run: list[Kernel] = [
        Plain("sub", "SubFusion", [a, b], [difference], make_primitive("SubFusion")),
        Plain("add", "AddFusion", [difference, c], [total], make_primitive("AddFusion")),
        Plain("neg", "Neg", [total], [y], make_primitive("Neg")),
    ]
    return run, Boundary((a, b), (y,), (c,))


def of_onnx(file: RunFile, arrays: Sequence[Any]) -> list[Any]:
    model = onnx.load_model_from_string(file.content)
    onnx.checker.check_model(model, full_check=True)
    return list(ReferenceEvaluator(model).run(list(file.outputs), dict(zip(file.inputs, arrays, strict=True))))


def of_litert(file: RunFile, arrays: Sequence[Any]) -> list[Any]:
    interpreter = Interpreter(model_content=file.content)
    found = interpreter.get_signature_runner()(**dict(zip(file.inputs, arrays, strict=True)))
    return [found[name] for name in file.outputs]


@pytest.mark.parametrize(("write", "evaluate"), [(run_as_onnx, of_onnx), (run_as_tflite, of_litert)])
@pytest.mark.parametrize("is_given", [True, False])
def test_names_are_unique_and_constants_inside(write: Any, evaluate: Any, is_given: bool) -> None:
    run, boundary = twice_named()
    file = write(run, boundary if is_given else None)
    assert len({*file.inputs, *file.outputs}) == 3
    np.testing.assert_array_equal(evaluate(file, [A, B])[0], [[-8.0, -13.0]])


@pytest.mark.parametrize("write", [run_as_onnx, run_as_tflite])
def test_kernels_without_operators_are_named(write: Any) -> None:
    x, y, z = tensor("x"), tensor("y"), tensor("z")
    run = [Plain("odd", "RaggedRange", [x, x, x], [y, z], make_primitive("RaggedRange"))]
    with pytest.raises(DelegateBuildError, match=r"'odd' \(RaggedRange\)"):
        write(run, None)


def test_text_is_no_input_of_onnx() -> None:
    x = Tensor.describe("x", DataType.STRING, (2,))
    y = tensor("y")
    run = [Plain("read", "CustomExtractFeatures", [x], [y, y], make_primitive("CustomExtractFeatures"))]
    with pytest.raises(DelegateBuildError, match=r"'read' \(CustomExtractFeatures\) cannot be written as ONNX"):
        run_as_onnx(run)


def test_in_a_delegate() -> None:
    from lite_delegate import Context, Model, ModelType
    from lite_delegate.formats.ms import ms_bytes
    from lite_delegate.ir import Graph, Node, Value

    class Graphs(Kernel):
        def __init__(self, file: RunFile, boundary: Boundary) -> None:
            super().__init__("run", "LiteRT", boundary.inputs, boundary.outputs)
            self.file = file

        def execute(self) -> None:
            found = of_litert(self.file, [each.data for each in self.inputs])
            for y, array in zip(self.outputs, found, strict=True):
                y.data = array

    class Mine(Delegate):
        name = "mine"

        def supports(self, kernel: Kernel) -> SupportResult:
            return Supported()

        def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
            boundary = model.boundary_of(run)
            return Graphs(run_as_tflite(run, boundary), boundary)

    x, y, z = (Value(name, DataType.FLOAT32, (1, 2)) for name in "xyz")
    nodes = [Node("n", make_primitive("Neg"), [x], [y]), Node("e", make_primitive("ExpFusion"), [y], [z])]
    context = Context()
    context.set_delegate(Mine())
    model = Model()
    model.build_from_buffer(ms_bytes(Graph("g", [x], [z], nodes)), ModelType.MINDIR_LITE, context)
    np.testing.assert_allclose(model.predict([A])[0].get_data_to_numpy(), np.exp(-A), rtol=1e-6)
