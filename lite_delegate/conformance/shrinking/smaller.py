"""Smaller versions of a case: candidates for the smallest one that still fails.

Candidates have the outputs of the case they come from; the reference kernel says what theirs are, or that there
is no such case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ..judging.case import Array, ConformanceCase

MAX_SINGLE_ELEMENTS = 16
"""Inputs of up to this size are also made simpler element by element."""

Inputs = tuple[Array | None, ...]

_SHORTEN: tuple[Callable[[int], int], ...] = (lambda d: 1, lambda d: d // 2, lambda d: d - 1)


def smaller_cases(case: ConformanceCase) -> Iterator[ConformanceCase]:
    """Every candidate that is one step from the case and really smaller, large steps first."""
    size = size_of(case)
    for candidates in (_shorter, _with_fewer_inputs, _with_fewer_attributes, _simpler):
        yield from (c for c in candidates(case) if size_of(c) < size)


def size_of(case: ConformanceCase) -> tuple[int, ...]:
    """Sizes that are to become small, most important first: elements, inputs, attributes, elements not 0, not whole."""
    arrays = [x for x in case.inputs if x is not None]
    return (
        sum(x.size for x in arrays),
        len(arrays),
        len(case.attributes),
        sum(int(np.count_nonzero(x)) for x in arrays),
        sum(int(np.count_nonzero(x != _rounded(x))) for x in arrays),
    )


def _shorter(case: ConformanceCase) -> Iterator[ConformanceCase]:
    """A dimension cut: wherever that size occurs, attributes and integer constants included or not, or in one place."""
    sizes = sorted({d for x in case.inputs if x is not None for d in x.shape if d > 1}, reverse=True)
    steps = dict.fromkeys((size, shorten(size)) for shorten in _SHORTEN for size in sizes)
    for size, kept in steps:
        for part in (slice(kept), slice(size - kept, None)):
            cut = tuple(None if x is None else _cut(x, _axes(x, size), part) for x in case.inputs)
            yield replace(case, inputs=cut)
            yield _renumbered(replace(case, inputs=cut), size, kept)
            yield from (replace(case, inputs=inputs) for inputs in _cut_one(case.inputs, size, part))


def _axes(x: Array, size: int) -> list[int]:
    return [axis for axis, d in enumerate(x.shape) if d == size]


def _cut(x: Array, axes: Collection[int], part: slice) -> Array:
    return np.asarray(x[tuple(part if axis in axes else slice(None) for axis in range(x.ndim))])


def _cut_one(inputs: Inputs, size: int, part: slice) -> Iterator[Inputs]:
    for i, x in enumerate(inputs):
        if x is not None:
            yield from ((*inputs[:i], _cut(x, [axis], part), *inputs[i + 1 :]) for axis in _axes(x, size))


def _renumbered(case: ConformanceCase, old: int, new: int) -> ConformanceCase:
    """The case with a number replaced in its attributes and in its integer constants."""
    inputs = [
        np.where(x == old, x.dtype.type(new), x)
        if x is not None and i in case.constants and x.dtype.kind in "iu"
        else x
        for i, x in enumerate(case.inputs)
    ]
    attributes = {name: _replaced(value, old, new) for name, value in case.attributes.items()}
    return replace(case, inputs=tuple(inputs), attributes=attributes)


def _replaced(value: Any, old: int, new: int) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(v, old, new) for v in value)
    return new if type(value) is int and value == old else value


def _with_fewer_inputs(case: ConformanceCase) -> Iterator[ConformanceCase]:
    if len(case.inputs) > 1:
        yield replace(case, inputs=case.inputs[:-1], constants=case.constants - {len(case.inputs) - 1})
    for i in range(1, len(case.inputs)):
        yield replace(case, inputs=(*case.inputs[:i], None, *case.inputs[i + 1 :]), constants=case.constants - {i})


def _with_fewer_attributes(case: ConformanceCase) -> Iterator[ConformanceCase]:
    for name in case.attributes:
        yield replace(case, attributes={k: v for k, v in case.attributes.items() if k != name})


def _simpler(case: ConformanceCase) -> Iterator[ConformanceCase]:
    """Inputs with zeros, or whole numbers, in place of some of their elements."""
    for i, x in enumerate(case.inputs):
        if x is None or x.dtype == STRING_DTYPE:
            continue
        for new in _simpler_arrays(x):
            yield replace(case, inputs=(*case.inputs[:i], new, *case.inputs[i + 1 :]))


def _simpler_arrays(x: Array) -> Iterator[Array]:
    yield np.zeros_like(x)
    half = x.size // 2
    yield from (_zeroed(x, part) for part in (slice(half), slice(half, None)) if x.size > 1)
    yield _rounded(x)
    if x.size <= MAX_SINGLE_ELEMENTS:
        yield from (_zeroed(x, slice(k, k + 1)) for k in range(x.size))


def _zeroed(x: Array, part: slice) -> Array:
    new = x.copy()
    new.reshape(-1)[part] = 0
    return new


def _rounded(x: Array) -> Array:
    return np.asarray(np.rint(x)) if x.dtype.kind == "f" else x
