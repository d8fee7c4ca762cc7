"""Steps that add TensorFlow Lite's branches and loops, whose graphs grow like models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.formats.tflite.models import G
from tests.random_models.steps import Array, Parts, needed
from tests.random_models.tflite_growing import Kind, TfliteGrowing, graph_of
from tests.random_models.tflite_operators import STEPS as OPERATORS
from tests.random_models.tflite_operators import Grow

INT32, BOOL = Kind("int32"), Kind("bool")
MOST_ROUNDS, MOST_TRIES = 3, 6


def branch(g: TfliteGrowing) -> None:
    """An IF with a computed or given condition; both graphs read the same values."""
    x = g.pick()
    if x is None:
        return
    condition = _condition(g, x)
    graphs = [_body(g, {"x": g.arrays[x]}, {}) for _ in range(2)]
    if condition is not None:
        inner = {"thenSubgraphIndex": graphs[0], "elseSubgraphIndex": graphs[1]}
        g.node("IF", [condition, x], g.kind(x), table="IfOptions", inner=inner)


def _condition(g: TfliteGrowing, x: str) -> str | None:
    if g.rng.random() < 0.4:
        return g.input(np.array(g.rng.random() < 0.5))
    axes = g.constant(np.arange(g.arrays[x].ndim), np.int32)
    largest = g.node("REDUCE_MAX", [x, axes], table="ReducerOptions", keepDims=False)
    found = g.node("GREATER", [*largest, g.constant(0.5, np.float32)], BOOL) if largest else ()
    return found[0] if found else None


def loop(g: TfliteGrowing) -> None:
    """A WHILE that counts its rounds, with a value that changes and one that stays."""
    x, kept = g.pick(), g.pick()
    if x is None or kept is None:
        return
    state = {"count": np.array(0, np.int32), "x": g.arrays[x], "kept": g.arrays[kept]}
    condition, rounds = TfliteGrowing(g.rng), g.rng.randint(1, MOST_ROUNDS)
    given = [condition.input(array) for array in state.values()]
    goes_on = condition.node("LESS", [given[0], condition.constant(rounds, np.int32)], BOOL)
    inner = {"condSubgraphIndex": _graph(condition, goes_on), "bodySubgraphIndex": _body(g, state, {"count": 1})}
    count = g.constant(0, np.int32) if g.rng.random() < 0.7 else g.input(np.array(0, np.int32))
    kinds = (INT32, g.kind(x), g.kind(kept))
    g.node("WHILE", [count, x, kept], *kinds, table="WhileOptions", inner=inner)


def _body(g: TfliteGrowing, state: Mapping[str, Array], steps: Mapping[str, int]) -> G:
    """A graph that gives as many values of the same shapes as it is given.

    Args:
        g: the model around it.
        state: what it is given at first.
        steps: what is added to some of it; a value that is called "x" is computed, the others stay.
    """
    body = TfliteGrowing(g.rng)
    given = {name: body.input(array) for name, array in state.items()}
    results = dict(given)
    for name, step in steps.items():
        results[name] = body.node("ADD", [given[name], body.constant(step, np.int32)], INT32, table="AddOptions")[0]
    x = state["x"]
    for _ in range(MOST_TRIES):
        known = len(body.steps)
        g.rng.choice(OPERATORS)(body)
        for made in (name for grown in body.steps[known:] for name in grown.gives):
            if (body.arrays[made].dtype, body.arrays[made].shape) == (x.dtype, x.shape):
                results["x"] = made
    if results["x"] == given["x"]:
        results["x"] = body.node("TANH", [given["x"]])[0]
    return _graph(body, [results[name] for name in state])


def _graph(body: TfliteGrowing, outputs: Sequence[str]) -> G:
    """The graph of the nodes that its outputs need."""
    kept, read = needed(body.steps, outputs)
    inputs = {name: body.arrays[name] for name in body.inputs}
    constants = {name: body.arrays[name] for name in body.constants if name in read}
    return graph_of(kept, Parts(kept, inputs, constants, outputs, {}, body.arrays), body.kinds)


STEPS: tuple[Grow, ...] = (branch, loop)
