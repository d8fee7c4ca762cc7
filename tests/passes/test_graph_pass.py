"""The pass contract: order, verification, honesty about changes."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from lite_delegate import GraphError
from lite_delegate.ir import Graph
from lite_delegate.passes import DeadCodePass, GraphPass, PassResult, run_passes
from tests.runtime.graphs import chain, value


class Later(GraphPass):
    name: ClassVar[str] = "later"
    runs_after: ClassVar[tuple[type[GraphPass], ...]] = (DeadCodePass,)

    def call(self, graph: Graph) -> PassResult[Graph]:
        return PassResult(graph, modified=False)


class Breaking(Later):
    name: ClassVar[str] = "breaking"
    runs_after: ClassVar[tuple[type[GraphPass], ...]] = ()

    def call(self, graph: Graph) -> PassResult[Graph]:
        return PassResult(replace(graph, outputs=[value("from nowhere")]), modified=True)


class Lying(Breaking):
    name: ClassVar[str] = "lying"

    def call(self, graph: Graph) -> PassResult[Graph]:
        return PassResult(replace(graph), modified=False)


def test_order_is_checked() -> None:
    graph = chain(1)
    assert run_passes(graph, [DeadCodePass(), Later()]) == PassResult(graph, modified=False)
    with pytest.raises(GraphError, match="Pass 'later' must run after pass 'dead-code'"):
        run_passes(graph, [Later(), DeadCodePass()])


def test_a_pass_that_breaks_the_graph_is_named() -> None:
    with pytest.raises(GraphError, match=r"Pass 'breaking' made a graph that breaks a rule: .*'from nowhere'"):
        run_passes(chain(1), [Breaking()])


def test_a_pass_that_lies_about_changes_is_named() -> None:
    with pytest.raises(GraphError, match="Pass 'lying' says that nothing changed"):
        run_passes(chain(1), [Lying()])
