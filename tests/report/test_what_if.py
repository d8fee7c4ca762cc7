"""What-if rows of reports: equal to reports on models whose delegate really takes the nodes."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lite_delegate import (
    Context,
    Delegate,
    DelegateBuildError,
    DelegateModel,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    Supported,
)
from lite_delegate.demo import model_path
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.report import PartitionReport, WhatIf, WhatIfKind, partition_report
from lite_delegate.testing.delegates import NamedDelegate, WalkingDelegate
from tests.report.test_partition_report import model_of
from tests.runtime.control_graphs import if_else, node
from tests.runtime.graphs import binary, chain, unary, value

OPERATORS = ("AddFusion", "SubFusion", "MulFusion", "Maximum")
Build = Callable[[Context], Model]


class Choosy(NamedDelegate):
    """Claims all but some types and names, with a code for each of these."""

    def __init__(self, name: str, rejected: Collection[tuple[str, RejectCode]]) -> None:
        super().__init__()
        self.name = name
        self.rejected = dict(rejected)

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        for word in (kernel.name, kernel.type):
            if word in self.rejected:
                return Rejected(self.rejected[word], f"no {word}")
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        kernel.name = f"{self.name}:{kernel.name}"
        return kernel


class PickyNPU(NPUDelegate):
    """The NPU without some operator types, or some nodes."""

    def __init__(self, profile: str, rejected: Collection[str], but: Collection[str] = ()) -> None:
        super().__init__(profile)
        self.rejected, self.but = frozenset(rejected), frozenset(but)

    def supports(self, kernel: Kernel) -> Supported | Rejected:
        if kernel.type in self.rejected and not {kernel.type, kernel.name} & self.but:
            return Rejected(RejectCode.OPERATOR, f"no {kernel.type}")
        return super().supports(kernel)


@st.composite
def random_graphs(draw: st.DrawFn) -> Graph:
    """Up to 14 nodes of five types, each reading what is there already; some results are outputs."""
    x = value("x")
    there, nodes = [x], []
    for i in range(draw(st.integers(1, 14))):
        first = draw(st.sampled_from(there[-4:]))
        if draw(st.integers(0, 3)):
            nodes.append(binary(f"n{i}", first, draw(st.sampled_from(there)), draw(st.sampled_from(OPERATORS))))
        else:
            nodes.append(unary(f"n{i}", first))
        there.append(nodes[-1].outputs[0])
    return Graph("random", [x], draw(st.lists(st.sampled_from(there[1:]), min_size=1, unique=True)), nodes)


def built(graph: Graph, delegates: Collection[Delegate], options: PartitionOptions) -> Model:
    context = Context()
    context.set_delegates(list(delegates))
    context.partition = options
    model = Model()
    model.build_from_graph(graph, context)
    return model


def numbers(report: PartitionReport) -> tuple[int, int, int]:
    return len(report.subgraphs), report.kernels_delegated, report.boundary_bytes


def before(report: PartitionReport, row: WhatIf) -> tuple[int, int, int]:
    return row.subgraphs_before, report.kernels_delegated, row.bytes_before


def after(report: PartitionReport, row: WhatIf) -> tuple[int, int, int]:
    return row.subgraphs_after, report.kernels_delegated + row.kernels_delta, row.bytes_after


def cannot(data: st.DataObject, words: Collection[str]) -> dict[str, RejectCode]:
    codes = st.sampled_from([RejectCode.OPERATOR, RejectCode.DTYPE, RejectCode.POLICY])
    return {word: data.draw(codes) for word in words if data.draw(st.booleans())}


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rows_are_what_a_delegate_that_takes_the_nodes_gets(data: st.DataObject) -> None:
    graph = data.draw(random_graphs())
    rejected = cannot(data, (*OPERATORS, "Activation"))
    options = PartitionOptions(
        min_kernels=data.draw(st.sampled_from([None, 2])),
        max_subgraphs=data.draw(st.sampled_from([None, None, 1])),
        connected=data.draw(st.booleans()),
        deny_types=data.draw(st.sampled_from([(), ("Maximum",)])),
    )
    report = partition_report(built(graph, [Choosy("d", rejected.items())], options), what_if=True)
    assert report.what_if is not None
    for row in report.what_if:
        assert before(report, row) == numbers(report)
        taken = {word: code for word, code in rejected.items() if word != row.operator}
        real = partition_report(built(graph, [Only("d", rejected, row.nodes)], options))
        assert after(report, row) == numbers(real)
        if row.kind is WhatIfKind.OPERATOR:
            assert after(report, row) == numbers(partition_report(built(graph, [Choosy("d", taken.items())], options)))


class Only(Choosy):
    """Rejects some types, but for some nodes."""

    def __init__(self, name: str, rejected: dict[str, RejectCode], but: Collection[str]) -> None:
        super().__init__(name, rejected.items())
        self.but = frozenset(but)

    def supports(self, kernel: Kernel) -> Supported | Rejected | None:
        return Supported() if kernel.name in self.but else super().supports(kernel)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_rows_are_right_with_several_delegates(data: st.DataObject) -> None:
    graph = data.draw(random_graphs())
    rejected = {name: cannot(data, (*OPERATORS, "Activation")) for name in ("one", "two")}
    options = PartitionOptions()

    def report_with(delegate: str, nodes: Collection[str]) -> PartitionReport:
        delegates = [Only(name, rejected[name], nodes if name == delegate else ()) for name in ("one", "two")]
        return partition_report(built(graph, delegates, options), what_if=True)

    report = report_with("", ())
    assert report.what_if is not None
    for row in report.what_if:
        assert before(report, row) == numbers(report)
        assert after(report, row) == numbers(report_with(row.delegate, row.nodes))


def demo(context: Context) -> Model:
    model = Model()
    model.build_from_file(model_path(), context=context)
    return model


def check_real_model(build: Build, profile: str, choices: Collection[Collection[str]], most: int = 4) -> None:
    """Compares rows with real reports, for each choice of types that are rejected."""

    def report_of(rejected: Collection[str], but: Collection[str], *, rows: bool = False) -> PartitionReport:
        context = Context()
        context.set_delegate(PickyNPU(profile, rejected, but))
        return partition_report(build(context), what_if=rows)

    for rejected in choices:
        report = report_of(rejected, (), rows=True)
        found = [row for row in report.what_if or () if row.operator in rejected]
        assert {row.operator for row in found} == set(rejected)
        assert len(report.fallback) < len(report.nodes)
        for row in found[:most]:
            assert before(report, row) == numbers(report)
            assert after(report, row) == numbers(report_of(rejected, row.nodes))


@pytest.mark.parametrize("profile", ["generic", "kirin"])
def test_rows_of_the_demo_model_are_right(profile: str) -> None:
    check_real_model(demo, profile, [["Conv2DFusion"], ["AddFusion"], ["MaxPoolFusion", "AddFusion", "Reshape"]])


@pytest.mark.shared
@pytest.mark.parametrize("profile", ["kirin", "myriad_x"])
def test_rows_of_lenet_are_right(profile: str, shared_models: Path) -> None:
    def lenet(context: Context) -> Model:
        model = Model()
        model.build_from_file(shared_models / "lenet_tod_infer.ms", context=context)
        return model

    check_real_model(
        lenet, profile, [["Transpose"], ["MaxPoolFusion"], ["Activation", "MaxPoolFusion", "MatMulFusion"]]
    )


@pytest.mark.shared
@pytest.mark.parametrize("profile", ["kirin", "myriad_x"])
def test_rows_of_mobilenet_are_right(profile: str, shared_models: Path, tmp_path: Path) -> None:
    fill = runpy.run_path(str(shared_models / "skeleton.py"))["fill"]
    path = tmp_path / "mobilenet.onnx"
    onnx.save(fill(onnx.load(shared_models / "mobilenetv2_100.skel.onnx")), path)

    def mobilenet(context: Context) -> Model:
        model = Model()
        model.build_from_file(path, context=context)
        return model

    check_real_model(mobilenet, profile, [["AddFusion"]], most=2)


def profile_report(path: str | Path, *, rows: bool = False) -> PartitionReport:
    context = Context()
    context.rewrite = False
    context.set_delegate(NPUDelegate(str(path)))
    return partition_report(demo(context), what_if=rows)


@pytest.mark.shows("context", "REWRITE")
@pytest.mark.parametrize(
    ("table", "limit", "rule"),
    [("limits.any", "ranks = [1, 2]", "dimensions"), ("limits.Conv2DFusion", "max_kernel = 1", "kernel")],
)
def test_a_row_of_a_rule_is_what_a_profile_without_the_limit_gives(
    tmp_path: Path, table: str, limit: str, rule: str
) -> None:
    generic = (files("lite_delegate.npu.profiles") / "generic.toml").read_text(encoding="utf-8")
    path = tmp_path / "narrow.toml"
    path.write_text(f"{generic}\n[{table}]\n{limit}\n")
    report, real = profile_report(path, rows=True), profile_report("generic")
    (row,) = [r for r in report.what_if or () if r.kind is WhatIfKind.RULE and rule in r.subject.lower()]
    assert before(report, row) == numbers(report)
    assert after(report, row) == numbers(real)
    assert numbers(report) != numbers(real)


def erf_between_products(path: Path) -> None:
    """Erf between two MatMul, whose names and types differ between file and graph."""
    info = onnx.helper.make_tensor_value_info
    kinds = [
        ("/in/MatMul", "MatMul", ["x", "w"], "a"),
        ("/mid/Erf", "Erf", ["a"], "b"),
        ("/out/MatMul", "MatMul", ["b", "w"], "y"),
    ]
    nodes = [onnx.helper.make_node(kind, inputs, [output], name) for name, kind, inputs, output in kinds]
    weight = onnx.helper.make_tensor("w", onnx.TensorProto.FLOAT, [4, 4], [0.5] * 16)
    ends = [info(name, onnx.TensorProto.FLOAT, [2, 4]) for name in "xy"]
    graph = onnx.helper.make_graph(nodes, "main", ends[:1], ends[1:], [weight])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9), path)


def test_rows_and_json_have_the_names_of_the_file(tmp_path: Path) -> None:
    erf_between_products(tmp_path / "small.onnx")
    context, model = Context(), Model()
    context.set_delegate(Choosy("d", [("MatMulFusion", RejectCode.OPERATOR)]))
    model.build_from_file(tmp_path / "small.onnx", context=context)
    report = partition_report(model, what_if=True)
    row = next(row for row in report.what_if or () if row.kind is WhatIfKind.OPERATOR)
    assert (row.operator, row.subject, row.label) == ("MatMulFusion", "MatMulFusion", "MatMul")
    assert any(line.startswith("MatMul ") for line in rows_of_text(report))
    data = json.loads(report.to_json())
    assert [subgraph["labels"] for subgraph in data["subgraphs"]] == [["/mid/Erf"]]
    assert data["minimum_proof_labels"] == ["/mid/Erf"]


def test_a_row_in_full() -> None:
    report = partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])), what_if=True)
    operator = WhatIf(
        WhatIfKind.OPERATOR,
        "named",
        "AddFusion",
        "",
        ("n1", "n4"),
        {"OPERATOR": 2},
        2,
        1,
        2,
        4 * 24,
        2 * 24,
        subject="AddFusion",
        types={"AddFusion": 2},
    )
    node = replace(operator, kind=WhatIfKind.NODE, name="n1", nodes=("n1",), codes={"OPERATOR": 1}, kernels_delta=1)
    node = replace(node, subject="n1", types={"AddFusion": 1})
    assert report.what_if == (operator, node)
    assert (operator.bytes_delta_percent, operator.time_delta_percent) == (-50.0, None)
    data = json.loads(report.to_json())["what_if"][0]
    assert (data["kind"], data["codes"], data["bytes_delta_percent"]) == ("operator", {"OPERATOR": 2}, -50.0)
    assert data["time_delta_percent"] is None
    endless = replace(operator, time_before_us=5e-324, time_after_us=1.0)
    assert json.loads(replace(report, what_if=(endless,)).to_json())["what_if"][0]["time_delta_percent"] is None


class Failing(Choosy):
    """Claims a node that it cannot make a graph kernel of."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        if any(kernel.name == "n1" for kernel in run):
            raise DelegateBuildError("n1 cannot be made")
        return super().create_graph_kernel(run, model)


@pytest.mark.filterwarnings("ignore::lite_delegate.DelegateWarning")
def test_what_does_not_compile_is_planned_without() -> None:
    report = partition_report(model_of(Failing("d", [("n3", RejectCode.RANK)]), chain(6)), what_if=True)
    assert [n.name for n in report.fallback] == ["n1", "n3"]
    assert report.what_if is not None
    assert {row.nodes for row in report.what_if} == {("n3",)}
    row = report.what_if[0]
    assert before(report, row) == numbers(report) == (3, 4, 6 * 24)
    assert after(report, row) == (2, 5, 4 * 24)


def test_what_if_is_not_worked_out_unasked() -> None:
    report = partition_report(model_of(NamedDelegate(["n0"])))
    assert report.what_if is None
    assert json.loads(report.to_json())["what_if"] is None


@pytest.mark.parametrize(
    "delegate", [None, NamedDelegate(), WalkingDelegate(["n0"])], ids=["none", "takes all", "states no claims"]
)
def test_no_rows_where_no_delegate_says_what_it_cannot_do(delegate: Delegate | None) -> None:
    report = partition_report(model_of(delegate), what_if=True)
    assert report.what_if == ()
    assert "\n\nwhat if: no delegate rejects a node that support would change.\n\n" in report.to_text()


def test_what_the_runtime_runs_itself_is_no_row() -> None:
    """A branch in each of whose graphs something is rejected; the nodes that choose and call are nobody's."""
    graph = if_else(lambda x: node("then", "Abs", [x]), lambda x: node("else", "Square", [x]))
    report = partition_report(model_of(NamedDelegate([]), graph), what_if=True)
    assert report.what_if is not None
    assert {"Switch", "Call", "PartialFusion"} <= {n.type for n in report.nodes}
    singles = [row for row in report.what_if if row.kind is not WhatIfKind.SET]
    assert {row.operator for row in singles} == {"Abs", "Square"}
    assert {(row.subgraphs_before, row.subgraphs_after) for row in singles} == {(0, 1)}


def rows_of_text(report: PartitionReport) -> list[str]:
    text = report.to_text()
    assert max(map(len, text.splitlines())) <= 100
    return text[text.index("what if") :].partition("\n\n")[0].splitlines()


def test_text() -> None:
    lines = rows_of_text(partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])), what_if=True))
    assert (
        lines[0] == "what if a delegate supported nodes that it rejects (all else unchanged; the most rewarding first):"
    )
    assert [line.split() for line in lines[3:]] == [
        ["AddFusion", "2", "2", "->", "1", "+2", "-50.0", "%", "OPERATOR", "2"],
        ["node", "n1", "1", "2", "->", "1", "+1", "-50.0", "%", "OPERATOR", "1"],
    ]


def test_a_node_that_is_the_only_one_of_its_type_is_shown_once() -> None:
    report = partition_report(model_of(NamedDelegate(["n0", "n2"]), chain(3)), what_if=True)
    assert report.what_if is not None
    assert [row.kind.value for row in report.what_if] == ["operator", "node"]
    assert [line.split()[0] for line in rows_of_text(report)[3:]] == ["AddFusion"]


def test_text_with_all_columns_fits() -> None:
    report = partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])), what_if=True)
    assert report.what_if is not None
    long = replace(
        report.what_if[0],
        delegate="a_delegate_with_a_long_name",
        subject="AnOperatorWithAVeryLongNameIndeed",
        codes={"NOT_CONSTANT": 1234, "ATTRIBUTE": 1000},
        nodes=("n",) * 2234,
        subgraphs_before=1234,
        subgraphs_after=999,
        kernels_delta=2234,
        bytes_before=0,
        bytes_after=123_456_789,
        time_before_us=1000.0,
        time_after_us=790.0,
    )
    lines = rows_of_text(replace(report, what_if=(long, *report.what_if)))
    assert "-21.0 %" in lines[3]
    assert "+123,456,789" in lines[3]
    assert any("estimates" in line for line in lines)


def test_only_the_most_rewarding_nodes_are_shown() -> None:
    names = [f"n{i}" for i in range(0, 41, 2)]
    lines = rows_of_text(partition_report(model_of(NamedDelegate(names), chain(41)), what_if=True))
    assert sum(line.startswith("node ") for line in lines) == 12
    assert lines[-1] == "8 more single nodes, which gain no more than those shown, are in --format json."


def test_plans_that_were_not_built_as_planned_are_told_apart() -> None:
    report = partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])), what_if=True)
    assert report.what_if is not None
    lines = rows_of_text(replace(report, what_if=(replace(report.what_if[0], subgraphs_before=3),)))
    assert any("other subgraphs than planned" in line for line in lines)


def test_markdown() -> None:
    text = partition_report(model_of(NamedDelegate(["n0", "n2", "n3"])), what_if=True).to_markdown()
    assert "## What if" in text
    assert "| AddFusion | 2 | 2 -&gt; 1 | +2 | -50.0 % | OPERATOR 2 |" in text
    assert "| node n1 (AddFusion) | 1 | 2 -&gt; 1 | +1 | -50.0 % | OPERATOR 1 |" in text
