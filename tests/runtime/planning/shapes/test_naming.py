"""Nodes called by the names that they have in the model file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate import Context, DataType, InputError, Model
from lite_delegate.ir import Graph, Node, Source, Value, make_primitive
from lite_delegate.partition import PartitionOptions
from lite_delegate.report import PartitionReport, partition_report
from lite_delegate.testing.delegates import NamedDelegate


def source(name: str, place: int, *path: str) -> Source:
    return Source(name, "Op", path, (place,))


def graph() -> Graph:
    """Four nodes in a row: two of which the file has as one, one that it has as two, one inside a loop."""
    values = [Value(f"v{i}", DataType.FLOAT32, (2,)) for i in range(5)]
    sources = [
        (source("split", 0),),
        (source("split", 0),),
        (source("conv", 1), source("relu", 2)),
        (source("add", 3, "loop", "body"),),
    ]
    nodes = [
        Node(f"n{i}", make_primitive("Abs"), [values[i]], [values[i + 1]], sources=each)
        for i, each in enumerate(sources)
    ]
    return Graph("main", [values[0]], [values[4]], nodes, removed=(source("gone", 4),))


def report(**options: Any) -> PartitionReport:
    context = Context()
    context.set_delegate(NamedDelegate())
    context.partition = PartitionOptions(**options)
    model = Model()
    model.build_from_graph(graph(), context)
    return partition_report(model)


def devices(**options: Any) -> list[str]:
    """Where the nodes run: C for the CPU, D for the delegate."""
    return ["C" if node.device == "CPU" else "D" for node in report(**options).nodes]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"deny_names": ["split"]}, "CCDD"),
        ({"deny_names": ["relu"]}, "DDCD"),
        ({"deny_names": ["conv", "relu", "n2"]}, "DDCD"),
        ({"deny_names": ["add"]}, "DDDC"),
        ({"deny_names": ["loop/body/add"]}, "DDDC"),
        ({"deny_names": ["loop"]}, "DDDC"),
        ({"deny_names": ["loop/body"]}, "DDDC"),
        ({"allow_names": ["conv", "loop"]}, "CCDD"),
        ({"affinity": {"split": "CPU"}}, "CCDD"),
        ({"affinity": {"conv": "cpu", "relu": "CPU", "n3": "CPU"}}, "DDCC"),
        ({"groups": [["split", "relu"]], "max_kernels_per_subgraph": 2}, "CCCD"),
    ],
)
def test_options_take_the_files_names(options: dict[str, Any], expected: str) -> None:
    assert "".join(devices(**options)) == expected


def test_one_node_cannot_have_two_devices() -> None:
    with pytest.raises(InputError, match="'conv' and 'relu' are one node now, 'n2', which cannot run on"):
        report(affinity={"conv": "CPU", "relu": "named"})


@pytest.mark.parametrize("option", ["deny_names", "allow_names", "groups", "affinity"])
def test_a_node_that_is_no_more(option: str) -> None:
    value: Any = {"affinity": {"gone": "CPU"}, "groups": [["gone"]]}.get(option, ["gone"])
    with pytest.raises(InputError, match=rf"{option}: node 'gone' \(Op\) of the file is in no node any more"):
        report(**{option: value})


def test_a_removed_node_is_followed_to_what_it_went_into() -> None:
    """As the file has it: gone -> also_gone -> conv and add."""
    one = graph()
    gone, more = one.removed[0], source("more", 5)
    conv, add = one.nodes[2].sources[0], one.nodes[3].sources[0]
    one.removed, one.readers = (gone, more), {gone: (more,), more: (conv, add)}
    context = Context()
    context.set_delegate(NamedDelegate())
    context.partition = PartitionOptions(deny_names=["gone"])
    with pytest.raises(InputError, match=r"It went into 'conv' \(Op\), 'loop/body/add' \(Op\): name that, or leave"):
        Model().build_from_graph(one, context)
    context.partition = PartitionOptions()
    model = Model()
    model.build_from_graph(one, context)
    removed = partition_report(model).to_dict()["removed"]
    assert removed[0] == {"name": "gone", "type": "Op", "path": [], "place": [4], "into": ["conv", "loop/body/add"]}
    assert [each["name"] for each in removed] == ["gone", "more"]


@pytest.mark.parametrize(
    ("name", "expected"), [("Op-0", "CCDD"), ("Op-2", "DDCD"), ("loop/body/Op-3", "DDDC"), ("n3", "DDDC")]
)
def test_nodes_go_by_type_and_position_too(name: str, expected: str) -> None:
    assert "".join(devices(deny_names=[name])) == expected


@pytest.mark.parametrize("option", ["deny_names", "affinity"])
def test_names_of_the_file_are_offered_for_wrong_ones(option: str) -> None:
    value: Any = {"affinity": {"splt": "CPU"}}.get(option, ["splt"])
    with pytest.raises(InputError, match=r"found 'splt'. Did you mean 'split'"):
        report(**{option: value})


def test_records_and_reports_have_the_names() -> None:
    made = report()
    nodes = made.to_dict()["nodes"]
    assert nodes[2]["sources"] == [
        {"name": "conv", "type": "Op", "path": [], "place": [1]},
        {"name": "relu", "type": "Op", "path": [], "place": [2]},
    ]
    assert nodes[3]["sources"] == [{"name": "add", "type": "Op", "path": ["loop", "body"], "place": [3]}]
    assert PartitionReport.from_json(made.to_json()) == made
    text = made.to_text()
    section = text[text.index("names in the file:") :].partition("\n\n")[0].splitlines()
    assert [line.split() for line in section[3:]] == [
        ["n0", "split", "(Op)"],
        ["n1", "split", "(Op)"],
        ["conv", "(+1)", "conv", "(Op)"],
        ["relu", "(Op)"],
    ]
    rows = [line.split()[:4] for line in text[: text.index("names in the file:")].splitlines()]
    assert ["loop/body/add", "Op", "Group0"] in [row[:3] for row in rows]
    assert ["conv", "(+1)", "Op", "Group0"] in rows
    assert "conv (Op), relu (Op)" in made.to_markdown()


def test_a_query_has_the_files_names_and_can_be_pinned() -> None:
    made = report(deny_names=["split"])
    assert made.query() == {"split": "CPU", "conv": "named", "relu": "named", "loop/body/add": "named"}
    assert report(affinity=made.query()).query() == made.query()
    apart = report(deny_names=["n0"])
    assert apart.query() == {"n0": "CPU", "n1": "named", "conv": "named", "relu": "named", "loop/body/add": "named"}
    assert report(affinity=apart.query()).query() == apart.query()


def test_nodes_that_passes_made_are_none_of_the_file() -> None:
    one = graph()
    made = Source("made", "Transpose")
    one.nodes[2].sources = (*one.nodes[2].sources, made)
    one.removed = (*one.removed, Source("gone too", "Transpose"))
    context = Context()
    context.set_delegate(NamedDelegate())
    context.partition = PartitionOptions(deny_names=["made"])
    model = Model()
    model.build_from_graph(one, context)
    found = partition_report(model)
    assert [source.name for source in found.nodes[2].sources] == ["conv", "relu"]
    assert found.nodes[2].device == "CPU"
    assert [each.name for each in found.removed] == ["gone"]


def test_names_that_the_file_has_too_are_not_shown_again() -> None:
    context = Context()
    model = Model()
    one = graph()
    for each in one.nodes:
        each.sources = (Source(each.name, each.op_type),)
    model.build_from_graph(one, context)
    made = partition_report(model)
    assert "in the file" not in made.to_text() + made.to_markdown()
    np.testing.assert_array_equal(model.predict([np.array([-1, 2], np.float32)])[0].get_data_to_numpy(), [1, 2])
