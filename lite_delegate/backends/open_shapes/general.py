"""General: the common part of the records of one run for several sets of shapes, as one model for all of them.

Two records are compared node by node: operators, attributes, element types, and the readers of each value have to be
the same. The records may differ in

- dimensions of inputs and outputs, which are open then;
- the shape of a Reshape's result: a dimension stays a number, is copied from the operand (0), or follows from the
  other dimensions (-1, one dimension at most);
- other constants that follow from the shapes (places to cut, masks, positions): inputs of the model, which each plan
  binds to its own.

So the model, given the shapes and constants of a record, equals that record: no assumption is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

import numpy as np

from ...basics.data_class import dataclass
from ...tensors.tensor import Array
from ..lowering import Emitter, OpenDim, Shape, Term
from ..rewriting import Handle, Recorder, WrittenOperator, constant_term
from .written_run import WrittenRun

OPEN = -1
MOST_FED = 1024
"""Bytes of a constant of one shape that may have other contents for other shapes: weights may not."""
QUANTIZATION = frozenset({"QuantizeLinear", "DequantizeLinear"})
"""Operators whose constants turn the nodes around them into integer kernels."""

Use: TypeAlias = tuple[int, int]
"""A place where a constant is read: the position of a node, and of its operand."""
Fed: TypeAlias = Mapping[Use, Array]
"""The constants of one record that differ from the first record's."""


@dataclass(frozen=True, slots=True)
class ReshapeDim:
    """One dimension that Reshapes of several records have.

    Attributes:
        size: its number, where the number is the same in all records; None where it differs.
        is_copied: whether it equals the operand's dimension in all records.
    """

    size: int | None
    is_copied: bool

    def joined(self, other: ReshapeDim) -> ReshapeDim:
        """The common form of two dimensions."""
        return ReshapeDim(self.size if self.size == other.size else None, self.is_copied and other.is_copied)

    @property
    def written(self) -> int:
        """As Reshape takes it."""
        return self.size if self.size is not None else 0 if self.is_copied else OPEN


@dataclass(frozen=True, slots=True)
class General:
    """The common part of several records, beside the first record.

    Attributes:
        inputs: dimensions of each input, ``OPEN`` where they differ.
        outputs: dimensions of each output, ``OPEN`` where they differ.
        results: dimensions of each node's results, ``OPEN`` where they differ.
        reshapes: the target dimensions of Reshapes, where they differ.
        fed: the constants that differ, with their dimensions.
    """

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    results: tuple[tuple[Shape, ...], ...]
    reshapes: Mapping[Use, tuple[ReshapeDim, ...]] = field(default_factory=dict)
    fed: Mapping[Use, Shape] = field(default_factory=dict)

    @classmethod
    def of(cls, base: WrittenRun) -> General:
        """The common part of one record with itself: the whole record."""
        results = tuple(tuple(term.shape for term in node.results) for node in base.nodes)
        inputs, outputs = tuple(each[3] for each in base.record.inputs), tuple(term.shape for term in base.outputs)
        return cls(inputs, outputs, results)

    def write(self, base: WrittenRun, emitter: Emitter, constants: Fed | None = None) -> list[Term]:
        """Writes the model to an emitter; returns the terms of its outputs.

        Args:
            base: the first record.
            emitter: the backend's emitter; inputs for the constants of each plan come behind the other inputs.
            constants: the constants of one plan, to be written into the model; None: they are inputs.

        Raises:
            ShapeIsOpen: the emitter writes another model for other shapes.
        """
        record = Recorder(emitter)
        record.inputs = [
            (*each[:3], _given(shape)) for each, shape in zip(base.record.inputs, self.inputs, strict=True)
        ]
        changed = {use: _target(targets) for use, targets in self.reshapes.items()}
        for use, shape in self.fed.items():
            own = _constant(base, use)
            if constants is not None:
                changed[use] = constant_term(constants.get(use, own))
                continue
            term = Term(Handle(), own.dtype, shape)
            record.inputs.append((term.handle, f"constant{len(record.inputs)}", own.dtype, _given(shape)))
            changed[use] = term
        record.nodes = [
            _with(number, node, changed, shapes)
            for number, (node, shapes) in enumerate(zip(base.nodes, self.results, strict=True))
        ]
        return record.replay(base.outputs)

    def constants(self, base: WrittenRun, own: Fed) -> list[Array]:
        """The arrays that one plan binds to the inputs for constants, in order."""
        return [np.ascontiguousarray(own.get(use, _constant(base, use))) for use in self.fed]


def joined(base: WrittenRun, known: General, other: WrittenRun) -> tuple[General, Fed] | None:
    """The common part of several records and one more record, and the constants that this record feeds.

    Args:
        base: the first record.
        known: the common part so far.
        other: the further record.

    Returns:
        None where the further record is another model.
    """
    comparison = _Comparison(base, known, other)
    return (comparison.general(), comparison.own) if comparison.is_one() else None


class _Comparison:
    """Two records while they are compared."""

    def __init__(self, base: WrittenRun, known: General, other: WrittenRun) -> None:
        self._base, self._known, self._other = base, known, other
        self._pairs: dict[Handle, Handle] = {}
        self._reshapes = dict(known.reshapes)
        self._fed = dict(known.fed)
        self.own: dict[Use, Array] = {}

    def general(self) -> General:
        """The common part of the compared records."""
        inputs = [each[3] for each in self._other.record.inputs]
        return General(
            tuple(_opened(a, shape) for a, shape in zip(self._known.inputs, inputs, strict=True)),
            tuple(_opened(a, term.shape) for a, term in zip(self._known.outputs, self._other.outputs, strict=True)),
            tuple(
                tuple(_opened(a, term.shape) for a, term in zip(known, node.results, strict=True))
                for known, node in zip(self._known.results, self._other.nodes, strict=True)
            ),
            self._reshapes,
            self._fed,
        )

    def is_one(self) -> bool:
        """Whether the compared records can be one model."""
        base, other = self._base, self._other
        given = base.record.inputs, other.record.inputs
        ends = (len(given[0]), len(base.nodes), len(base.outputs))
        if ends != (len(given[1]), len(other.nodes), len(other.outputs)):
            return False
        for (mine, _, dtype, shape), (theirs, _, other_dtype, other_shape) in zip(*given, strict=True):
            if dtype != other_dtype or len(shape) != len(other_shape):
                return False
            self._pairs[mine] = theirs
        return all(
            self._are_one(number, *pair) for number, pair in enumerate(zip(base.nodes, other.nodes, strict=True))
        ) and all(
            self._pairs.get(mine.handle) is theirs.handle and len(mine.shape) == len(theirs.shape)
            for mine, theirs in zip(base.outputs, other.outputs, strict=True)
        )

    def _are_one(self, number: int, mine: WrittenOperator, theirs: WrittenOperator) -> bool:
        same = mine.op == theirs.op and mine.attributes == theirs.attributes and mine.layer == theirs.layer
        if not same or (len(mine.operands), len(mine.results)) != (len(theirs.operands), len(theirs.results)):
            return False
        for place in range(len(mine.operands)):
            if not self._reads_one((number, place), mine, theirs):
                return False
        for a, b in zip(mine.results, theirs.results, strict=True):
            if a.dtype != b.dtype or len(a.shape) != len(b.shape):
                return False
            self._pairs[a.handle] = b.handle
        return True

    def _reads_one(self, use: Use, mine: WrittenOperator, theirs: WrittenOperator) -> bool:
        a, b = mine.operands[use[1]], theirs.operands[use[1]]
        if a is None or b is None:
            return a is b
        if a.constant is None or b.constant is None:
            return self._pairs.get(a.handle) is b.handle
        if use not in self._fed and use not in self._reshapes and _are_equal(a.constant, b.constant):
            return True
        if a.dtype != b.dtype or len(a.shape) != len(b.shape) or mine.op in QUANTIZATION:
            return False
        if mine.op == "Reshape" and use[1] == 1 and self._reshapes_one(use, mine, theirs):
            return True
        return self._feeds(use, a.constant, theirs)

    def _reshapes_one(self, use: Use, mine: WrittenOperator, theirs: WrittenOperator) -> bool:
        if use in self._fed:
            return False
        targets = self._reshapes.get(use, _targets(mine))
        others = _targets(theirs)
        if len(targets) != len(others):
            return False
        found = tuple(a.joined(b) for a, b in zip(targets, others, strict=True))
        if sum(target.written == OPEN for target in found) > 1 or any(target.size == 0 for target in found):
            self._reshapes.pop(use, None)
            return False
        self._reshapes[use] = found
        self._keep(use, theirs)
        return True

    def _keep(self, use: Use, theirs: WrittenOperator) -> None:
        term = theirs.operands[use[1]]
        assert term is not None
        assert term.constant is not None
        self.own[use] = term.constant

    def _feeds(self, use: Use, mine: Array, theirs: WrittenOperator) -> bool:
        self._keep(use, theirs)
        own = self.own[use]
        if mine.shape == own.shape and mine.nbytes > MOST_FED and not _are_equal(mine, own):
            return False
        known = self._fed.get(use, tuple(mine.shape))
        self._fed[use] = _opened(known, own.shape)
        return True


def _given(shape: Shape) -> Shape:
    """Dimensions as emitters are given them."""
    dims: tuple[Any, ...] = tuple(OpenDim() if dim == OPEN else dim for dim in shape)
    return dims


def _opened(known: Shape, shape: Shape) -> Shape:
    return tuple(a if a == b else OPEN for a, b in zip(known, shape, strict=True))


def _targets(node: WrittenOperator) -> tuple[ReshapeDim, ...]:
    source, wanted = node.operands[0], node.results[0].shape
    assert source is not None
    return tuple(
        ReshapeDim(size, axis < len(source.shape) and source.shape[axis] == size) for axis, size in enumerate(wanted)
    )


def _target(targets: Sequence[ReshapeDim]) -> Term:
    return constant_term(np.array([target.written for target in targets], np.int64))


def _constant(base: WrittenRun, use: Use) -> Array:
    term = base.nodes[use[0]].operands[use[1]]
    assert term is not None
    assert term.constant is not None
    return term.constant


def _with(number: int, node: WrittenOperator, changed: Mapping[Use, Term], shapes: Sequence[Shape]) -> WrittenOperator:
    operands = [changed.get((number, place), term) for place, term in enumerate(node.operands)]
    results = [replace(term, shape=_given(shape)) for term, shape in zip(node.results, shapes, strict=True)]
    return WrittenOperator(node.op, operands, results, node.attributes, node.layer)


def _are_equal(a: Array, b: Array) -> bool:
    if a is b:
        return True
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    is_one = a.__array_interface__["data"] == b.__array_interface__["data"] and a.strides == b.strides
    return is_one or np.array_equal(a, b)
