"""Guard: writes the checks of positions and lengths into a model, or notes the checks to do before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ....basics.data_class import dataclass
from ....tensors.tensor import Array
from ...lowering import FITS, Attributes, OpenDim, Term, as_open, bounded
from ...lowering.places import Bound
from ..models.checks import Checks, GivenPlaces
from ..operators import OperatorCall

COUNTED = {"ArgMax": 0, "ArgMin": 0, "TopK": 1}
"""Operators that give places along their axis, and which of their results these are."""
INT32 = np.iinfo(np.int32)
Sides: TypeAlias = tuple[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """The flags that tell whether places had to be moved inside.

    Attributes:
        flags: bools (n,).
        layers: the kernels that read the places.
    """

    flags: Any
    layers: tuple[str, ...]


class Guard:
    """Places and lengths of one model while it is written.

    1. Places that are an input are checked before each run.
    2. Places that the model computes are moved inside, and an output tells the kernels that needed this.
    3. Places that are inside by the operator that gives them, or constant, which claims check, stay as they are.
    """

    def __init__(self) -> None:
        self._given: list[GivenPlaces] = []
        self._moved: list[list[Moved]] = [[]]  # of the model, and of the graphs inside that are being written
        self._inputs: dict[int, tuple[Any, int, bool]] = {}  # by the handle's id: it, its number, is it surely read
        self._ranges: dict[int, tuple[Any, int, int]] = {}  # likewise: what numbers are known to be between

    def see_input(self, handle: Any, number: int) -> None:
        """Notes the handle of an input."""
        self._inputs[id(handle)] = handle, number, True

    def see_same(self, handle: Any, other: Any, *, is_run: bool) -> None:
        """Notes that a handle inside of a graph stands for one outside; the graph may not be run in each run."""
        if id(other) in self._inputs:
            _, number, is_read = self._inputs[id(other)]
            self._inputs[id(handle)] = handle, number, is_read and is_run
        if id(other) in self._ranges:
            self._ranges[id(handle)] = handle, *self._ranges[id(other)][1:]

    def see_range(self, handle: Any, low: int, high: int) -> None:
        """Notes the range of numbers."""
        self._ranges[id(handle)] = handle, low, high

    def see_results(self, call: OperatorCall, op: str, outputs: Sequence[Any]) -> None:
        """Notes results of an operator that are inside their range, or equal to other positions."""
        if op == "Cast" and call.dtype == np.int64 and call.term(0).dtype.kind == "i":
            self.see_same(outputs[0], call.term(0).handle, is_run=True)
        if op not in COUNTED:
            return
        size = as_open(call.term(0).shape[call.integer("axis", -1 if op == "TopK" else 0)])
        if size > 0:
            self.see_range(outputs[COUNTED[op]], 0, size - 1)

    def guarded(
        self, op: str, operands: Sequence[Term | None], attributes: Attributes, layer: str
    ) -> Sequence[Term | None]:
        """The operands that an operator is to be written with."""
        if FITS in attributes:
            self._demand_int32(operands[0], layer)
        found, x = bounded(op, operands), operands[0] if operands else None
        if found is None or x is None or found[1].constant is not None:
            return operands
        bound, term = found
        axes = bound.axes(term, attributes)
        columns = [axes] if isinstance(axes, int) else [*axes]
        if any(isinstance(x.shape[axis], OpenDim) for axis in columns):
            self._demand_int32(term, layer)
            sides = _open_sides(bound, x.handle, columns, term)
        else:
            sizes = np.array([x.shape[axis] for axis in columns], np.int64)
            low, high = bound.limits(sizes[0] if isinstance(axes, int) else sizes)
            low, high = np.asarray(low), np.asarray(high)
            if self._is_inside(term, low, high) or self._demand(term, low, high, layer):
                return operands
            self._demand_int32(term, layer)
            sides = low.astype(term.dtype), high.astype(term.dtype)
        places = list(operands)
        places[bound.operand] = replace(term, handle=self._inside(term.handle, sides, layer))
        return places

    def _demand(self, term: Term, low: Array, high: Array, layer: str) -> bool:
        """Has an input checked before each run; False where it is none, or a choice decides whether it is read."""
        _, number, is_read = self._inputs.get(id(term.handle), (None, 0, False))
        if is_read:
            self._given.append(GivenPlaces(number, low, high, layer))
        return is_read

    def _demand_int32(self, term: Term | None, layer: str) -> None:
        """Demands that an input of int64 is in the range of int32, to which OpenVINO truncates it."""
        if term is not None and term.dtype == np.int64 and id(term.handle) in self._inputs:
            number = self._inputs[id(term.handle)][1]
            self._given.append(GivenPlaces(number, np.array(INT32.min), np.array(INT32.max), layer))

    def _is_inside(self, term: Term, low: Array, high: Array) -> bool:
        found = self._ranges.get(id(term.handle))
        return found is not None and bool((low <= found[1]).all() and (found[2] <= high).all())

    def _inside(self, places: Any, sides: Sides, layer: str) -> Any:
        """Numbers moved inside. OpenVINO takes a maximum of many numbers sooner than it joins as many bools."""
        from openvino import Type, opset16

        moved = opset16.minimum(opset16.maximum(places, sides[0]).output(0), sides[1]).output(0)
        were_moved = opset16.convert(opset16.not_equal(places, moved).output(0), Type.i32).output(0)
        each = opset16.reshape(were_moved, [-1], False).output(0)
        flag = opset16.greater(opset16.reduce_max(each, np.array([0]), True).output(0), np.array(0, np.int32)).output(0)
        self._moved[-1].append(Moved(flag, (layer,)))
        return moved

    def begin(self) -> None:
        """A graph inside is written from now on."""
        self._moved.append([])

    def end(self) -> Moved | None:
        """Ends the graph that is written now, and gives the flags of places that had to be moved inside of it."""
        return _joined(self._moved.pop())

    def found_inside(self, flags: Any, layers: tuple[str, ...]) -> None:
        """Notes the flags that inner graphs give for their positions."""
        self._moved[-1].append(Moved(flags, layers))

    def finish(self) -> tuple[Checks, Any]:
        """The checks of the model, and the handle of the output for them, which may be None."""
        found = _joined(self._moved[0])
        layers = () if found is None else found.layers
        return Checks(self._given, layers), None if found is None else found.flags


def _open_sides(bound: Bound, x: Any, axes: Sequence[int], term: Term) -> Sides:
    """The smallest and the largest place or length along axes whose sizes are open."""
    from openvino import opset16

    own = term.dtype
    shape = opset16.shape_of(x, {"int32": "i32", "int64": "i64"}[own.name]).output(0)
    sizes = opset16.gather(shape, np.array(axes, np.int64), np.array(0, np.int64)).output(0)
    if bound.is_length:
        return np.zeros((), own), sizes
    return opset16.negative(sizes).output(0), opset16.subtract(sizes, np.ones((), own)).output(0)


def _joined(moved: Sequence[Moved]) -> Moved | None:
    from openvino import opset16

    if not moved:
        return None
    flags = moved[0].flags if len(moved) == 1 else opset16.concat([each.flags for each in moved], 0).output(0)
    return Moved(flags, tuple(layer for each in moved for layer in each.layers))
