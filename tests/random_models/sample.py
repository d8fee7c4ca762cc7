"""Sample: one random model with inputs, what the runtime that judges gives, and how exactly that is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from lite_delegate_kernels import KernelInputError

from tests.random_models.steps import Array, Dims, Parts, Step, Writer, needed, replayed

EXACT, HALF = 2.0**-22, 2.0**-10
"""How far numbers are moved, relative to themselves, to see what rounding to float32 and float16 makes of results."""
Signs = Callable[[tuple[int, ...]], Array]
FEW, MANY = 4, 20
"""Ways to move numbers, of models of real numbers alone and of others: an integer that follows from which of two close
numbers is larger moves in one way of four.
"""
QUANTIZING = frozenset(
    {
        *("QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul", "DynamicQuant"),
        *("QUANTIZE", "CONV_2D", "FULLY_CONNECTED", "ADD", "MUL", "LOGISTIC", "TANH", "SOFTMAX", "MEAN", "RELU"),
    }
)
QUANTIZED = "quantized "
"""What names of other operators on quantized numbers start with."""
MOVES, STEPS, ROUNDINGS = 32, 1.5, 64
"""Times that what rounding, or one step, does to an element may be exceeded; roundings granted to any element."""


@dataclass(frozen=True)
class Sample:
    """A model and what is known of it.

    Attributes:
        seed: that it came from; -1 for a part of one.
        writer: of its format.
        content: of the file.
        inputs: arrays by their names in the file.
        outputs: names in the file.
        expected: of the outputs, in order.
        parts: what the file was written of.
    """

    seed: int
    writer: Writer
    content: bytes
    inputs: Mapping[str, Array]
    outputs: Sequence[str]
    expected: Sequence[Array]
    parts: Parts

    @property
    def operators(self) -> list[str]:
        """The operators, in order."""
        return [step.operator for step in self.parts.steps]

    def allowed(self, size: float) -> list[Array]:
        """How far each element of each output may be from what is expected.

        1. A few roundings of the largest element, and some times as far as the element moves where every real number
           on the way is moved a little: sums are ordered in many ways.
        2. As far as it moves where what quantizing nodes give is one step off: MindSpore Lite rounds twice.
        3. An integer or truth value that moves in the first way may be any.

        Args:
            size: by how much numbers are moved at most, relative to themselves.
        """
        if any(array.dtype == np.float16 for array in self.parts.arrays.values()):
            size = max(size, HALF)  # where there is no kernel for it, what is rounded between two nodes is not
        ways = range(FEW if all(y.dtype.kind == "f" for y in self.expected) else MANY)
        rounded = self._moves([partial(_moved, size=size, signs=_signs(way)) for way in ways])
        stepped = self._moves([partial(_stepped, signs=_signs(way)) for way in ways])
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
        """How far each element of each output moves at most with one of several changes of values on the way.

        Any distance where nodes do not take what is changed: how many elements there are follows from the numbers.
        """
        base = [np.asarray(y, np.float64) for y in self.expected]
        moves = [np.zeros(y.shape) for y in base]
        for change in changes:
            try:
                known = replayed(self.parts.steps, self.parts.arrays, change, self.parts.constants)
            except KernelInputError:
                return [np.full(y.shape, np.inf) for y in base]
            for i, name in enumerate(self.parts.outputs):
                if known[name].shape == base[i].shape:
                    moves[i] = np.maximum(moves[i], np.abs(known[name].astype(np.float64) - base[i]))
        return moves


def _signs(way: int) -> Signs:
    """Which elements of one array after the other become larger, 1, and which smaller, -1: all, none, or by chance."""
    if way < 2:
        return lambda shape: np.full(shape, 1.0 - 2 * way)
    rng = np.random.default_rng(way)
    return lambda shape: rng.choice((-1.0, 1.0), shape)


def _moved(array: Array, operator: str, size: float, signs: Signs) -> Array:
    """Real numbers that are moved."""
    if array.dtype.kind != "f":
        return array
    return np.asarray(array * (1 + size * signs(array.shape))).astype(array.dtype)


def _stepped(array: Array, operator: str, signs: Signs) -> Array:
    """Quantized numbers that are one step off."""
    quantizes = operator in QUANTIZING or operator.startswith(QUANTIZED)
    if not quantizes or array.dtype.itemsize > 1 or array.dtype.kind == "b":
        return array
    limits = np.iinfo(array.dtype)
    return np.asarray(np.clip(array + signs(array.shape), limits.min, limits.max)).astype(array.dtype)


def sample_of(seed: int, writer: Writer, parts: Parts) -> Sample:
    """The sample of some nodes.

    Raises:
        NotAModel: the runtime rejects the file.
    """
    written = writer.write(parts)
    inputs = dict(zip(written.inputs, parts.inputs.values(), strict=True))
    expected = writer.run(written, parts)
    return Sample(seed, writer, written.content, inputs, written.outputs, expected, parts)


def part_of(whole: Sample, steps: Sequence[Step], outputs: Sequence[str], *, is_open: bool = True) -> Sample:
    """The model of some of the nodes; what they read and none of them gives is given.

    Args:
        whole: the model that they are of.
        steps: the nodes, of which those that no output needs are left out.
        outputs: names of the values that it gives.
        is_open: whether inputs keep the open dimensions that they have.

    Raises:
        NotAModel: the runtime rejects it.
    """
    parts, (kept, read) = whole.parts, needed(steps, outputs)
    given = sorted(read)
    inputs = {name: parts.arrays[name] for name in given if name not in parts.constants}
    constants = {name: parts.constants[name] for name in given if name in parts.constants}
    open_dims: Dims = {name: dims for name, dims in parts.open_dims.items() if name in inputs} if is_open else {}
    return sample_of(-1, whole.writer, Parts(kept, inputs, constants, outputs, open_dims, parts.arrays))
