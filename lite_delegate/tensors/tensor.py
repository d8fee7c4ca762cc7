"""Tensor: a named, typed, shaped buffer, as callers fill and read it; ``TensorMemory`` is what kernels have of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from lite_delegate_kernels import KernelInputError

from ..basics.counted import counted
from ..basics.words.one_line import OneLine, extents, quoted
from ..errors import InputError
from ..ir.types.data_type import DataType, from_numpy, has_numpy, to_numpy
from ..ir.types.format import Format
from .box import slices_of
from .dlpack import from_dlpack
from .strings import packed, unpacked
from .tensor_memory import TensorMemory, checked_dtype, checked_shape

Array = np.ndarray[Any, Any]


class Tensor(TensorMemory, OneLine):
    """A named, typed, shaped buffer, with the interface of ``mindspore_lite.Tensor``.

    Args:
        tensor: another Tensor or a numpy array to copy dtype, shape and contents from.
        shape: the dimensions; with ``tensor`` they must agree.
        dtype: the element type; with ``tensor`` it must agree.
        device: None for the host's memory; "npu", "npu:0" (by number) or "npu:PROFILE" for that of a device;
            "ascend", which there is none of, is the host's, with a warning. Only ``lite_delegate.Tensor`` has devices.
        shared_memory: whether the array's memory is the tensor's, too, instead of a copy. It must be C-contiguous; one
            that can only be read does for inputs.

    Without ``tensor`` the contents are zeros, FLOAT32 and rank 0 unless ``dtype`` and ``shape`` say otherwise.

    Raises:
        TypeError: an argument of the wrong type, or one that disagrees with ``tensor``.
        InputError: (a ValueError) there is no such device.
    """

    __slots__ = ()

    _class_on: ClassVar[Callable[[object], type[Any]] | None] = None

    def __new__(
        cls,
        tensor: Tensor | Array | None = None,
        shape: Sequence[int] | None = None,
        dtype: DataType | None = None,
        device: str | None = None,
        *,
        shared_memory: bool = False,
    ) -> Self:
        """A tensor on a device is of another class, which ``with_devices`` says how to find."""
        if device is None or cls is not Tensor:
            return object.__new__(cls)
        if Tensor._class_on is None:
            raise InputError(f"device must be None, but got {device!r}: only lite_delegate.Tensor has devices.")
        found: type[Self] = Tensor._class_on(device)
        return object.__new__(found)

    def __init__(
        self,
        tensor: Tensor | Array | None = None,
        shape: Sequence[int] | None = None,
        dtype: DataType | None = None,
        device: str | None = None,
        *,
        shared_memory: bool = False,
    ) -> None:
        if tensor is not None and not isinstance(tensor, (Tensor, np.ndarray)):
            raise TypeError(f"tensor must be Tensor or numpy.ndarray, but got {type(tensor).__name__}.")
        if shared_memory and not isinstance(tensor, np.ndarray):
            raise TypeError(f"tensor must be numpy.ndarray where memory is shared, but got {type(tensor).__name__}.")
        self._name = ""
        self._format = Format.NCHW
        self._dtype = DataType.FLOAT32
        self._shape = ()
        self._data, self._stored, self._numpy = None, None, None
        self.is_const = False
        self.quant_params = ()
        self._borrows = shared_memory
        if tensor is None:
            self._dtype = DataType.FLOAT32 if dtype is None else checked_dtype(dtype)
            self._shape = () if shape is None else checked_shape(shape)
            return
        self._share(tensor) if isinstance(tensor, np.ndarray) and shared_memory else self._copy_from(tensor)
        if shape is not None and checked_shape(shape) != self._shape:
            raise TypeError(f"shape must be that of tensor, {self.shape}, but got {list(shape)}.")
        if dtype is not None and checked_dtype(dtype) != self._dtype:
            raise TypeError(f"dtype must be that of tensor, {self._dtype.name}, but got {dtype.name}.")

    def _share(self, array: Array) -> None:
        if not array.flags.c_contiguous:
            raise InputError(f"Shared memory must be C-contiguous, got an array with strides {array.strides}.")
        self._dtype, self._shape = _dtype_of(array), array.shape
        if array.dtype != to_numpy(self._dtype):
            raise InputError(f"Shared memory must be of this machine's byte order, got {array.dtype.str}.")
        self._data = array

    def _copy_from(self, tensor: Tensor | Array) -> None:
        if isinstance(tensor, Tensor):
            self._name, self._format = tensor._name, tensor._format
            self._dtype, self._shape = tensor._dtype, tensor._shape
            self.quant_params = tensor.quant_params
            self._data = tensor._copied()
            return
        self._dtype = _dtype_of(tensor)
        self._shape = tensor.shape
        self._data = np.array(tensor, dtype=to_numpy(self._dtype), order="C")

    def _copied(self) -> Array | None:
        """A copy of the contents, in the host's memory."""
        array = self._data if self._stored is None else self._stored.source
        return None if array is None else array.copy()

    @property
    def device(self) -> str:
        """Always ``"None:-1"``: host memory."""
        return "None:-1"

    @classmethod
    def from_dlpack(cls, given: Any) -> Tensor:
        """A tensor whose memory is that of an array of another library (PyTorch, JAX, ...), by DLPack.

        Raises:
            InputError: it is not in the host's memory, not C-contiguous, or of a type that there is none of here.
        """
        return cls(from_dlpack(given, "Tensor.from_dlpack"), shared_memory=True)

    def __dlpack__(self, **options: Any) -> Any:
        """The contents for other libraries, not copied: ``torch.from_dlpack(tensor)``. See the array API standard.

        Raises:
            BufferError: strings, and types that DLPack does not have.
        """
        if self._dtype == DataType.STRING:
            raise BufferError(f"Tensor '{self._name}': DLPack has no strings.")
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Where the contents are: in the host's memory."""
        kind, number = self.data.__dlpack_device__()
        return int(kind), number

    def roi(self, begin: Sequence[int], end: Sequence[int]) -> Tensor:
        """A box of the tensor, as a tensor that shares its memory.

        Args:
            begin: the first position of the box, for each dimension.
            end: the position behind its last.

        Raises:
            InputError: the box does not lie in the tensor; or a tensor of strings, or one whose shape is not known.
        """
        if self._dtype == DataType.STRING or not has_numpy(self._dtype):
            raise InputError(f"Tensor '{self._name}': a box of a tensor needs elements of whole bytes and of one size.")
        view = self.data[slices_of(begin, end, self.data.shape, f"Tensor '{self._name}'")]
        name, dtype, quantized = self._name, self._dtype, self.quant_params
        return Tensor.describe(name, dtype, view.shape, self._format, data=view, quant_params=quantized, borrows=True)

    def get_data_to_numpy(self) -> Array:
        """The contents as an array that shares the tensor's memory; an empty one while the shape is not known."""
        if not self.has_data and not self.has_known_shape:
            return np.empty((0,), dtype=to_numpy(self._dtype))
        return self.data

    def set_data_from_numpy(self, numpy_obj: Array) -> None:
        """Copies an array of the tensor's dtype and size into the tensor; the tensor's shape stays.

        Raises:
            TypeError: not a numpy array, or a dtype that no tensor has.
            InputError: (a RuntimeError) dtype or number of bytes differ from the tensor's.
        """
        if not isinstance(numpy_obj, np.ndarray):
            raise TypeError(f"numpy_obj must be numpy.ndarray, but got {type(numpy_obj).__name__}.")
        given = _dtype_of(numpy_obj)
        if given != self._dtype:
            raise InputError(f"Tensor '{self._name}': expected {self._dtype.name} data, got {given.name}.")
        if not self.has_known_shape or numpy_obj.nbytes != self.data_size:
            raise InputError(
                f"Tensor '{self._name}': expected {counted(self.data_size, 'byte')} for shape {self.shape}, got "
                f"{counted(numpy_obj.nbytes, 'byte')} of shape {list(numpy_obj.shape)}."
            )
        self._data = np.array(numpy_obj, dtype=to_numpy(self._dtype), order="C").reshape(self._shape or ())

    def set_strings(self, strings: Sequence[str | bytes]) -> None:
        """Fills a STRING tensor; its shape becomes ``[number of bytes]``. (``MSTensor::StringsToTensor`` in C++.)

        Args:
            strings: str, which are stored as UTF-8, or bytes.

        Raises:
            TypeError: not a list or tuple of these.
            InputError: the tensor is not of strings.
        """
        self._check_strings()
        if not isinstance(strings, (list, tuple)):
            raise TypeError(f"strings must be list or tuple, but got {type(strings).__name__}.")
        self.data = packed(strings)

    def get_strings(self) -> list[str]:
        """The strings of a STRING tensor. (``MSTensor::TensorToStrings`` in C++.)

        Bytes that are not UTF-8 come as lone surrogates, as ``os.fsdecode`` gives them; ``set_strings`` turns them
        back into the same bytes.

        Raises:
            InputError: the tensor is not of strings, has no contents, or contents that are no packed strings.
        """
        self._check_strings()
        try:
            return unpacked(self.data)
        except KernelInputError as e:
            raise InputError(f"Tensor '{self._name}': {e}.") from e

    def _check_strings(self) -> None:
        if self._dtype != DataType.STRING:
            raise InputError(f"Tensor '{self._name}': expected a tensor of STRING, got {self._dtype.name}.")

    def __str__(self) -> str:
        return (
            f"name: {self.name},\ndtype: {self.dtype},\nshape: {self.shape},\nformat: {self.format},\n"
            f"element_num: {self.element_num},\ndata_size: {self.data_size}.\ndevice: {self.device}"
        )

    def _line(self) -> str:
        return f"{quoted(self.name)} {self.dtype.name} {extents(self.shape)}"


def with_devices(class_on: Callable[[object], type[Tensor]]) -> None:
    """Lets ``Tensor`` find the class of tensors on a device: the rooms of devices lie above this one.

    Args:
        class_on: the class for ``device``, which derives from ``Tensor``; raises InputError where there is none.
    """
    Tensor._class_on = class_on


def empty_like(tensor: Tensor) -> Tensor:
    """A variable tensor like another, without contents."""
    return Tensor.describe(tensor.name, tensor.dtype, tensor.extents, tensor.format, quant_params=tensor.quant_params)


def filled_like(tensor: Tensor, array: Array) -> Tensor:
    """A variable tensor like another with contents, whose shape is its own; the array is not copied, nor checked."""
    filled = object.__new__(Tensor)
    filled._name, filled._format, filled._shape, filled._data = tensor._name, tensor._format, array.shape, array
    filled._dtype, filled._numpy, filled._stored = tensor._dtype, None, None
    filled.is_const, filled.quant_params, filled._borrows = False, tensor.quant_params, False
    return filled


def _dtype_of(array: Array) -> DataType:
    try:
        return from_numpy(array.dtype)
    except ValueError as e:
        raise TypeError(str(e)) from e
