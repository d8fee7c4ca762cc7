"""Recurrent operators as loops over plain operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....ir import Value
from ..control.loops import Loop, RoundResult, build_loop
from ..control.slices import length_along, slice_at
from ..control.subgraphs import Inside
from ..conversion import OnnxNode
from .cells import Cell, CellOptions, CellWeights
from .operands import Recurrent


def by_loop(recurrent: Recurrent, cell: Cell, options: Sequence[CellOptions], peephole: Value | None) -> list[Value]:
    """A loop for each direction.

    Args:
        recurrent: the operands.
        cell: one time step.
        options: for each direction.
        peephole: LSTM's (D, 3 * H), or None.

    Returns:
        y (T, D, B, H), zero past a sequence's end, and the last states (D, B, H).
    """
    first = [recurrent.first_state(i) for i in range(len(recurrent.states))]
    parts = [_direction(recurrent, number, cell, own, first, peephole) for number, own in enumerate(options)]
    node = recurrent.node
    ys = [node.unsqueeze(y, [1]) for y, *_ in parts]
    states = [[node.unsqueeze(s, [0]) for s in kind] for kind in zip(*(part[1:] for part in parts), strict=True)]
    return [_joined(recurrent, ys, 1), *(_joined(recurrent, each, 0) for each in states)]


def _joined(recurrent: Recurrent, parts: Sequence[Value], axis: int) -> Value:
    return parts[0] if len(parts) == 1 else recurrent.node.emit("Concat", *parts, axis=axis)


def _direction(
    recurrent: Recurrent,
    number: int,
    cell: Cell,
    options: CellOptions,
    first: Sequence[Value],
    peephole: Value | None,
) -> list[Value]:
    """y (T, B, H) and the last states (B, H) of one direction."""
    node, backward = recurrent.node, recurrent.backward[number]
    halves = recurrent.bias_halves(number)
    weight, state_weight = (recurrent.of_direction(w, number) for w in (recurrent.weight, recurrent.state_weight))
    gates = node.emit("MatMulFusion", recurrent.x, weight, None if halves is None else halves[0], transpose_b=True)
    own_peephole = None if peephole is None else recurrent.of_direction(peephole, number)

    def one_round(inside: Inside, step: Value, _: Value | None, states: Sequence[Value]) -> RoundResult:
        inner = inside.node
        weights = CellWeights(
            inside.take(state_weight),
            None if halves is None else inside.take(halves[1]),
            None if own_peephole is None else inside.take(own_peephole),
        )
        x = slice_at(inside, gates, step, 0, backward=backward)
        new = cell(inner, options, weights, x, states)
        if recurrent.lengths is None:
            return RoundResult(None, new, new[:1])
        here = _inside_sequence(inside, recurrent, step, backward=backward)
        kept = [inner.emit("Where", here, s, old) for s, old in zip(new, states, strict=True)]
        return RoundResult(None, kept, [inner.emit("Where", here, new[0], inner.emit("ZerosLike", new[0]))])

    states = [recurrent.of_direction(s, number) for s in first]
    *last, y = build_loop(
        _of_direction(node, number), Loop(length_along(node, recurrent.x, 0), None, states, one_round)
    )
    return [node.emit("ReverseV2", y, axis=[0]) if backward else y, *last]


def _of_direction(node: OnnxNode, number: int) -> OnnxNode:
    """The node under a name of its own for each direction, after which its loop is called."""
    return replace(node, scope=replace(node.scope, prefix=f"{node.scope.prefix}direction_{number}/"))


def _inside_sequence(inside: Inside, recurrent: Recurrent, step: Value, *, backward: bool) -> Value:
    """For each sequence whether the time step is one of its own, (B, 1)."""
    inner = inside.node
    assert recurrent.lengths is not None
    lengths = inner.cast(inside.take(recurrent.lengths), "int64")
    if backward:
        steps = length_along(inner, inside.take(recurrent.x), 0)
        last = inner.emit("SubFusion", steps, inner.scalar(1, steps))
        step = inner.emit("SubFusion", last, step)
    return inner.unsqueeze(inner.emit("Less", step, lengths), [1])
