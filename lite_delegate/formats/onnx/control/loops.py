"""Loops as three subgraphs: the first decides, the second does a round, the third gives the results.

The state goes from round to round as the subgraphs' inputs: the round's number, whether to go on, what is carried, a
list for each result that every round adds to, and what rounds read from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....basics.data_class import dataclass
from ....ir import Graph, Value
from ...rejection import NotConvertible, Why
from ..builder import UNKNOWN, ArraySpec
from ..conversion import OnnxNode
from .subgraphs import Inside, call, joined, partial, switch, truth, without_value
from .tensor_lists import appended, reserved, stacked_items, tensor_list

MAX_ATTEMPTS = 1000
"""Rounds that are converted in one model: a round is converted again where its shapes turn out to change."""
_EXACT_ATTEMPTS = 3
"""The number of rounds after which the rank of a value that still changes counts as unknown."""
_NUMBER = ArraySpec(np.dtype(np.int64), ())


@dataclass(frozen=True)
class RoundResult:
    """The results of a round, as values of its subgraph.

    Attributes:
        go_on: whether another round follows; None: always.
        carried: the carried values for the next round.
        added: one item for each list.
    """

    go_on: Value | None
    carried: Sequence[Value]
    added: Sequence[Value]


RoundFunction = Callable[[Inside, Value, Value | None, Sequence[Value]], RoundResult]
"""Converts a round: the subgraph, the round's number (int64 scalar), whether to go on, and the carried values."""


@dataclass(frozen=True)
class Loop:
    """A loop to be built.

    Attributes:
        trips: the number of rounds at most, an integer value; None: any number.
        go_on: whether there is a first round, a truth value; None: there is a first round.
        carried: the first values of the carried state.
        round: converts a round.
    """

    trips: Value | None
    go_on: Value | None
    carried: Sequence[Value]
    round: RoundFunction


@dataclass(frozen=True)
class _Body:
    """A round that was converted, with the state it takes."""

    inside: Inside
    number: Value
    go_on: Value
    carried: Sequence[Value]
    result: RoundResult


def build_loop(node: OnnxNode, loop: Loop) -> list[Value]:
    """Adds a loop: the last carried values, then each list's items in one array (rounds, ...).

    Raises:
        NotConvertible: the loop never ends, or a carried value changes its element type.
        Lost: a node of the rounds was rejected.
    """
    first = loop.go_on if loop.go_on is not None else node.constant(np.array(True), "go")
    body = _stable_body(node, loop, first)
    trips = None if loop.trips is None else body.inside.take(loop.trips)
    always = body.result.go_on is None or truth(body.inside.node.known(body.result.go_on)) is True
    always = always and truth(node.known(first)) is True
    node.reject_unless(not always or trips is not None, Why.ATTRIBUTE, "a loop that never ends")
    items = [body.inside.node.spec(v) for v in body.result.added]
    node.reject_unless(all(s.dtype != object for s in items), Why.OPERATOR, "a sequence for each round")
    state = _LoopState(body, [tensor_list(f"list_{i}") for i in range(len(items))])
    index = len(node.importer.graphs) + 1
    graphs = [_deciding(node, state, trips, always, index), _doing(state, index), _ending(node, state, items)]
    for graph in graphs:
        node.importer.add_graph(graph)
    start = [node.builder.small_constant(np.array(0, np.int64)), first, *loop.carried]
    lists = [reserved(node, i, spec) for i, spec in enumerate(items)]
    handle = partial(node, "start", index, [*start, *lists, *body.inside.captured])
    return call(node, handle, _results(node, loop, state, items, always))


def _results(
    node: OnnxNode, loop: Loop, state: _LoopState, items: Sequence[ArraySpec], always: bool
) -> list[ArraySpec]:
    known = node.known(loop.trips) if always else None
    count = UNKNOWN if known is None or known.size != 1 else max(0, int(known.item()))
    carried = [without_value(state.body.inside.node.spec(v)) for v in state.body.carried]
    return carried + [ArraySpec(s.dtype, None if s.shape is None else (count, *s.shape)) for s in items]


@dataclass(frozen=True)
class _LoopState:
    """The inputs that the three subgraphs share."""

    body: _Body
    lists: Sequence[Value]

    def inputs(self) -> list[Value]:
        """As values of the round's subgraph."""
        own = self.body
        return [own.number, own.go_on, *own.carried, *self.lists, *own.inside.captured.values()]

    def again(self, inside: Inside) -> list[Value]:
        """The inputs of the loop for another subgraph."""
        copies = []
        for value in self.inputs():
            name = value.name.rsplit("/", 1)[-1]
            spec = None if value in self.lists else without_value(self.body.inside.node.spec(value))
            copies.append(tensor_list(name) if spec is None else inside.parameter(name, spec))
        return copies


def _stable_body(node: OnnxNode, loop: Loop, first: Value) -> _Body:
    """A round whose carried values keep their types and shapes, as far as shapes are known."""
    specs = [without_value(node.spec(v)) for v in (first, *loop.carried)]
    for attempt in range(2 * _EXACT_ATTEMPTS):
        node.reject_unless(all(s.dtype != object for s in specs), Why.OPERATOR, "a sequence is carried")
        mark = node.importer.mark()
        body = _attempt(node, loop, specs)
        after = [body.result.go_on or body.go_on, *body.result.carried]
        found = [joined(a, body.inside.node.spec(b)) for a, b in zip(specs, after, strict=True)]
        if all(a.shape == b.shape for a, b in zip(specs, found, strict=True)):
            return body
        node.importer.back_to(mark)
        if attempt + 1 >= _EXACT_ATTEMPTS:
            found = [b if a.shape == b.shape else ArraySpec(b.dtype, None) for a, b in zip(specs, found, strict=True)]
        specs = found
    raise NotConvertible(Why.SHAPE, "the shapes of carried values are unknown")


def _attempt(node: OnnxNode, loop: Loop, specs: Sequence[ArraySpec]) -> _Body:
    node.importer.attempts += 1
    node.reject_unless(
        node.importer.attempts <= MAX_ATTEMPTS, Why.SHAPE, f"more than {MAX_ATTEMPTS} attempts to tell shapes in loops"
    )
    inside = Inside(node, "body")
    number = inside.parameter("number", _NUMBER)
    go_on, *carried = (inside.parameter(f"state_{i}", spec) for i, spec in enumerate(specs))
    result = loop.round(inside, number, go_on, carried)
    if len(result.carried) != len(carried):
        raise NotConvertible(Why.ATTRIBUTE, f"{len(carried)} values are carried, a round gives {len(result.carried)}")
    return _Body(inside, number, go_on, carried, result)


def _deciding(node: OnnxNode, state: _LoopState, trips: Value | None, always: bool, index: int) -> Graph:
    inside = Inside(node, "condition")
    inputs = state.again(inside)
    inner = inside.node
    test: Value | None = None if always else inputs[1]
    if trips is not None:
        own = dict(zip(state.inputs(), inputs, strict=True))
        less = inner.emit("Less", inputs[0], inner.cast(own.get(trips, trips), "int64"))
        test = less if test is None else inner.emit("LogicalAnd", less, test)
    assert test is not None
    go, stop = partial(inner, "go", index + 1, inputs), partial(inner, "stop", index + 2, inputs)
    return _calling(inside, inputs, switch(inner, test, go, stop), state, f"{node.name}/condition")


def _doing(state: _LoopState, index: int) -> Graph:
    inside, result = state.body.inside, state.body.result
    inner = inside.node
    number = state.body.number
    following = inner.emit("AddFusion", number, inner.builder.small_constant(np.array(1, np.int64)))
    lists = [
        appended(inner, i, a, number, item) for i, (a, item) in enumerate(zip(state.lists, result.added, strict=True))
    ]
    go_on = state.body.go_on if result.go_on is None else result.go_on
    captured = inside.captured.values()
    again = partial(inner, "again", index, [following, go_on, *result.carried, *lists, *captured])
    return _calling(inside, state.inputs(), again, state, f"{inner.name}")


def _calling(inside: Inside, inputs: Sequence[Value], target: Value, state: _LoopState, name: str) -> Graph:
    """A subgraph that ends with a call, whose results are its own."""
    carried = [without_value(state.body.inside.node.spec(v)) for v in state.body.carried]
    items = [state.body.inside.node.spec(v) for v in state.body.result.added]
    stacked = [ArraySpec(s.dtype, None if s.shape is None else (UNKNOWN, *s.shape)) for s in items]
    return inside.finish(name, inputs, call(inside.node, target, [*carried, *stacked]))


def _ending(node: OnnxNode, state: _LoopState, items: Sequence[ArraySpec]) -> Graph:
    inside = Inside(node, "end")
    inputs = state.again(inside)
    carried, rest = inputs[2 : 2 + len(state.body.carried)], inputs[2 + len(state.body.carried) :]
    stacked = [stacked_items(inside.node, i, a, spec) for i, (a, spec) in enumerate(zip(rest, items, strict=False))]
    return inside.finish(f"{node.name}/end", inputs, [*carried, *stacked])
