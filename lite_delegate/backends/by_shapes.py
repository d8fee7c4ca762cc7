"""ByShapes: what was found out about kernels, for the shapes that their tensors had then."""

from __future__ import annotations

from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from ..delegate import Kernel

T = TypeVar("T")


class ByShapes(Generic[T]):
    """Values of kernels. A kernel whose tensors have got other shapes has no value any more."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[Kernel, tuple[object, T]] = WeakKeyDictionary()

    def get(self, kernel: Kernel) -> T | None:
        """The value of a kernel; None where there is none for its present shapes."""
        shapes, value = self._kept.get(kernel, (None, None))
        return value if shapes == _shapes(kernel) else None

    def put(self, kernel: Kernel, value: T) -> None:
        """Keeps a value for the present shapes of a kernel."""
        self._kept[kernel] = _shapes(kernel), value


def _shapes(kernel: Kernel) -> object:
    return tuple(tensor.extents for tensor in (*kernel.inputs, *kernel.outputs))
