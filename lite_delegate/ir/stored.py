"""Constants as their files have them, which arithmetic would be slow with."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .mapped import drop_pages

Array = np.ndarray[Any, Any]


class Stored:
    """A constant where its file has it, and a copy at an address that is a multiple of its elements' size.

    Imported constants are views of a file that start at any byte, and may have their axes in another order. Runtimes
    that put weights in an order of their own read them there; for arithmetic, libraries would copy them for each
    prediction: this class makes one copy instead, when it is first needed.

    Args:
        source: the constant in the file.
    """

    __slots__ = ("__weakref__", "_copy", "source")

    def __init__(self, source: Array) -> None:
        self.source = source
        self._copy: Array | None = None

    def copy(self) -> Array:
        """The copy, aligned, C-contiguous and read-only; the file's memory is given back while the copy is made."""
        if self._copy is None:
            copy = self.source.copy()
            copy.flags.writeable = False
            drop_pages(self.source)
            self._copy = copy
        return self._copy


def is_slow(array: Array) -> bool:
    """Whether libraries would copy an array before they compute with it."""
    return not (array.flags.aligned and array.flags.c_contiguous)


_known: WeakValueDictionary[int, Stored] = WeakValueDictionary()


def stored(source: Array) -> Stored:
    """The one of this array: plans for other shapes have tensors of their own, which share it."""
    found = _known.get(id(source))
    if found is None or found.source is not source:
        found = _known[id(source)] = Stored(source)
    return found
