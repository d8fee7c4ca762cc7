"""The pass in docs/passes.md is complete and right, and a mistake in it is found and named as written there."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from lite_delegate import GraphError
from lite_delegate.ir import Graph, Node, constant, make_primitive
from lite_delegate.passes import GraphPass, run_passes
from tests.pages import python_blocks, section
from tests.passes.random_graphs import run
from tests.runtime.graphs import value

PAGE = section("passes.md", "Writing a pass")
PASS, RUN = python_blocks(PAGE)
(MESSAGE,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
X = np.linspace(-3, 3, 6, dtype=np.float32).reshape(2, 3)


def names_of(code: str, **given: Any) -> dict[str, Any]:
    names = {"__name__": "page", **given}
    exec(code, names)
    return names


def written(code: str) -> GraphPass:
    made = names_of(code)["MergeScalesPass"]()
    assert isinstance(made, GraphPass)
    return made


def scales(*factors: Any, **attributes: Any) -> Graph:
    x = last = value("x")
    nodes: list[Node] = []
    for name, factor in zip(("first", "second", "third"), factors, strict=False):
        number = constant(f"{name}/number", np.asarray(factor, np.float32))
        shape = np.broadcast_shapes(last.shape or (), number.shape or ())
        nodes.append(Node(name, make_primitive("MulFusion", **attributes), [last, number], [value(f"{name}:0", shape)]))
        last = nodes[-1].outputs[0]
    return Graph("main", [x], [last], nodes)


@pytest.mark.parametrize("factors", [(2, 3), (0.5, -3, 7)])
def test_the_pass_keeps_the_numbers(factors: tuple[float, ...]) -> None:
    graph = scales(*factors)
    made = run_passes(graph, [written(PASS)]).graph
    assert len(made.nodes) == 1
    np.testing.assert_allclose(run(made, {"x": X})[0], run(graph, {"x": X})[0], rtol=1e-6)
    assert not run_passes(made, [written(PASS)]).modified


@pytest.mark.parametrize(
    "graph",
    [scales(2), scales(2, 0), scales(1e15, 1e15), scales([[[2]]], 3), scales(2, 3, activation_type="RELU")],
    ids=["one", "zero", "large", "shape", "activated"],
)
def test_the_pass_leaves_near_misses(graph: Graph) -> None:
    assert run_passes(graph, [written(PASS)]).graph is graph


def test_a_mistake_is_named_as_the_page_says() -> None:
    broken = PASS.replace(" and factor.shape == ()", "")
    assert broken != PASS
    with pytest.raises(GraphError) as caught:
        run_passes(scales([[[2]]], 3), [written(broken)])
    assert str(caught.value) == MESSAGE


def test_it_runs_as_the_page_says() -> None:
    names = names_of(RUN, graph=scales(2, 3), MergeScalesPass=names_of(PASS)["MergeScalesPass"])
    assert names["changed"] is True
    assert len(names["graph"].nodes) == 1


def test_importing_the_helpers_infers_nothing() -> None:
    code = "import sys, lite_delegate.passes; print(sorted({'networkx', "
    code += "'lite_delegate.passes.framework.inference_memory', "
    code += "'lite_delegate.passes.framework.specs', 'lite_delegate_kernels.op_sin'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
