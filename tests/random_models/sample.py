"""Sample: one random model with inputs, what ONNX Runtime gives without optimization, and how exactly that is known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import onnx

from tests.random_models import networks, operators, regions
from tests.random_models.growing import Array, Growing, Step, plain_session, replayed

OPSETS = (18, 20, 21, 22, 23)
KINDS = (np.float32, np.float32, np.float32, np.float32, np.float16, np.float64)
FAMILIES = (*(operators.STEPS,) * 5, *(networks.STEPS,) * 4, regions.STEPS)
SHAPES = ((2, 3), (1, 4), (4,), (2, 3, 4), (1, 5, 2), (1, 2, 5, 6), (2, 3, 4, 4), (1, 4, 6, 5), ())
TRIES = 400
EXACT, HALF = 2.0**-22, 2.0**-10
"""How far numbers are moved, relative to themselves, to see what rounding to float32 and float16 makes of results."""
SIGNS = ((1.0,), (-1.0,), (-1.0, 1.0))
QUANTIZING = frozenset({"QuantizeLinear", "QLinearConv", "QLinearMatMul"})
MOVES, STEPS, ROUNDINGS = 16, 1.5, 64
"""Times that what rounding, or one step, does to an element may be exceeded; roundings granted to any element."""


@dataclass(frozen=True)
class Sample:
    """A model and what is known of it.

    Attributes:
        seed: that it came from; -1 for a part of one.
        model: in ONNX's form.
        inputs: arrays by name.
        expected: of the outputs, in order.
        steps: the nodes that the model grew by, each with a session of its own.
        arrays: every value by name.
    """

    seed: int
    model: onnx.ModelProto
    inputs: Mapping[str, Array]
    expected: Sequence[Array]
    steps: Sequence[Step]
    arrays: Mapping[str, Array]

    @property
    def outputs(self) -> list[str]:
        """The names of the outputs."""
        return [value.name for value in self.model.graph.output]

    def allowed(self, size: float) -> list[Array]:
        """How far each element of each output may be from what is expected.

        1. A few roundings of the largest element, and some times as far as the element moves where every real number
           on the way is moved a little: sums are ordered in many ways.
        2. As far as it moves where what quantizing nodes give is one step off: MindSpore Lite rounds twice.
        3. An integer or truth value that moves in the first way may be any.

        Args:
            size: by how much numbers are moved at most, relative to themselves.
        """
        if any(array.dtype == np.float16 for array in self.arrays.values()):
            size = max(size, HALF)  # where there is no kernel for it, what is rounded between two nodes is not
        rounded = self._moves([partial(_moved, size=size, signs=signs) for signs in SIGNS])
        stepped = self._moves([partial(_stepped, signs=signs) for signs in SIGNS])
        found = []
        for expected, by_rounding, by_steps in zip(self.expected, rounded, stepped, strict=True):
            if expected.dtype.kind == "f":
                own = max(size, float(np.finfo(expected.dtype).eps))
                largest = float(np.abs(expected.astype(np.float64)).max(initial=0))
                found.append(MOVES * by_rounding + STEPS * by_steps + ROUNDINGS * own * largest)
            else:
                found.append(np.where(by_rounding > 0, np.inf, STEPS * by_steps))
        return found

    def _moves(self, changes: Sequence[Callable[[Array, str], Array]]) -> list[Array]:
        """How far each element of each output moves at most with one of several changes of values on the way."""
        base = [np.asarray(y, np.float64) for y in self.expected]
        moves = [np.zeros(y.shape) for y in base]
        for change in changes:
            known = replayed(self.steps, self.arrays, change)
            for i, name in enumerate(self.outputs):
                if known[name].shape == base[i].shape:
                    moves[i] = np.maximum(moves[i], np.abs(known[name].astype(np.float64) - base[i]))
        return moves


def _moved(array: Array, operator: str, size: float, signs: Sequence[float]) -> Array:
    """Real numbers that are all larger, all smaller, or either by chance."""
    if array.dtype.kind != "f":
        return array
    chosen = np.random.default_rng(len(signs)).choice(signs, array.shape)
    return np.asarray(array * (1 + size * chosen)).astype(array.dtype)


def _stepped(array: Array, operator: str, signs: Sequence[float]) -> Array:
    """Quantized numbers that are one step off."""
    if operator not in QUANTIZING or array.dtype.kind == "f":
        return array
    limits = np.iinfo(array.dtype)
    chosen = np.random.default_rng(len(signs)).choice(signs, array.shape)
    return np.asarray(np.clip(array + chosen, limits.min, limits.max)).astype(array.dtype)


def sample(seed: int) -> Sample:
    """The random model of a seed: the same in every process.

    Nodes that ONNX Runtime takes one by one are sometimes no model together; then another model is tried.
    """
    for attempt in itertools.count():
        try:
            return _grown(seed, random.Random(f"model {seed} {attempt}"))
        except _NotAModel:
            continue
    raise AssertionError


class _NotAModel(Exception):
    """ONNX Runtime rejects the model as a whole."""


def _grown(seed: int, rng: random.Random) -> Sample:
    g = Growing(rng, rng.choice(OPSETS))
    for _ in range(rng.randint(1, 3)):
        g.input(g.numbers(*rng.choice(SHAPES), dtype=rng.choice(KINDS)))
    wanted = rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 24])
    for _ in range(TRIES):
        if len(g.steps) >= wanted:
            break
        rng.choice(rng.choice(FAMILIES))(g)
    if not g.steps:
        g.node("Identity", [g.inputs[0]])
    results = [name for step in g.steps for name in step.node.output if name]
    leaves = g.unread() or results[-1:]
    extra = [name for name in results if name not in leaves and rng.random() < 0.1]
    return _finished(seed, g, [*leaves, *extra], _open_dims(rng, g))


def _open_dims(rng: random.Random, g: Growing) -> dict[str, list[int | str]]:
    """Declarations with open dimensions, of some inputs of some models."""
    if rng.random() < 0.6:
        return {}
    found: dict[str, list[int | str]] = {}
    for name in g.inputs:
        dims = list[int | str](g.arrays[name].shape)
        if dims and rng.random() < 0.7:
            every = rng.random() < 0.3
            found[name] = [f"{name}_{i}" if every or i == 0 else dim for i, dim in enumerate(dims)]
    return found


def _finished(seed: int, g: Growing, outputs: Sequence[str], open_dims: Mapping[str, Sequence[int | str]]) -> Sample:
    read = {name for step in g.steps for name in step.reads}
    g.inputs = [name for name in g.inputs if name in read or name in outputs]
    g.constants = [name for name in g.constants if name in read]
    model = g.model(outputs, {name: dims for name, dims in open_dims.items() if name in g.inputs})
    inputs = {name: g.arrays[name] for name in g.inputs}
    try:
        expected = [np.asarray(y) for y in plain_session(model).run(None, inputs)]
    except Exception as e:
        raise _NotAModel from e
    return Sample(seed, model, inputs, expected, tuple(g.steps), g.arrays)
