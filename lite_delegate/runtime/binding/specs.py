"""Specs: the knowledge of a value before the model runs: an array, a list of arrays, or a subgraph to call."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np
from lite_delegate_kernels import UNKNOWN, ArraySpec, Shape

from ...basics.data_class import dataclass
from ...ir import DataType, Value, has_numpy, to_numpy


@dataclass(frozen=True, slots=True)
class ListSpec:
    """A tensor list.

    Attributes:
        dtype: the element type of its items; None as long as nothing says.
        element_shape: the shape that every item fits, -1 for any size of a dimension; None for any shape.
    """

    dtype: np.dtype[Any] | None
    element_shape: Shape | None


@dataclass(frozen=True, slots=True)
class TensorArraySpec:
    """The handle of a tensor array. Attributes as in ``ListSpec``."""

    dtype: np.dtype[Any] | None
    element_shape: Shape | None


@dataclass(frozen=True, slots=True)
class PartialSpec:
    """A subgraph with some of its inputs bound, for Call.

    Attributes:
        targets: the subgraphs that it may be: pairs of graph index and number of bound inputs.
    """

    targets: frozenset[tuple[int, int]]


Spec: TypeAlias = ArraySpec | ListSpec | TensorArraySpec | PartialSpec
Specs: TypeAlias = dict[Value, Spec]


class SpecConflict(ValueError):
    """Two things that one value cannot be both of; the message names them."""


def spec_of_value(value: Value | None, specs: Specs) -> Spec | None:
    """The spec of a node's input; None for an absent one or one that numpy cannot hold."""
    if value is None:
        return None
    found = specs.get(value)
    if found is None and value.data is not None and has_numpy(value.dtype):
        return ArraySpec(value.data.dtype, value.data.shape, value.data)
    return found


def declared_spec(value: Value, shape: Shape | None) -> ArraySpec | None:
    """The spec of a value with the file's element type; None where numpy cannot hold that.

    The shape of strings is left aside: how many bytes they take shows when they are there.
    """
    if value.dtype == DataType.STRING:
        shape = (UNKNOWN,)
    return ArraySpec(to_numpy(value.dtype), shape) if has_numpy(value.dtype) else None


def join(a: Spec | None, b: Spec | None) -> Spec | None:
    """The spec of a value that is either ``a`` or ``b``. None, for unknown contents, wins.

    Raises:
        SpecConflict: no value can be both: another element type, a list here and an array there.
    """
    if a is None or b is None:
        return None
    if isinstance(a, ArraySpec) and isinstance(b, ArraySpec) and a.dtype == b.dtype:
        value = a.value if spec_key(a) == spec_key(b) else None
        return ArraySpec(a.dtype, join_shapes(a.shape, b.shape), value)
    if isinstance(a, PartialSpec) and isinstance(b, PartialSpec):
        return PartialSpec(a.targets | b.targets)
    if isinstance(a, ListSpec) and isinstance(b, ListSpec):
        return ListSpec(_join_dtypes(a, b), join_shapes(a.element_shape, b.element_shape))
    if isinstance(a, TensorArraySpec) and isinstance(b, TensorArraySpec):
        return TensorArraySpec(_join_dtypes(a, b), join_shapes(a.element_shape, b.element_shape))
    raise SpecConflict(f"{describe(a)} and {describe(b)}")


def join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """The shape of an array that has either shape: -1 where they differ, None for different ranks."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else UNKNOWN for m, n in zip(a, b, strict=True))


def spec_key(spec: Spec | None) -> Hashable:
    """Equal for equal specs. Specs themselves hold arrays, which do not compare to a truth value."""
    if not isinstance(spec, ArraySpec):
        return spec
    return spec.dtype.str, spec.shape, None if spec.value is None else spec.value.tobytes()


def describe(spec: Spec | None) -> str:
    """A spec in words, for messages."""
    match spec:
        case ArraySpec():
            return f"a tensor {spec.dtype} {'of unknown rank' if spec.shape is None else list(spec.shape)}"
        case ListSpec():
            return f"a tensor list of {spec.dtype or 'unknown type'}"
        case TensorArraySpec():
            return f"a tensor array of {spec.dtype or 'unknown type'}"
        case PartialSpec():
            return "a subgraph to call"
        case None:
            return "a tensor of a type that cannot be computed with"


def _join_dtypes(a: ListSpec | TensorArraySpec, b: ListSpec | TensorArraySpec) -> np.dtype[Any] | None:
    if a.dtype is None or b.dtype is None or a.dtype == b.dtype:
        return a.dtype or b.dtype
    raise SpecConflict(f"{describe(a)} and {describe(b)}")
