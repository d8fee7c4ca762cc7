"""Exchanged buffers: the buffers of a graph kernel that differ from those of its last run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar
from weakref import ref

from ..tensors.tensor import Array

Key = TypeVar("Key")


def exchanged(before: dict[Key, ref[Array]], arrays: Iterable[tuple[Key, Array]]) -> Iterator[tuple[Key, Array]]:
    """The arrays that differ from those of the last run. Each array is noted when the next one is asked for. No array
    is kept alive.

    Args:
        before: what they were, by key; what is noted goes there.
        arrays: what they are.
    """
    for key, array in arrays:
        if key not in before or before[key]() is not array:
            yield key, array
            before[key] = ref(array)
