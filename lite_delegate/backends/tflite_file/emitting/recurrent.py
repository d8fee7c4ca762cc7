"""Recurrent layers of ONNX, step by step: products of matrices and functions of their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....basics.data_class import dataclass
from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from .call import LoweredCall, Write

MOST_STEPS = 256
"""Each step is about a dozen operators."""
FUNCTIONS = {"sigmoid": "LOGISTIC", "tanh": "TANH", "relu": "RELU"}
USUAL = {"RNN": ["tanh"], "GRU": ["sigmoid", "tanh"], "LSTM": ["sigmoid", "tanh", "tanh"]}
"""Activations of one direction."""
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
REFUSED = ("clip", "input_forget")
Function = Callable[[TfliteTensor], TfliteTensor]


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a layer.

    Attributes:
        call: the operator.
        op: its name.
        number: its place in the operands.
        backward: whether it reads from the end.
        functions: its activations.
    """

    call: LoweredCall
    op: str
    number: int
    backward: bool
    functions: Sequence[Function]

    def part(self, position: int) -> TfliteTensor | None:
        """The part of an operand (D, ...) for the direction, without that axis."""
        if not self.call.has(position):
            return None
        term, builtins = self.call.term(position), self.call.builtins
        if term.constant is not None:
            return builtins.constant(np.ascontiguousarray(term.constant[self.number]))
        x = self.call.x(position)
        begin = builtins.ints([self.number, *[0] * (x.rank - 1)])
        size = (1, *x.shape[1:])
        cut = builtins.op("SLICE", [x, begin, builtins.ints(size)], size, None, "SliceOptions")
        return builtins.reshape(cut, x.shape[1:])

    def needed(self, position: int) -> TfliteTensor:
        """As ``part``, of an operand that must be there."""
        found = self.part(position)
        assert found is not None
        return found

    def halves(self, size: int) -> list[TfliteTensor | None]:
        """The biases of the input and of the state."""
        bias = self.part(3)
        return [None, None] if bias is None else list(self.cut(bias, 2, size))

    def cut(self, x: TfliteTensor, count: int, size: int) -> list[TfliteTensor]:
        """Equal parts of the last dimension."""
        if count == 1:
            return [x]
        place = self.call.builtins.constant(np.array(x.rank - 1, np.int32))
        results = [(None, (*x.shape[:-1], size))] * count
        return self.call.builtins.ops("SPLIT", [place, x], results, "SplitOptions", num_splits=count)

    def times(self, x: TfliteTensor, weight: TfliteTensor, bias: TfliteTensor | None) -> TfliteTensor:
        """``x @ weight.T + bias`` of matrices."""
        operands = [x, weight] if bias is None else [x, weight, bias]
        shape = (x.shape[0], weight.shape[0])
        return self.call.builtins.op("FULLY_CONNECTED", operands, shape, None, "FullyConnectedOptions")

    def add(self, a: TfliteTensor, b: TfliteTensor) -> TfliteTensor:
        """A sum."""
        return self.call.pair("ADD", a, b, "AddOptions")

    def mul(self, a: TfliteTensor, b: TfliteTensor) -> TfliteTensor:
        """A product of elements."""
        return self.call.pair("MUL", a, b, "MulOptions")

    def run(
        self, steps: Sequence[TfliteTensor], states: list[TfliteTensor], flags: Sequence[TfliteTensor | None]
    ) -> list[TfliteTensor]:
        """The hidden states of all steps (B, H); ``states`` become the last ones.

        Args:
            steps: the input of each step (B, I), in time.
            states: the first states.
            flags: for each step whether sequences still last (B, 1); None: all do.
        """
        weight, own, hidden = self.needed(1), self.needed(2), states[0].shape[1]
        rows, biases = GATES[self.op] * hidden, self.halves(GATES[self.op] * hidden)
        assert weight.shape[0] == rows
        given: list[TfliteTensor] = []
        order = range(len(steps))
        for time in reversed(order) if self.backward else order:
            before = self.times(steps[time], weight, biases[0])
            now = _STEPS[self.op](self, before, states, own, biases[1])
            flag, y = flags[time], now[0]
            if flag is not None:
                zero = self.call.builtins.constant(np.zeros(y.shape, y.dtype))
                y = self.chosen(flag, y, zero)
                now = [self.chosen(flag, new, old) for new, old in zip(now, states, strict=True)]
            states[:] = now
            given.append(y)
        return given[::-1] if self.backward else given

    def chosen(self, flag: TfliteTensor, yes: TfliteTensor, no: TfliteTensor) -> TfliteTensor:
        """The first where sequences last, else the second."""
        return self.call.several("SELECT_V2", [flag, yes, no], "SelectV2Options")


def _rnn(
    at: Direction, before: TfliteTensor, states: Sequence[TfliteTensor], own: TfliteTensor, bias: TfliteTensor | None
) -> list[TfliteTensor]:
    return [at.functions[0](at.add(before, at.times(states[0], own, bias)))]


def _gru(
    at: Direction, before: TfliteTensor, states: Sequence[TfliteTensor], own: TfliteTensor, bias: TfliteTensor | None
) -> list[TfliteTensor]:
    """``h' = (1 - z) * n + z * h``; the state is reset before or after its product."""
    h, size = states[0], states[0].shape[1]
    of_input = at.cut(before, 3, size)
    after = bool(at.call.integer("linear_before_reset", 0))
    of_state = at.cut(at.times(h, own, bias), 3, size)
    update, reset = (at.functions[0](at.add(x, y)) for x, y in zip(of_input[:2], of_state[:2], strict=True))
    back = at.mul(reset, of_state[2]) if after else at.cut(at.times(at.mul(reset, h), own, bias), 3, size)[2]
    new = at.functions[1](at.add(of_input[2], back))
    kept = at.mul(update, at.call.pair("SUB", h, new, "SubOptions"))
    return [at.add(new, kept)]


def _lstm(
    at: Direction, before: TfliteTensor, states: Sequence[TfliteTensor], own: TfliteTensor, bias: TfliteTensor | None
) -> list[TfliteTensor]:
    """``c' = f * c + i * g``, ``h' = o * h(c')``."""
    h, c = states
    size, peepholes = h.shape[1], at.part(7)
    i, o, f, g = at.cut(at.add(before, at.times(h, own, bias)), 4, size)
    looks = [None] * 3 if peepholes is None else at.cut(peepholes, 3, size)
    i, f = (x if look is None else at.add(x, at.mul(look, c)) for x, look in ((i, looks[0]), (f, looks[2])))
    i, f, g = at.functions[0](i), at.functions[0](f), at.functions[1](g)
    cell = at.add(at.mul(f, c), at.mul(i, g))
    o = o if looks[1] is None else at.add(o, at.mul(looks[1], cell))
    return [at.mul(at.functions[0](o), at.functions[2](cell)), cell]


_STEPS: dict[str, Callable[..., list[TfliteTensor]]] = {"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}


def _writer(op: str) -> Write:
    def write(call: LoweredCall) -> list[TfliteTensor]:
        steps = call.x().shape[0]
        _check(call)
        flags, way, directions = _flags(call, steps), call.text("direction", "forward"), call.term(1).shape[0]
        inputs = _unpacked(call, call.x())
        outputs, lasts = [], []
        for number in range(directions):
            functions = _functions(call, op, number, directions)
            at = Direction(call, op, number, number == 1 or way == "reverse", functions)
            states = [_first(at, 5 + place) for place in range(2 if op == "LSTM" else 1)]
            outputs.append(at.run(inputs, states, flags))
            lasts.append(states)
        y = _packed(call, [_packed(call, ys) for ys in zip(*outputs, strict=True)])
        return [y, *(_packed(call, last) for last in zip(*lasts, strict=True))][: len(call.results)]

    return write


def _check(call: LoweredCall) -> None:
    x, refused = call.x(), [name for name in REFUSED if call.attributes.get(name)]
    call.wanted(0 < x.shape[0] <= MOST_STEPS, RejectCode.SHAPE, f"1 to {MOST_STEPS} time steps", f"has {x.shape[0]}")
    call.wanted(not refused, RejectCode.ATTRIBUTE, "recurrent layers without clip and input_forget", f"{refused}")
    call.wanted(x.dtype == "float32", RejectCode.DTYPE, "recurrent layers of float32", f"is {x.dtype}")


def _first(at: Direction, position: int) -> TfliteTensor:
    """A first state (B, H), zeros where none is given."""
    shape = (at.call.x().shape[1], at.call.term(2).shape[2])
    return at.part(position) or at.call.builtins.constant(np.zeros(shape, np.float32))


def _unpacked(call: LoweredCall, x: TfliteTensor) -> list[TfliteTensor]:
    count, *rest = x.shape
    return call.builtins.ops("UNPACK", [x], [(None, rest)] * count, "UnpackOptions", num=count, axis=0)


def _packed(call: LoweredCall, xs: Sequence[TfliteTensor]) -> TfliteTensor:
    shape = (len(xs), *xs[0].shape)
    return call.builtins.op("PACK", xs, shape, None, "PackOptions", axis=0, values_count=len(xs))


def _flags(call: LoweredCall, steps: int) -> list[TfliteTensor | None]:
    """For each step whether a sequence is longer (B, 1)."""
    if not call.has(4):
        return [None] * steps
    term = call.term(4)
    if term.constant is not None and bool((term.constant >= steps).all()):
        return [None] * steps
    lengths = call.builtins.cast(call.x(4), "int32")
    column = call.builtins.reshape(lengths, (*lengths.shape, 1))
    return [call.pair("GREATER", column, call.scalar(time, "int32"), "GreaterOptions", "bool") for time in range(steps)]


def _functions(call: LoweredCall, op: str, number: int, directions: int) -> list[Function]:
    found: Any = call.attributes.get("activations") or USUAL[op] * directions
    count = len(USUAL[op])
    names = [str(name).lower() for name in found[number * count : (number + 1) * count]]
    known = len(names) == count and all(name in FUNCTIONS for name in names)
    call.wanted(known, RejectCode.ATTRIBUTE, "activations sigmoid, tanh and relu", f"are {names}")
    return [partial(call.unary, FUNCTIONS[name]) for name in names]


OPERATORS: dict[str, Write] = {op: _writer(op) for op in GATES}
"""Writers of this file by ONNX's names."""
