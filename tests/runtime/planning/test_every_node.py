"""Every node of a file is in the sources of a kernel, or was removed: never both, never neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
import tflite
from onnx import parser

from lite_delegate import Context, Model, ModelType
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.testing.delegates import NamedDelegate

HEAD = '<ir_version: 8, opset_import: ["" : 17, "my" : 1]>\n'
ONES = ", ".join("1" * 36)
MODELS = {
    "fused": f"g (float[1,2,6,6] x) => (float[1,2,4,4] y) <float[2,2,3,3] w = {{{ONES}}}> "
    "{ [c] a = Conv (x, w) [r] b = Relu (a) [same] y = Identity (b) }",
    "names": "g (float[2] x) => (float[2] y) { [n] a = Abs (x) [n] b = Neg (a) c = Exp (b) y = Abs (c) }",
    "shapes": "g (float[N, 4] x) => (float[N, 2, 2] y) { [s] s = Shape (x) [i] i = Constant <value_int = 0> () "
    "[g] d = Gather <axis = 0> (s, i) [u] u = Constant <value_ints = [0]> () [q] e = Unsqueeze (d, u) "
    "[t] t = Constant <value_ints = [2, 2]> () [k] k = Concat <axis = 0> (e, t) [r] y = Reshape (x, k) }",
    "branch": "g (float[2] x, bool c) => (float[2] y) { [a] a = Abs (x) "
    "[if] y = If (c) <then_branch = t () => (float[2] p) { [r] p = Relu (a) }, "
    "else_branch = e () => (float[2] q) { [z] z = Neg (a) [m] q = Neg (z) }> }",
    "custom": "g (float[2] x) => (float[2] y) { [a] a = Abs (x) [d] b = my.Strange (a) [n] y = Neg (b) }",
}


def nodes_of(graph: onnx.GraphProto, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Path, name and type of all nodes, as the onnx package reads them."""
    for node in graph.node:
        name = node.name or node.output[0]
        yield path, name, f"{node.domain}.{node.op_type}".lstrip(".")
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_of(attribute.g, (*path, name, attribute.name.removesuffix("_branch")))


def built(data: bytes, level: str) -> PartitionReport:
    context = Context()
    context.optimize = level
    context.set_delegate(NamedDelegate())
    model = Model()
    model.build_from_buffer(data, ModelType.MINDIR_LITE, context)
    return partition_report(model)


def check(report: PartitionReport, wanted: list[tuple[tuple[str, ...], str, str]]) -> None:
    kept = {(s.path, s.place): (s.path, s.name, s.type) for n in report.nodes for s in n.sources}
    gone = {(s.path, s.place): (s.path, s.name, s.type) for s in report.removed}
    assert not kept.keys() & gone.keys()
    assert sorted([*kept.values(), *gone.values()]) == sorted(wanted)


@pytest.mark.parametrize("level", ["general", "none"])
@pytest.mark.parametrize("name", list(MODELS))
def test_small_onnx_models(name: str, level: str) -> None:
    model = parser.parse_model(HEAD + MODELS[name])
    check(built(model.SerializeToString(), level), list(nodes_of(model.graph)))


@pytest.mark.shared
@pytest.mark.parametrize("level", ["general", "none"])
@pytest.mark.parametrize("name", ["ds_cnn_kws_f32", "ds_cnn_kws_int8"])
def test_real_tflite_models(name: str, level: str, shared_models: Path) -> None:
    path = shared_models / f"{name}.tflite"
    graph = tflite.Model.GetRootAs(path.read_bytes(), 0).Subgraphs(0)
    names = [graph.Tensors(graph.Operators(i).Outputs(0)).Name().decode() for i in range(graph.OperatorsLength())]
    report = built(path.read_bytes(), level)
    found = sorted(s.name for n in report.nodes for s in n.sources) + [s.name for s in report.removed]
    assert sorted(found) == sorted(names)


@pytest.mark.shared
@pytest.mark.parametrize("level", ["general", "none"])
@pytest.mark.parametrize("name", ["mobilenetv2_100", "resnet50"])
def test_real_onnx_models(name: str, level: str, shared_models: Path) -> None:
    model = onnx.load(shared_models / f"{name}.skel.onnx", load_external_data=False)
    for tensor in model.graph.initializer:
        if not tensor.raw_data and not tensor.float_data and not tensor.int64_data:
            shape = tuple(tensor.dims)
            array = np.ones(shape, onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type))
            tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    check(built(model.SerializeToString(), level), list(nodes_of(model.graph)))
