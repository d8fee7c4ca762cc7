"""Hints: there is one for every code, the specific ones come first, and what they name exists."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from lite_delegate import Context, Model, PartitionOptions, RejectCode
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.ir.types.data_type import DataType
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import PartitionReport, hint_of, partition_report
from lite_delegate.report.hints import HINTS
from lite_delegate.runtime.binding.host import partials, tensor_list, variables
from lite_delegate.runtime.records.records import NodeRecord, TensorRecord
from lite_delegate.testing.delegates import NamedDelegate
from tests.report.test_partition_report import report_of
from tests.runtime.graphs import chain

OPEN = TensorRecord(0, "x", "FLOAT32", (-1, 3), 0)
UNKNOWN = TensorRecord(1, "y", "FLOAT32", None, 0)
EMPTY = TensorRecord(2, "z", "FLOAT32", (0, 3), 0)
WIDE = TensorRecord(3, "w", "INT64", (2,), 16)
DOUBLE = TensorRecord(4, "d", "FLOAT64", (2,), 16)
PLAIN = TensorRecord(5, "p", "FLOAT32", (2,), 8)


def node(code: RejectCode | None, reason: str = "", *inputs: TensorRecord, **attributes: object) -> NodeRecord:
    return NodeRecord("the_node", "TheType", "CPU", None, code, reason, "", attributes, inputs, ())


def test_every_code_has_a_hint_that_always_applies() -> None:
    assert set(HINTS) == set(RejectCode)
    for code, hints in HINTS.items():
        assert [h.applies is None for h in hints] == [False] * (len(hints) - 1) + [True]
        assert hint_of(node(code))


def test_no_hint_for_a_node_on_the_device() -> None:
    assert hint_of(node(None)) == ""


@pytest.mark.parametrize(
    ("record", "options", "inputs", "words"),
    [
        (node(RejectCode.OPERATOR, "the delegate has no such"), {}, (), "replace TheType in the model"),
        (node(RejectCode.OPERATOR, partials.REASON), {}, (), "nothing to do"),
        (node(RejectCode.OPERATOR, variables.REASON), {}, (), "nothing to do"),
        (node(RejectCode.OPERATOR, tensor_list.REASON), {}, (), "nothing to do"),
        (node(RejectCode.ATTRIBUTE, "mode must be A, is B", mode="B"), {}, (), "value of the attribute"),
        (node(RejectCode.ATTRIBUTE, "takes at most 2 inputs", mode="B"), {}, (), "in the form"),
        (node(RejectCode.DTYPE, "must be FLOAT32", WIDE), {}, (), "to INT32"),
        (node(RejectCode.DTYPE, "must be FLOAT32", DOUBLE), {}, (), "to FLOAT32"),
        (node(RejectCode.DTYPE, "must be FLOAT32", PLAIN), {}, (), "with a Cast"),
        (node(RejectCode.DTYPE, "the NPU has no quantized TheType", PLAIN), {}, (), "leave TheType out"),
        (node(RejectCode.SHAPE, "unknown", OPEN), {}, (OPEN,), "--input-shape"),
        (node(RejectCode.SHAPE, "unknown", UNKNOWN), {}, (PLAIN,), "depends on data"),
        (node(RejectCode.SHAPE, "empty", EMPTY), {}, (), "without elements"),
        (node(RejectCode.SHAPE, "wrong", PLAIN), {}, (), "pad, reshape or split"),
        (node(RejectCode.RANK, "too many"), {}, (), "Reshape"),
        (node(RejectCode.NOT_CONSTANT, "must be"), {}, (), "make the input a constant"),
        (node(RejectCode.POLICY), {"deny_types": frozenset({"TheType"})}, (), "deny_types"),
        (node(RejectCode.POLICY), {"deny_names": frozenset({"the_node"})}, (), "deny_names"),
        (node(RejectCode.POLICY), {"affinity": {"the_node": "CPU"}}, (), "affinity plan"),
        (node(RejectCode.POLICY), {"allow_types": frozenset({"Other"})}, (), "allow_types"),
        (node(RejectCode.POLICY), {"allow_names": frozenset()}, (), "allow_names"),
        (node(RejectCode.POLICY), {"groups": (frozenset({"the_node", "b"}),)}, (), "group"),
        (node(RejectCode.POLICY, "states no reason"), {}, (), "supports()"),
        (node(RejectCode.TOO_SMALL), {"min_kernels": 7}, (), "lower min_kernels (--min-kernels), which is 7"),
        (node(RejectCode.TOO_SMALL), {}, (), "neighbors"),
        (node(RejectCode.LIMIT, "max_subgraphs=2"), {"max_subgraphs": 2}, (), "(--max-subgraphs), which is 2"),
        (node(RejectCode.LIMIT, "height may be 5 at most"), {"max_subgraphs": 2}, (), "split the tensor"),
        (node(RejectCode.COST), {"placement": "cost"}, (), "--placement count"),
        (node(RejectCode.COMPILE_FAILED, "boom"), {}, (), "deny_names"),
        (node(RejectCode.NO_DEVICE, "no delegate was set"), {}, (), "--delegate npu"),
        (node(RejectCode.NO_DEVICE, "is not available"), {}, (), "make the device available"),
    ],
)
def test_hints_are_as_specific_as_the_reason(
    record: NodeRecord, options: dict[str, object], inputs: tuple[TensorRecord, ...], words: str
) -> None:
    assert words in hint_of(record, PartitionOptions(**options), inputs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ({"min_kernels": 2}, RejectCode.TOO_SMALL, "lower min_kernels (--min-kernels), which is 2"),
        ({"max_subgraphs": 1}, RejectCode.LIMIT, "raise max_subgraphs (--max-subgraphs), which is 1"),
        ({"max_kernels_per_subgraph": 0}, RejectCode.LIMIT, "raise max_kernels_per_subgraph"),
        ({"deny_types": {"AddFusion"}}, RejectCode.POLICY, "--deny-type"),
        ({"deny_names": {"n0"}}, RejectCode.POLICY, "--deny-node"),
        ({"allow_names": {"n1"}}, RejectCode.POLICY, "--allow-node"),
        ({"affinity": {"n0": "CPU"}}, RejectCode.POLICY, "--pin"),
    ],
)
def test_what_the_partitioner_rejects_is_told_its_option(options: dict[str, Any], code: RejectCode, words: str) -> None:
    """Of a chain of which n0, n2 and n3 are claimed: in the runtime's own words."""
    context, model = Context(), Model()
    context.set_delegate(NamedDelegate(["n0", "n2", "n3"]))
    context.partition = PartitionOptions(**options)
    model.build_from_graph(chain(5), context)
    first = partition_report(model).nodes[0]
    assert (first.name, first.code) == ("n0", code)
    assert words in first.hint


def test_limits_that_hints_name_are_options() -> None:
    names = {f.name for f in fields(PartitionOptions)}
    assert {hint.option for hints in HINTS.values() for hint in hints} <= names


def test_names_with_braces_do_no_harm() -> None:
    record = NodeRecord("{name} {0}", "{type!r}", "CPU", None, RejectCode.OPERATOR, "{reason}")
    assert "{type!r}" in hint_of(record)


def test_reports_have_a_hint_for_each_node_on_the_cpu_and_for_no_other() -> None:
    report: PartitionReport = report_of(NamedDelegate(["n0", "n2"]))
    assert [bool(n.hint) for n in report.nodes] == [n.code is not None for n in report.nodes]


def test_an_open_input_is_named_in_a_report() -> None:
    x, y = Value("x", DataType.FLOAT32, (-1, 3)), Value("y", DataType.FLOAT32, None)
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    model.build_from_graph(Graph("open", [x], [y], [Node("abs", make_primitive("Abs"), [x], [y])]), context)
    report = partition_report(model)
    assert [node.code for node in report.nodes] == [None]
    assert report.notes[0].startswith("Open dimensions: 'x' [-1, 3] is taken as [1, 3]")


def test_a_chain_without_delegate_is_told_to_name_one() -> None:
    assert {n.hint for n in report_of(None, chain(3)).nodes} == {
        "name a delegate: --delegate npu, or Context.set_delegate"
    }
