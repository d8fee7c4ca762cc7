"""Exchanged buffers: the buffers of a graph kernel that differ from the buffers of its last run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar
from weakref import ref

from ..tensors.tensor import Array

Key = TypeVar("Key")


def exchanged(before: dict[Key, ref[Array]], arrays: Iterable[tuple[Key, Array]]) -> Iterator[tuple[Key, Array]]:
    """The arrays that differ from the last run's. Each array is noted when the next one is asked for. No array
    is kept alive.

    Args:
        before: the arrays of the last run, by key; noted arrays are added.
        arrays: the arrays of this run.
    """
    for key, array in arrays:
        if key not in before or before[key]() is not array:
            yield key, array
            before[key] = ref(array)
