"""Recurrent layers beside other readers of their input; expected values are those of ONNX Runtime."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from lite_delegate import Core
from tests.backends.openvino import drawn as base
from tests.backends.openvino.drawn import GATES, kinds

pytest.importorskip("openvino", reason="the package openvino is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the package onnxruntime is not installed")
RNG = np.random.default_rng(5)
STEPS, BATCH, SIZE = 3, 5, 4
Layer = tuple[str, str, int]
LAYERS: list[Layer] = [
    *((kind, direction, 0) for kind in GATES for direction in ("forward", "reverse", "bidirectional")),
    ("GRU", "forward", 1),
    ("GRU", "reverse", 1),
]


class Drawn(base.Drawn):
    """Recurrent layers of an input ``x`` (steps, batch, size), and what is beside them."""

    def __init__(self, prefix: str = "") -> None:
        super().__init__(prefix)
        self.outputs: list[str] = []

    def constant(self, *shape: int) -> str:
        return self.array(RNG.uniform(-1, 1, shape).astype(np.float32))

    def layer(self, layer: Layer, x: str = "x") -> str:
        """A recurrent layer: its states (steps, directions, batch, size); the last ones become an output."""
        kind, direction, reset = layer
        directions, rows = 2 if direction == "bidirectional" else 1, GATES[kind] * SIZE
        weights = [self.constant(directions, rows, SIZE) for _ in range(2)]
        given: dict[str, Any] = {"linear_before_reset": 1} if reset else {}
        name = f"{self.prefix}v{len(self.nodes)}"
        inputs = [x, *weights, self.constant(directions, 2 * rows)]
        outputs = [name, f"{name}_last"]
        self.nodes.append(helper.make_node(kind, inputs, outputs, hidden_size=SIZE, direction=direction, **given))
        self.outputs.append(outputs[1])
        return name

    def stacked(self, layer: Layer, x: str) -> str:
        """A layer of one direction that reads what another one gives."""
        return self.node("Squeeze", self.layer(layer, x), self.array([1]))

    def model(self, *outputs: str) -> Any:
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [STEPS, BATCH, SIZE])
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (*outputs, *self.outputs)]
        graph = helper.make_graph(self.nodes, "g", [x], made, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def compiled_of(model: Any) -> Any:
    """OpenVINO's compiled model of a model that it takes as a whole, after a run that was right."""
    x = RNG.uniform(-1, 1, (STEPS, BATCH, SIZE)).astype(np.float32)
    return base.compiled_of(model, x, [1e-5] * len(model.graph.output))


@pytest.mark.parametrize("pair", list(combinations_with_replacement(LAYERS, 2)), ids=str)
def test_two_recurrent_layers_of_one_input(pair: tuple[Layer, Layer]) -> None:
    drawn = Drawn()
    compiled_of(drawn.model(*[drawn.layer(layer) for layer in pair]))


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_two_layers_of_the_last_states_of_another(layer: Layer) -> None:
    drawn = Drawn()
    drawn.layer(layer)
    last = drawn.outputs[-1]
    compiled_of(drawn.model(*[drawn.layer(above, last) for above in (LAYERS[0], LAYERS[3], LAYERS[8])]))


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_a_layer_beside_a_transpose_of_its_input(layer: Layer) -> None:
    drawn = Drawn()
    rows = drawn.node("MatMul", drawn.node("Transpose", "x", perm=[1, 0, 2]), drawn.constant(SIZE, 3))
    compiled_of(drawn.model(rows, drawn.layer(layer)))


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_a_layer_beside_a_sum_of_products_of_its_input(layer: Layer) -> None:
    drawn = Drawn()
    rows = drawn.node("Einsum", "x", drawn.constant(SIZE, 3), equation="tni,ij->ntj")
    compiled_of(drawn.model(rows, drawn.layer(layer)))


def test_two_layers_that_read_what_is_computed_twice() -> None:
    drawn = Drawn()
    compiled_of(drawn.model(*[drawn.layer(LAYERS[0], drawn.node("Relu", "x")) for _ in range(2)]))


def test_two_stacks_and_the_states_in_other_orders() -> None:
    drawn = Drawn()
    stacks = [drawn.stacked(LAYERS[0], drawn.stacked(LAYERS[3], "x")) for _ in range(2)]
    by_batch = drawn.node("Transpose", stacks[0], perm=[1, 0, 2])
    wide = drawn.node("Transpose", drawn.layer(LAYERS[6]), perm=[2, 1, 0, 3])
    compiled_of(drawn.model(by_batch, stacks[1], wide))


def test_two_layers_of_one_input_inside_of_a_choice() -> None:
    drawn, branches = Drawn(), {}
    for branch in ("then_branch", "else_branch"):
        inside = Drawn(branch)
        made = [helper.make_tensor_value_info(inside.layer(LAYERS[0]), TensorProto.FLOAT, None) for _ in range(2)]
        branches[branch] = helper.make_graph(inside.nodes, branch, [], made, inside.constants)
    names = ["first", "second"]
    positive = drawn.node("Less", drawn.array(np.array([-1e9], np.float32)), drawn.node("ReduceSum", "x", keepdims=0))
    condition = drawn.node("Squeeze", positive)
    drawn.nodes.append(helper.make_node("If", [condition], names, **branches))
    compiled_of(drawn.model(*names))


@pytest.mark.parametrize("count", [1, 3])
def test_layers_that_share_no_input_are_not_transposed(count: int) -> None:
    drawn, x = Drawn(), "x"
    for _ in range(count):
        x = drawn.stacked(LAYERS[0], x)
    assert "Transpose" not in kinds(compiled_of(drawn.model(x)))


def exported(model: Any, folder: Path) -> None:
    """Checks what a compiled model gives after it was exported and imported."""
    x = RNG.uniform(-1, 1, (STEPS, BATCH, SIZE)).astype(np.float32)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (folder / "m.onnx").write_bytes(model.SerializeToString())
    Core().compile_model(folder / "m.onnx", "OPENVINO").export_model(folder / "m.blob")
    imported = Core().import_model(folder / "m.blob", "OPENVINO")
    request = imported.create_infer_request()
    found = request.infer([x])
    for output, wanted in zip(imported.outputs, session.run(None, {"x": x}), strict=True):
        np.testing.assert_allclose(found[output], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_a_layer_of_an_exported_model(layer: Layer, tmp_path: Path) -> None:
    drawn = Drawn()
    exported(drawn.model(drawn.layer(layer)), tmp_path)


def test_a_stack_of_an_exported_model(tmp_path: Path) -> None:
    drawn = Drawn()
    exported(drawn.model(drawn.stacked(LAYERS[0], drawn.stacked(LAYERS[3], "x"))), tmp_path)
