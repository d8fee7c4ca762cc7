"""Lowering: kernels of a run, one after another, as operators of an emitter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...delegate import RejectCode
from ...ir import to_numpy
from ...tensors.tensor import Array, Tensor
from .emitter import Attributes, AttributeValue, Emitter, Spec
from .not_lowered import NotLowered
from .places import check_constant_places
from .term import Axes, Dtype, Lowered, Shape, Term, identity, moving


class Lowering:
    """The tensors of one run while it is lowered into an emitter.

    Args:
        emitter: the emitter to write to.
    """

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self._values: dict[Tensor, Lowered] = {}
        self._small: dict[tuple[str, Shape, bytes], Term] = {}

    @property
    def takes_unknown(self) -> bool:
        """Whether the emitter takes dimensions that are unknown, -1."""
        return self._emitter.takes_unknown

    def take(self, tensor: Tensor, name: str | None = None) -> None:
        """Makes an input of the run an input of the backend's model, in the model's order of axes.

        Args:
            tensor: the input.
            name: of the model's input; None: the tensor's.
        """
        shape, dtype = tuple(tensor.shape), to_numpy(tensor.dtype)
        term = Term(self._emitter.input(tensor.name if name is None else name, dtype, shape), dtype, shape)
        self._values[tensor] = Lowered(shape, dtype, identity(len(shape)), term)

    def define(self, tensor: Tensor, value: Lowered) -> None:
        """Sets the value of a tensor of the run."""
        self._values[tensor] = value

    def value(self, tensor: Tensor) -> Lowered:
        """The value of a tensor of the run: an input, a constant, or an output of an earlier kernel."""
        found = self._values.get(tensor)
        if found is None:
            array = tensor.data if tensor.held is None else tensor.held
            found = self._values[tensor] = constant_value(array)
        return found

    def emit(
        self, op: str, operands: Sequence[Term | None], dtype: Dtype, shape: Sequence[int], **attributes: AttributeValue
    ) -> Term:
        """The only result of an operator, of this element type and shape.

        Raises:
            NotLowered: the backend cannot do it.
        """
        (term,) = self.emit_several(op, operands, [(dtype, tuple(shape))], **attributes)
        return term

    def emit_several(
        self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], **attributes: AttributeValue
    ) -> list[Term]:
        """The results of an operator.

        Raises:
            NotLowered: the backend cannot do it.
        """
        self._check(op, operands, results, attributes)
        handles = self._emitter.node(op, operands, results, attributes)
        return [Term(handle, *spec) for handle, spec in zip(handles, results, strict=True)]

    def can(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], **given: AttributeValue) -> bool:
        """Whether the backend has an operator for these element types."""
        try:
            self._check(op, operands, results, given)
        except NotLowered:
            return False
        return True

    def _check(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Attributes) -> None:
        check_constant_places(op, operands, attributes)
        self._emitter.check(op, operands, results, attributes)

    def array(self, array: Array) -> Term:
        """A constant in the backend's order of axes."""
        return Term(self._emitter.constant(array), array.dtype, array.shape, array)

    def small(self, array: Array) -> Term:
        """A constant of few bytes; equal ones are one term."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._small:
            self._small[key] = self.array(array)
        return self._small[key]

    def ints(self, values: Sequence[int]) -> Term:
        """A constant of int64 (n,): axes, sizes, positions."""
        return self.small(np.array(values, np.int64))

    def scalar(self, value: float, dtype: Dtype) -> Term:
        """A constant without dimensions."""
        return self.small(np.array(value, dtype))

    def in_order(self, value: Lowered, order: Axes | None = None) -> Term:
        """A tensor with its axes in an order, the model's where None is given.

        One transpose is written for each order that is asked for; none where axes of a single element change places,
        or none do.
        """
        wanted = identity(value.rank) if order is None else order
        if value.term is not None and wanted == value.order:
            return value.term
        if wanted not in value.made:
            value.made[wanted] = self._reordered(value, wanted)
        return value.made[wanted]

    def _reordered(self, value: Lowered, order: Axes) -> Term:
        if value.constant is not None:
            return self.array(value.constant if order == identity(value.rank) else value.constant.transpose(order))
        assert value.term is not None
        shape = tuple(value.shape[axis] for axis in order)
        if moving(value.order, value.shape) == moving(order, value.shape):
            if value.term.shape == shape:
                return value.term
            return self.emit("Reshape", [value.term, self.ints(shape)], value.dtype, shape)
        permutation = [value.order.index(axis) for axis in order]
        return self.emit("Transpose", [value.term], value.dtype, shape, perm=permutation)


def constant_value(array: Array) -> Lowered:
    """A constant in the model's order of axes."""
    return Lowered(array.shape, array.dtype, identity(array.ndim), None, array)


def wanted(condition: bool, code: RejectCode, rule: str, found: str = "") -> None:
    """Rejects the kernel unless a condition holds.

    Raises:
        NotLowered: it does not.
    """
    if not condition:
        raise NotLowered(code, rule, found)
