"""Steps that add branches and loops, whose bodies grow like models."""

from __future__ import annotations

import numpy as np
from onnx import GraphProto

from tests.random_models.onnx_growing import Growing
from tests.random_models.onnx_operators import Grow

MOST_STEPS = 3


def branch(g: Growing) -> None:
    """An If with a constant or computed condition, and two bodies that read a value from outside."""
    x = g.pick()
    if x is None:
        return
    condition = _condition(g, x)
    bodies = [_branch_body(g, x, f"{g.prefix}b{len(g.steps)}{side}_") for side in "te"]
    if condition is not None and bodies[0] is not None and bodies[1] is not None:
        g.node("If", [condition], then_branch=bodies[0], else_branch=bodies[1])


def _condition(g: Growing, x: str) -> str | None:
    if g.rng.random() < 0.3:
        return g.constant(g.rng.random() < 0.5, np.bool_)
    if g.rng.random() < 0.3 and not g.prefix:
        return g.input(np.array(g.rng.random() < 0.5))
    largest = g.node("ReduceMax", [x], keepdims=0)
    found = g.node("Greater", [*largest, g.constant(0.5, np.float32)]) if largest else []
    return found[0] if found else None


def _branch_body(g: Growing, x: str, prefix: str) -> GraphProto | None:
    body = Growing(g.rng, g.opset, g.arrays, prefix)
    last = _grown_from(body, x)
    return None if last is None else body.body(prefix, [], [last])


def _grown_from(body: Growing, x: str) -> str | None:
    """The last of some nodes that each read the one before; it has the shape of the first."""
    start, last = body.arrays[x], x
    for _ in range(body.rng.randint(1, MOST_STEPS)):
        known = len(body.steps)
        op = body.rng.choice(["Relu", "Tanh", "Add", "Mul", "Sigmoid", "Neg", "Sub", "Identity"])
        inputs = [last] if op not in ("Add", "Mul", "Sub") else [last, body.constant(body.numbers(1))]
        made = body.node(op, inputs)
        if made and len(body.steps) > known and body.arrays[made[0]].shape == start.shape:
            last = made[0]
    return last if body.steps else None


def loop(g: Growing) -> None:
    """A Loop over a carried value, with a value of each turn beside it, and a condition of its own."""
    x = g.pick()
    if x is None:
        return
    body = Growing(g.rng, g.opset, g.arrays, f"{g.prefix}l{len(g.steps)}_")
    turn, going, carried = body.name(), body.name(), body.name()
    body.arrays.update({turn: np.array(0, np.int64), going: np.array(True), carried: g.arrays[x]})
    last = _grown_from(body, carried)
    if last is None:
        return
    smaller = body.node("Less", [turn, body.constant(g.rng.randint(0, 3), np.int64)])
    again = smaller if g.rng.random() < 0.4 else body.node("Identity", [going])
    kept = body.node("ReduceSum", [last], keepdims=0)
    if not again or not kept:
        return
    graph = body.body(body.prefix, [turn, going, carried], [*again, last, *kept])
    count = np.array(g.rng.randint(0, 4), np.int64)
    times = g.input(count) if g.rng.random() < 0.3 and not g.prefix else g.constant(count)
    start = g.constant(True, np.bool_) if g.rng.random() < 0.5 else ""
    g.node("Loop", [times, start, x], 2, body=graph)


def scan(g: Growing) -> None:
    """A Scan over the first axis, with a state."""
    x = g.pick(where=lambda a: a.ndim >= 2 and 0 not in a.shape)
    if x is None:
        return
    body = Growing(g.rng, g.opset, g.arrays, f"{g.prefix}s{len(g.steps)}_")
    state, element = body.name(), body.name()
    row = g.arrays[x][0]
    body.arrays.update({state: np.zeros_like(row), element: row})
    total = body.node(g.rng.choice(["Add", "Max", "Sub"]), [state, element])
    last = _grown_from(body, total[0]) if total else None
    if last is None:
        return
    following = body.node("Tanh", total)
    graph = body.body(body.prefix, [state, element], [*following, last])
    begin = g.constant(g.numbers(*row.shape))
    g.node("Scan", [begin, x], 2, body=graph, num_scan_inputs=1, scan_input_directions=[g.rng.randint(0, 1)])


STEPS: tuple[Grow, ...] = (branch, loop, scan)
