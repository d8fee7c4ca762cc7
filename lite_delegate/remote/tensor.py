"""RemoteTensor: a tensor whose contents are in the memory of a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, SupportsIndex

import numpy as np
from lite_delegate_kernels import Array

from ..basics.forking import stays_here
from ..basics.words.one_line import OneLine, extents, quoted
from ..errors import InputError, RemoteError
from ..ir import DataType, to_numpy
from ..tensors.box import slices_of
from ..tensors.dlpack import from_dlpack, is_exchangeable
from ..tensors.tensor import Tensor
from .account import DeviceAccount
from .memory import Holding

Region = tuple[Sequence[int], Sequence[int]]
"""A box of a tensor: its first position, and the one behind its last."""


class RemoteTensor(Tensor, OneLine):
    """A tensor in the memory of a device; ``RemoteContext.create_tensor`` makes it.

    A request reads it there, and leaves outputs there (``InferRequest.set_tensor``). The host has no array of it: what
    is to be seen is brought by ``copy_to``. Its memory is given back by ``release``, or when nobody has the tensor or a
    box of it any more.

    Args:
        context: that it belongs to.
        holding: its memory, which boxes share.
        dtype: the element type.
        box: its part of the memory; None for all.
    """

    __slots__ = ("__weakref__", "_box", "_context", "_holding")

    def __init__(
        self, context: DeviceAccount, holding: Holding, dtype: DataType, box: tuple[slice, ...] | None = None
    ) -> None:
        array = holding.array()
        super().__init__(shape=list((array if box is None else array[box]).shape), dtype=dtype)
        self._context = context
        self._holding = holding
        self._box = box

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: the contents are in the memory of a device of its process."""
        stays_here(self, "pickle an array that copy_to(array) filled")

    @property
    def context(self) -> DeviceAccount:
        """The context that made it."""
        return self._context

    @property
    def device(self) -> str:
        """The device that has the contents."""
        return self._context.device_name

    @property
    def holding(self) -> Holding:
        """Its memory, which boxes of it share."""
        return self._holding

    @property
    def nbytes(self) -> int:
        """The size of the contents in bytes."""
        return self.data_size

    @property
    def memory(self) -> Array:
        """The contents as the device has them, for those who simulate it or run on it; users call ``copy_to``.

        Raises:
            RemoteError: it was released.
            DeviceLost: its device was lost, and the contents with it.
        """
        array = self._holding.array()
        return array if self._box is None else array[self._box]

    def check_held(self) -> None:
        """Raises where the contents are not there any more, as ``memory`` does."""
        self._holding.array()

    @property
    def is_writable(self) -> bool:
        """False where it stands for memory that can only be read, so that it serves inputs only."""
        return self.memory.flags.writeable

    def copy_from(self, source: Any, region: Region | None = None) -> None:
        """Fills the tensor, or a box of it.

        Args:
            source: an array, a tensor, or an array of another library by DLPack, of the element type and shape.
            region: where to.

        Raises:
            InputError: another element type or shape, a box that does not lie in the tensor, or memory that can only
                be read.
            RemoteError, DeviceLost: see ``memory``.
        """
        target = self._part(region)
        if not target.flags.writeable:
            raise InputError(f"{self!r}: its memory can only be read.")
        array = source.memory if isinstance(source, RemoteTensor) else self._seen(source)
        self._check_fits(array, target)
        self._context.brought(array.nbytes, None if not isinstance(source, RemoteTensor) else source.context)
        target[...] = array

    def copy_to(self, target: Any, region: Region | None = None) -> None:
        """Brings the contents, or a box of them, somewhere else.

        Args:
            target: an array or a tensor of the element type and of the shape of what is copied. A remote tensor may
                belong to another context, or device.
            region: what is copied.

        Raises:
            InputError: another element type or shape, a box that does not lie in the tensor, or an array that can only
                be read.
            RemoteError, DeviceLost: see ``memory``.
        """
        if isinstance(target, RemoteTensor):
            target.copy_from(self if region is None else self.roi(*region))
            return
        source, array = self._part(region), self._seen(target)
        self._check_fits(source, array)
        if not array.flags.writeable:
            raise InputError(f"{self!r}: the array to copy to can only be read.")
        self._context.taken(source.nbytes)
        array[...] = source

    def roi(self, begin: Sequence[int], end: Sequence[int]) -> RemoteTensor:
        """A box of the tensor, as a tensor that shares its memory.

        Raises:
            InputError: the box does not lie in the tensor.
            RemoteError, DeviceLost: see ``memory``.
        """
        array, within = self.memory, slices_of(begin, end, self._shape or (), repr(self))
        if self._box is not None:
            within = tuple(
                slice(outer.start + inner.start, outer.start + inner.stop)
                for outer, inner in zip(self._box, within, strict=True)
            )
        del array
        return RemoteTensor(self._context, self._holding, self.dtype, within)

    def release(self) -> None:
        """Gives the memory back, which boxes of the tensor share: none of them can be used any more."""
        self._holding.release()

    def __array__(self, *_: object, **__: object) -> NoReturn:
        """Rejected: contents on a device do not become an array by themselves."""
        self._reject("numpy cannot read")

    @property
    def held(self) -> None:
        """None: the host has nothing of it."""
        return None

    @property
    def has_data(self) -> bool:
        """False: the host has nothing of it."""
        return False

    @property
    def owns_memory(self) -> bool:
        """False: it is written to, and never replaced."""
        return False

    @property
    def _data(self) -> Array | None:
        """What every call of a tensor in the host's memory goes to."""
        self._reject("the host has no array of")

    @_data.setter
    def _data(self, array: Array | None) -> None:
        if hasattr(self, "_context"):
            raise RemoteError(f"{self!r}: its type, shape and memory are what they are; fill it by copy_from.")

    def _reject(self, what: str) -> NoReturn:
        text = f"{what} a tensor on a device: {self!r}. Bring it by copy_to(array)."
        raise RemoteError(text[0].upper() + text[1:])

    def _part(self, region: Region | None) -> Array:
        array = self.memory
        if region is None:
            return array
        if not isinstance(region, tuple | list) or len(region) != 2:
            raise InputError(f"{self!r}: a region is a pair of corners, begin and end, got {region!r}.")
        return array[slices_of(*region, array.shape, repr(self))]

    def _seen(self, given: Any) -> Array:
        """The array of what is not remote."""
        if isinstance(given, Tensor):
            return given.data
        if isinstance(given, np.ndarray):
            return given
        if is_exchangeable(given):
            return from_dlpack(given, repr(self))
        raise TypeError(f"{self!r}: expected Tensor or numpy.ndarray, but got {type(given).__name__}.")

    def _check_fits(self, array: Array, other: Array) -> None:
        wanted = to_numpy(self.dtype)
        if array.dtype != wanted or other.dtype != wanted or array.shape != other.shape:
            raise InputError(
                f"{self!r}: cannot copy {array.dtype} {list(array.shape)} to {other.dtype} {list(other.shape)}; both "
                f"must be {wanted} and of one shape."
            )

    def __str__(self) -> str:
        return repr(self)

    def _line(self) -> str:
        return f"{quoted(self.name)} {self.dtype.name} {extents(self.shape)} on {self.device}"
