"""WHILE: three small graphs around the condition and the body, which call each other until the condition fails.

loop(state):  c = condition(state);  go(state) if c else stop(state)
go(state):    loop(body(state))
stop(state):  state
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....ir import DataType, Graph, Source, Value
from ..conversion import Converter, OperatorConversion
from ..subgraphs import CallNodes


def while_(c: OperatorConversion) -> None:
    """PartialFusion, Switch and Call in three small graphs: the loop, its body, and its end."""
    options, state = c.option("WhileOptions"), c.given()
    condition, body = (c.called(options[f"{name}_subgraph_index"]) for name in ("cond", "body"))
    loop, go, stop = (c.subgraphs.reserve() for _ in range(3))
    name, source = f"{c.operator.name}@{c.operator.subgraph}", c.operator.source
    c.subgraphs.put(loop, _loop(f"{name}/loop", source, state, condition, go, stop))
    c.subgraphs.put(go, _go(f"{name}/go", source, state, body, loop))
    inside = _copies(f"{name}/stop", state)
    c.subgraphs.put(stop, Graph(f"{name}/stop", inside, list(inside), []))
    nodes = CallNodes(c.operator.name, source)
    nodes.call(nodes.partial("start", loop, state), list(c.operator.outputs), is_tail=False)
    c.nodes.extend(nodes.made)


def _loop(name: str, source: Source, state: Sequence[Value], condition: int, go: int, stop: int) -> Graph:
    inside = _copies(name, state)
    nodes = CallNodes(name, source)
    goes_on = Value(f"{name}/condition", DataType.BOOL, None)
    nodes.call(nodes.partial("condition", condition, inside), [goes_on], is_tail=False)
    results = _copies(f"{name}/result", state)
    nodes.call(nodes.choose(goes_on, (go, inside), (stop, inside)), results, is_tail=True)
    return Graph(name, inside, results, nodes.made)


def _go(name: str, source: Source, state: Sequence[Value], body: int, loop: int) -> Graph:
    inside = _copies(name, state)
    nodes = CallNodes(name, source)
    after = _copies(f"{name}/after", state)
    nodes.call(nodes.partial("body", body, inside), after, is_tail=False)
    results = _copies(f"{name}/result", state)
    nodes.call(nodes.partial("again", loop, after), results, is_tail=True)
    return Graph(name, inside, results, nodes.made)


def _copies(name: str, values: Sequence[Value]) -> list[Value]:
    """Values of the types of given values, of unknown shape: the shape may change from round to round."""
    return [replace(v, name=f"{name}/{i}", shape=None, data=None) for i, v in enumerate(values)]


CONVERTERS: dict[str, Converter] = {"WHILE": while_}
"""Converters of this file by the schema's names."""
