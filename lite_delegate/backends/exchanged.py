"""Which buffers of a graph kernel are others than before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar
from weakref import ref

from ..tensors.tensor import Array

Key = TypeVar("Key")


def exchanged(before: dict[Key, ref[Array]], arrays: Iterable[tuple[Key, Array]]) -> Iterator[tuple[Key, Array]]:
    """Those arrays that are not what they were; each is noted when the next one is asked for. None is kept.

    Args:
        before: what they were, by key; what is noted goes there.
        arrays: what they are.
    """
    for key, array in arrays:
        if key not in before or before[key]() is not array:
            yield key, array
            before[key] = ref(array)
