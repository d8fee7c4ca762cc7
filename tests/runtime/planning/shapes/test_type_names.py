"""Operator types called by the names that they have in the model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite_delegate import Context, DataType, InputError, Model, ModelType
from lite_delegate.ir import Graph, Node, Source, Value, make_primitive
from lite_delegate.partition import PartitionOptions
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.testing.delegates import NamedDelegate


def exported() -> onnx.ModelProto:
    """As exporters write it: Conv with Relu, Conv alone, MatMul, Gemm and an Identity."""
    rng = np.random.default_rng(1)
    weights = {"w": (4, 4, 3, 3), "m": (4, 4), "g": (4, 4)}
    constants = [numpy_helper.from_array(rng.normal(size=s).astype(np.float32), n) for n, s in weights.items()]
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], "/stem/Conv", kernel_shape=[3, 3]),
        helper.make_node("Relu", ["a"], ["b"], "/stem/Relu"),
        helper.make_node("Conv", ["b", "w"], ["c"], "/head/Conv", kernel_shape=[3, 3]),
        helper.make_node("GlobalAveragePool", ["c"], ["d"], "/pool"),
        helper.make_node("Flatten", ["d"], ["e"], "/flatten"),
        helper.make_node("Identity", ["e"], ["f"], "/same"),
        helper.make_node("MatMul", ["f", "m"], ["h"], "/mm"),
        helper.make_node("Gemm", ["h", "g"], ["y"], "/gemm"),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def report(**options: Any) -> PartitionReport:
    context = Context()
    context.set_delegate(NamedDelegate())
    context.partition = PartitionOptions(**options)
    model = Model()
    model.build_from_buffer(exported().SerializeToString(), ModelType.MINDIR_LITE, context)
    return partition_report(model)


def on_the_cpu(made: PartitionReport) -> set[str]:
    """Names in the file of what the delegate does not run."""
    return {source.name for node in made.fallback for source in node.sources}


def of_types(*types: str) -> set[str]:
    """Names of the file's nodes of some types, as the onnx package reads it."""
    return {node.name for node in exported().graph.node if node.op_type in types}


def removed(made: PartitionReport) -> set[str]:
    kept = {source.name for node in made.nodes for source in node.sources}
    return {node.name for node in exported().graph.node} - kept


@pytest.mark.parametrize("word", ["Conv", "ai.onnx.Conv"])
def test_denied_are_the_nodes_that_came_from_the_files_type(word: str) -> None:
    assert on_the_cpu(report(deny_types=[word])) == of_types("Conv", "Relu")  # Relu was fused into one of them


def test_a_fused_node_is_denied_by_each_type_that_it_was() -> None:
    assert on_the_cpu(report(deny_types=["Relu"])) == {"/stem/Conv", "/stem/Relu"}


def test_own_types_still_work() -> None:
    assert on_the_cpu(report(deny_types=["Conv2DFusion"])) == of_types("Conv", "Relu")
    assert on_the_cpu(report(deny_types=["MatMulFusion"])) == of_types("MatMul", "Gemm")
    assert on_the_cpu(report(deny_types=["Gemm"])) == {"/gemm"}


def test_allowed_are_the_nodes_that_came_from_the_files_type() -> None:
    made = report(allow_types=["Conv", "Gemm"])
    everything = {node.name for node in exported().graph.node}
    assert on_the_cpu(made) == everything - of_types("Conv", "Gemm") - {"/stem/Relu"} - removed(made)


def test_denied_goes_before_allowed() -> None:
    made = report(allow_types=["Conv"], deny_types=["Relu"])
    assert "/stem/Conv" in on_the_cpu(made)
    assert "/head/Conv" not in on_the_cpu(made)


def test_reason_and_hint_have_the_users_word() -> None:
    node = next(n for n in report(deny_types=["Relu"]).nodes if "/stem/Relu" in [s.name for s in n.sources])
    assert node.reason == "operator type 'Relu' is in deny_types"
    assert node.hint == "take Relu off the types that are denied (deny_types, --deny-type)"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["CONV_2D"], "no node of the model is a 'CONV_2D' (an operator of TensorFlow Lite)."),
        (["Cos"], "no node of the model is a 'Cos'."),
        (["Det", "Conv"], "no node of the model is a 'Det' (an operator of ONNX)."),
        (
            ["Identity"],
            "no node of the model is a 'Identity' any more (its results are constant, or were not needed).",
        ),
    ],
)
@pytest.mark.parametrize("option", ["deny_types", "allow_types"])
def test_operators_that_the_model_has_not_are_said(option: str, words: Sequence[str], said: str) -> None:
    made = report(**{option: words})
    assert f"Partition option {option}: {said}" in made.notes


def test_what_is_no_operator_anywhere_is_a_mistake() -> None:
    with pytest.raises(
        InputError, match=r"deny_types: expected names of operator types, found 'Cnov'. Did you mean 'Conv'"
    ):
        report(deny_types=["Cnov"])


def test_the_name_of_an_operator_of_another_domain_may_go_without_it() -> None:
    x, y = (Value(name, DataType.FLOAT32, (2,)) for name in "xy")
    node = Node("n", make_primitive("Abs"), [x], [y], sources=(Source("n", "com.microsoft.Quick", (), (0,)),))
    for word in ("Quick", "com.microsoft.Quick", "Abs"):
        context = Context()
        context.set_delegate(NamedDelegate())
        context.partition = PartitionOptions(deny_types=[word])
        model = Model()
        model.build_from_graph(Graph("g", [x], [y], [node]), context)
        assert partition_report(model).kernels_delegated == 0
