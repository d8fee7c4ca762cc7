"""Reshapes of tensors in any order of axes, against numpy; and where they need no transpose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.backends.lowering import Attributes, Dtype, Shape, Spec, Term
from lite_delegate.backends.lowering.families.movement import transposed
from lite_delegate.backends.lowering.families.reshaping import reshaped
from lite_delegate.backends.lowering.lowering import Lowering
from lite_delegate.backends.lowering.term import Lowered, identity

Array = np.ndarray[Any, Any]


class Numpy:
    """An emitter that computes; it knows transposes and reshapes."""

    takes_unknown = False

    def __init__(self) -> None:
        self.layer = ""
        self.ops: list[str] = []

    def check(self, op: str, operands: Any, results: Any, attributes: Attributes) -> None:
        """Takes everything."""

    def input(self, name: str, dtype: Dtype, shape: Shape) -> Array:
        return np.arange(math.prod(shape), dtype=dtype).reshape(shape)

    def constant(self, array: Array) -> Array:
        return array

    def node(self, op: str, operands: Sequence[Term | None], results: Sequence[Spec], attributes: Any) -> tuple[Array]:
        self.ops.append(op)
        x, *shape = (term.handle for term in operands if term is not None)
        return (x.transpose(attributes["perm"]) if op == "Transpose" else x.reshape(*shape),)


def lowered(shape: Shape, permutation: tuple[int, ...], new: Shape) -> tuple[Array, Array, list[str]]:
    """What comes of a transpose and a reshape after it: the backend's result, numpy's, and the operators."""
    emitter = Numpy()
    lowering = Lowering(emitter)
    x = emitter.input("x", np.dtype(np.int32), shape)
    value = Lowered(shape, x.dtype, identity(len(shape)), Term(x, x.dtype, shape))
    y = reshaped(lowering, transposed(value, permutation), new)
    ops = list(emitter.ops)
    return lowering.in_order(y).handle, x.transpose(permutation).reshape(new), ops


@st.composite
def reshapes(draw: st.DrawFn) -> tuple[Shape, tuple[int, ...], Shape]:
    """A shape, a permutation of it, and another shape of as many elements, made of the same factors."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=5)))
    permutation = tuple(draw(st.permutations(range(len(shape)))))
    factors = [f for axis in permutation for f in ([2, 2] if shape[axis] == 4 else [shape[axis]])]
    cuts = draw(st.lists(st.booleans(), min_size=len(factors), max_size=len(factors)))
    new = [1]
    for factor, is_new in zip(factors, cuts, strict=True):
        new = [*new, factor] if is_new else [*new[:-1], new[-1] * factor]
    return shape, permutation, tuple(new)


@given(reshapes())
def test_the_elements_are_where_numpy_has_them(case: tuple[Shape, tuple[int, ...], Shape]) -> None:
    found, expected, _ = lowered(*case)
    np.testing.assert_array_equal(found, expected)


@given(reshapes())
def test_no_reshape_needs_more_than_one_transpose(case: tuple[Shape, tuple[int, ...], Shape]) -> None:
    *_, ops = lowered(*case)
    assert ops.count("Transpose") <= 1


@pytest.mark.parametrize(
    ("shape", "permutation", "new", "ops"),
    [
        ((2, 6, 4, 5), (0, 2, 3, 1), (2, 4, 5, 2, 3), ["Reshape"]),  # channels of an image split into groups
        ((2, 2, 3, 4, 5), (0, 3, 4, 2, 1), (2, 4, 5, 6), ["Transpose", "Reshape"]),  # groups shuffled, and merged again
        ((2, 6, 4, 5), (0, 2, 3, 1), (2, 20, 6), ["Reshape"]),  # rows and columns that become tokens
        ((2, 6, 4, 5), (0, 2, 3, 1), (2, 120), ["Transpose", "Reshape"]),  # flattened in another order
        ((2, 6, 4, 5), (0, 2, 3, 1), (2, 1, 4, 5, 6), ["Reshape"]),
    ],
)
def test_axes_stay_where_they_are(shape: Shape, permutation: tuple[int, ...], new: Shape, ops: list[str]) -> None:
    found, expected, written = lowered(shape, permutation, new)
    np.testing.assert_array_equal(found, expected)
    assert written == ops


def test_shuffled_channels_stay_outside_of_rows_and_columns() -> None:
    emitter = Numpy()
    x = emitter.input("x", np.dtype(np.int32), (2, 6, 4, 5))
    image = transposed(Lowered(x.shape, x.dtype, identity(4), Term(x, x.dtype, x.shape)), (0, 2, 3, 1))
    lowering = Lowering(emitter)
    groups = transposed(reshaped(lowering, image, (2, 4, 5, 2, 3)), (0, 1, 2, 4, 3))
    shuffled = lowering.in_order(reshaped(lowering, groups, (2, 4, 5, 6)), (0, 3, 1, 2))
    assert emitter.ops == ["Reshape", "Transpose", "Reshape"]
    expected = x.reshape(2, 2, 3, 4, 5).transpose(0, 2, 1, 3, 4).reshape(2, 6, 4, 5)
    np.testing.assert_array_equal(shuffled.handle, expected)
