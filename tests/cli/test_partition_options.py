"""``report`` and ``run`` with options of the partitioner, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, make_primitive
from lite_delegate.ir.types.data_type import DataType
from tests.commands import invoke


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two branches of two activations each, and their sum."""
    values = {name: Value(name, DataType.FLOAT32, (2, 3)) for name in ("x", "a:0", "b:0", "c:0", "d:0", "y")}

    def unary(name: str, x: str, kind: str) -> Node:
        return Node(name, make_primitive("Activation", activation_type=kind), [values[x]], [values[f"{name}:0"]])

    nodes = [unary("a", "x", "RELU"), unary("b", "a:0", "TANH"), unary("c", "x", "SIGMOID"), unary("d", "c:0", "RELU")]
    nodes.append(Node("end", make_primitive("AddFusion"), [values["b:0"], values["d:0"]], [values["y"]]))
    path = tmp_path_factory.mktemp("models") / "branches.ms"
    write_ms(Graph("main", [values["x"]], [values["y"]], nodes), path)
    return path


def report(model: Path, *options: object) -> dict[str, Any]:
    result = invoke("report", model, "--format", "json", *options)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(
    ("options", "sizes", "codes"),
    [
        ([], [5], {}),
        (["--deny-type", "AddFusion"], [4], {"end": "POLICY"}),
        (["--deny-type", "AddFusion", "--connected"], [2, 2], {"end": "POLICY"}),
        (["--deny-node", "a", "--deny-node", "b"], [3], {"a": "POLICY", "b": "POLICY"}),
        (["--allow-node", "a", "--allow-node", "b"], [2], dict.fromkeys(("c", "d", "end"), "POLICY")),
        (["--allow-type", "AddFusion"], [1], dict.fromkeys("abcd", "POLICY")),
        (["--min-kernels", 6], [], dict.fromkeys(("a", "b", "c", "d", "end"), "TOO_SMALL")),
        (["--max-subgraphs", 0], [], dict.fromkeys(("a", "b", "c", "d", "end"), "LIMIT")),
        (["--max-kernels-per-subgraph", 3], [3, 2], {}),
        (["--deny-node", "b", "--group", "a,end"], [2], {"a": "POLICY", "b": "POLICY", "end": "POLICY"}),
    ],
)
def test_report_shows_what_each_option_does(
    model: Path, options: list[object], sizes: list[int], codes: dict[str, str]
) -> None:
    found = report(model, *options)
    assert [len(s["kernels"]) for s in found["subgraphs"]] == sizes
    assert {n["name"]: n["code"] for n in found["nodes"] if n["code"]} == codes
    assert all(n["reason"] for n in found["nodes"] if n["code"])


def test_run_takes_the_same_options(model: Path) -> None:
    result = invoke("run", model, "--delegate", "npu", "--deny-type", "AddFusion", "--connected")
    assert result.exit_code == 0, result.output
    assert "4 of 5 kernels on 'npu', 2 subgraphs" in result.stdout


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--deny-node", "edn"], "deny_names: expected names of nodes, found 'edn'. Did you mean 'end'"),
        (
            ["--deny-type", "AddFusio"],
            "deny_types: expected names of operator types, found 'AddFusio'. Did you mean 'AddFus",
        ),
        (["--group", "a"], "--group must be names of two or more nodes, A,B,..., got 'a'"),
        (["--group", "a,z"], "groups: expected names of nodes, found 'z'"),
        (["--min-kernels", -1], "-1 is not in the range x>=0"),
        (["--placement", "best"], "'best' is not one of 'count', 'cost', 'fastest'"),
    ],
)
def test_mistakes_exit_with_2_and_say_what_is_wrong(model: Path, options: list[object], text: str) -> None:
    result = invoke("report", model, *options)
    assert result.exit_code == 2
    assert text in result.stderr
    assert "Traceback" not in result.output
