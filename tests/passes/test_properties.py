"""What every pass of the list must keep, on random graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from lite_delegate.ir import Graph, difference, verify
from lite_delegate.passes import GraphPass
from lite_delegate.passes.optimize import GENERAL, optimize
from tests.passes.random_graphs import graphs, run

PASSES = {each.name: each for each in GENERAL}
EXACT = {
    "dead-code",
    "constant-folding",
    "identity-removal",
    "common-subexpressions",
    "matmul-transposes",
    "activation-forms",
    "activation-fusion",
}
"""Passes that reassociate nothing."""


@pytest.mark.parametrize("each", PASSES.values(), ids=PASSES.keys())
@given(graph=graphs())
@settings(max_examples=80)
def test_results_and_interface_stay_and_a_second_run_changes_nothing(each: GraphPass, graph: Graph) -> None:
    result = each.call(graph)
    verify(result.graph)
    assert result.modified == (difference(graph, result.graph) is not None)
    assert result.graph.inputs == graph.inputs
    assert result.graph.outputs == graph.outputs
    again = each.call(result.graph)
    assert not again.modified
    assert again.graph is result.graph
    _assert_close(result.graph, graph, exact=each.name in EXACT)


@given(graph=graphs(20))
@settings(max_examples=80)
def test_all_passes_together_keep_results(graph: Graph) -> None:
    made = optimize(graph).graph
    assert [v.name for v in made.outputs] == [v.name for v in graph.outputs]
    _assert_close(made, graph, exact=False)


def _assert_close(new: Graph, old: Graph, *, exact: bool) -> None:
    with np.errstate(all="ignore"):
        for a, b in zip(run(new), run(old), strict=True):
            if exact:
                np.testing.assert_array_equal(a, b)
            else:
                scale = max(1.0, float(np.abs(b).max(initial=0)))
                np.testing.assert_allclose(a, b, rtol=0, atol=2e-5 * scale)
