"""The results of lowered kernels."""

from __future__ import annotations

from ....delegate import Kernel
from ....ir import to_numpy
from ..term import Dtype, Lowered, Shape, Term, identity


def given_shape(kernel: Kernel, position: int = 0) -> Shape:
    """The shape that shape inference found for an output."""
    return tuple(kernel.outputs[position].shape)


def given_dtype(kernel: Kernel, position: int = 0) -> Dtype:
    """The element type of an output."""
    return to_numpy(kernel.outputs[position].dtype)


def as_model(term: Term) -> Lowered:
    """A term whose axes are in the model's order."""
    return Lowered(term.shape, term.dtype, identity(len(term.shape)), term)


def like(value: Lowered, term: Term) -> Lowered:
    """A term with the shape and order of axes of a value's term."""
    return Lowered(value.shape, term.dtype, value.order, term)
