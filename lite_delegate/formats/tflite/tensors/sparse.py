"""Sparse constants, expanded to all of their elements.

The file gives a list of levels: first one for each dimension, which counts its blocks, then one for each block, which
counts the elements inside of it. A dense level has all its positions. A compressed one ("SPARSE_CSR") has segments:
position ``p`` of the levels before it owns ``indices[segments[p]:segments[p + 1]]``. The stored elements are those of
the last level, in order. Source: ``SparsityParameters`` in TensorFlow Lite's ``schema.fbs``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from .buffers import Array, CopyBudget
from .layout import enum_names

_FIELD = "sparsity"


@dataclass(frozen=True, slots=True)
class _Level:
    """One level of a sparse tensor.

    Attributes:
        size: how many positions the level has under each position of the levels before it.
        step: how far apart two neighbouring positions are in the dense tensor, in elements.
        segments, indices: of a compressed level; None for a dense one.
    """

    size: int
    step: int
    segments: Array | None
    indices: Array | None


def densified(record: Record, shape: Sequence[int], stored: Array, budget: CopyBudget) -> Array:
    """All elements of a sparse constant, zeros where none is stored; read-only.

    Args:
        record: ``SparsityParameters``.
        shape: of the tensor.
        stored: its stored elements, in a row.
        budget: charged with the dense tensor, before anything is allocated.

    Raises:
        FormatProblem: the levels contradict each other, the shape or the number of stored elements, or the budget is
            spent.
    """
    if any(d < 0 for d in shape):
        raise FormatProblem(f"expected known dimensions of a constant, found {list(shape)}", "shape")
    levels = _levels(record, shape)
    _check_count(levels, stored.size)
    budget.densify(math.prod(shape) * stored.itemsize)
    dense = np.zeros(math.prod(shape), stored.dtype)
    if stored.size:  # Without elements nothing bounds how many positions the levels have.
        dense[_places(levels)] = stored
    dense.flags.writeable = False
    return dense.reshape(tuple(shape))


def _levels(record: Record, shape: Sequence[int]) -> list[_Level]:
    rank = len(shape)
    blocked = _integers(record["block_map"])
    order = _integers(record["traversal_order"])
    records = list(record["dim_metadata"] or ())
    count = rank + len(blocked)
    if len(order) != count or len(records) != count:
        reason = f"expected {counted(count, 'level')} for {counted(rank, 'dimension')} and {len(blocked)} blocks"
        raise FormatProblem(f"{reason}, found {len(order)} in order and {len(records)} described", _FIELD)
    if sorted(order[:rank]) != list(range(rank)) or sorted(order[rank:]) != list(range(rank, count)):
        raise FormatProblem(
            f"expected each of {counted(rank, 'dimension')}, then each block, once, found {order}", "traversal_order"
        )
    if len(set(blocked)) != len(blocked) or not all(0 <= d < rank for d in blocked):
        raise FormatProblem(f"expected different dimensions below {rank}, found {blocked}", "block_map")
    described = list(zip(order, records, strict=True))
    sizes = {blocked[which - rank]: int(each["dense_size"]) for which, each in described if which >= rank}
    for axis, size in sizes.items():
        if size < 1 or shape[axis] % size:
            raise FormatProblem(f"blocks of {size} do not divide dimension {axis} of {list(shape)}", "dim_metadata")
    steps = [math.prod(shape[axis + 1 :]) for axis in range(rank)]
    found = []
    for which, each in described:
        axis = which if which < rank else blocked[which - rank]
        block = sizes.get(axis, 1)
        size, step = (shape[axis] // block, steps[axis] * block) if which < rank else (block, steps[axis])
        found.append(_level(each, size, step))
    return found


def _level(record: Record, size: int, step: int) -> _Level:
    kind = enum_names("DimensionType").get(record["format"])
    if kind == "DENSE":
        if record["dense_size"] != size:
            raise FormatProblem(f"expected a dense level of {size}, found {record['dense_size']}", "dim_metadata")
        return _Level(size, step, None, None)
    if kind is None:
        raise FormatProblem(f"expected a known kind of level, found {record['format']}", "dim_metadata")
    segments, indices = _vector(record, "array_segments"), _vector(record, "array_indices")
    if not segments.size or segments[0] != 0 or segments[-1] != indices.size or np.any(np.diff(segments) < 0):
        raise FormatProblem(f"expected segments that ascend from 0 to {indices.size}", "array_segments")
    if indices.size and not (indices.min() >= 0 and indices.max() < size):
        raise FormatProblem(f"expected indices below {size}", "array_indices")
    return _Level(size, step, segments, indices)


def _vector(record: Record, name: str) -> Array:
    """The numbers of one of the three types of vectors, as int64."""
    member = record[name]
    if member is None or member.record is None or "values" not in member.record:
        raise FormatProblem("must be there, found none", name)
    values = member.record["values"]
    return np.empty(0, np.int64) if values is None else values.astype(np.int64)


def _check_count(levels: Sequence[_Level], stored: int) -> None:
    """Raises FormatProblem unless every compressed level continues the one before it, and the elements are all stored.

    It only counts, so a file cannot make it work for longer than it is itself.
    """
    count = 1
    for position, level in enumerate(levels):
        if level.segments is None or level.indices is None:
            count *= level.size
            continue
        if level.segments.size != count + 1:
            raise FormatProblem(f"level {position}: expected {count + 1} segments, found {level.segments.size}", _FIELD)
        count = level.indices.size
    if count != stored:
        raise FormatProblem(f"its levels hold {counted(count, 'element')}, the file {stored}", _FIELD)


def _places(levels: Sequence[_Level]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where in the dense tensor each stored element goes."""
    places = np.zeros(1, np.int64)
    for level in levels:
        if level.segments is None or level.indices is None:
            places = (places[:, None] + np.arange(level.size) * level.step).reshape(-1)
        else:
            places = np.repeat(places, np.diff(level.segments)) + level.indices * level.step
    return places


def _integers(array: Array | None) -> list[int]:
    return [] if array is None else [int(n) for n in array]
