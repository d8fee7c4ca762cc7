"""Patterns are not looked for in graphs that lack all operators that they need."""

from __future__ import annotations

import pytest

from lite_delegate.passes import fusion
from lite_delegate.passes.fusion.forms.pattern_pass import PatternPass
from tests.passes.fusion.formulas import graph_of, mul

PASSES = [each for each in vars(fusion).values() if isinstance(each, type) and issubclass(each, PatternPass)]


def _looked_at(each: type[PatternPass], monkeypatch: pytest.MonkeyPatch, *, with_product: bool) -> list[str]:
    """The operators of the nodes that a pass looks at."""
    seen: list[str] = []
    monkeypatch.setattr(each, "match", lambda self, node, scene: seen.append(node.op_type))
    last = mul if with_product else lambda b, x, y: b.node("AddFusion", x, y)
    graph = graph_of(lambda b, x: last(b, b.node("Sqrt", x), x))
    assert not each().call(graph).modified
    return seen


@pytest.mark.parametrize("each", PASSES)
def test_a_graph_of_other_operators_is_not_looked_through(
    each: type[PatternPass], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _looked_at(each, monkeypatch, with_product=False) == []


@pytest.mark.parametrize("each", [each for each in PASSES if "MulFusion" in each.needs])
def test_all_nodes_are_looked_at_where_one_of_the_operators_is(
    each: type[PatternPass], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _looked_at(each, monkeypatch, with_product=True) == ["Sqrt", "MulFusion"]
