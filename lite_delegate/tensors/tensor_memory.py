"""TensorMemory: a named, typed, shaped buffer, as kernels and the runtime read and write it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from lite_delegate_kernels import Array

from ..basics.unforeseen import out_of_memory
from ..errors import InputError
from ..ir.mapped import FilePlace, file_place
from ..ir.stored import Stored, is_slow, stored
from ..ir.types.data_type import ITEM_SIZES, DataType, to_numpy
from ..ir.types.format import Format
from ..ir.value import QuantParam

UNKNOWN_RANK = -2
"""``Tensor.shape`` is ``[UNKNOWN_RANK]`` when not even the number of dimensions is known (MindSpore's convention)."""


class TensorMemory:
    """The type and shape of a tensor, and its contents, which kernels read and write."""

    __slots__ = (
        "_borrows",
        "_data",
        "_dtype",
        "_format",
        "_name",
        "_numpy",
        "_shape",
        "_stored",
        "is_const",
        "quant_params",
    )

    is_const: bool
    """True for a constant of the model: its data is there before the model runs and never changes."""
    quant_params: tuple[QuantParam, ...]
    """The mapping of integers to real numbers; empty when the tensor is not quantized."""

    _name: str
    _format: Format
    _dtype: DataType
    _shape: tuple[int, ...] | None
    _data: Array | None
    _stored: Stored | None
    _numpy: np.dtype[Any] | None
    _borrows: bool

    @classmethod
    def describe(
        cls,
        name: str,
        dtype: DataType,
        shape: tuple[int, ...] | None,
        format: Format = Format.NHWC,
        *,
        data: Array | None = None,
        is_const: bool = False,
        quant_params: tuple[QuantParam, ...] = (),
        borrows: bool = False,
    ) -> Self:
        """A tensor with everything given; ``shape`` None means that the rank is unknown. ``data`` is not copied.

        ``borrows`` says that the memory is another's and must not be replaced by other memory.
        """
        tensor = object.__new__(cls)
        tensor._name, tensor._format, tensor._shape, tensor._data, tensor._stored = name, format, shape, data, None
        if is_const and data is not None and is_slow(data):
            tensor._data, tensor._stored = None, stored(data)
        tensor._dtype, tensor._numpy = checked_dtype(dtype), None
        tensor.is_const, tensor.quant_params, tensor._borrows = is_const, quant_params, borrows
        return tensor

    @property
    def name(self) -> str:
        """The tensor's name, "" when it has none."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be str, but got {type(name).__name__}.")
        self._name = name

    @property
    def dtype(self) -> DataType:
        """The element type. Setting another one drops the contents."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: DataType) -> None:
        if checked_dtype(dtype) != self._dtype:
            self._data, self._stored, self._dtype, self._numpy = None, None, dtype, None

    @property
    def shape(self) -> list[int]:
        """The dimensions, -1 where unknown, ``[UNKNOWN_RANK]`` when the rank is. A new shape drops the contents."""
        return [UNKNOWN_RANK] if self._shape is None else list(self._shape)

    @shape.setter
    def shape(self, shape: Sequence[int]) -> None:
        checked = checked_shape(shape)
        if checked != self._shape:
            self._data, self._stored, self._shape = None, None, checked

    @property
    def extents(self) -> tuple[int, ...] | None:
        """``shape`` as a tuple: -1 where a dimension is unknown, None when the rank is."""
        return self._shape

    @property
    def format(self) -> Format:
        """The layout tag."""
        return self._format

    @format.setter
    def format(self, format: Format) -> None:
        if not isinstance(format, Format):
            raise TypeError(f"format must be Format, but got {type(format).__name__}.")
        self._format = format

    @property
    def element_num(self) -> int:
        """Number of elements; 0 while a dimension is unknown."""
        shape = self._shape
        return 0 if shape is None or min(shape, default=0) < 0 else math.prod(shape)

    @property
    def data_size(self) -> int:
        """Size of the contents in bytes; 0 while a dimension is unknown."""
        itemsize = ITEM_SIZES.get(self._dtype)
        if itemsize is None:
            return 0 if self.held is None else self.held.nbytes
        return self.element_num * itemsize

    @property
    def has_known_shape(self) -> bool:
        """True when the rank and every dimension are known."""
        return self._shape is not None and min(self._shape, default=0) >= 0

    @property
    def data(self) -> Array:
        """The contents as a numpy array, not copied; zeros when nothing was set.

        A constant that its file has in another order, or where it is not aligned, is copied, once.

        Setting it takes the array without a copy, as a kernel does with its outputs. The array's shape becomes the
        tensor's shape; its dtype must be the tensor's dtype.

        Raises:
            InputError: no contents and an unknown or impossible shape; or an array of another dtype.
            LimitError: no contents, and not enough memory for zeros.
        """
        if self._data is None:
            if self._stored is not None:
                self._data = self._stored.copy()
                return self._data
            if not self.has_known_shape:
                raise InputError(f"Tensor '{self._name}': no data was set and the shape {self.shape} is not known.")
            self._data = self._zeros()
        return self._data

    @data.setter
    def data(self, array: Array) -> None:
        if array.dtype is not self._numpy:
            if array.dtype != to_numpy(self._dtype):
                raise InputError(f"Tensor '{self._name}': expected {self._dtype.name} data, got {array.dtype}.")
            self._numpy = array.dtype  # of all arrays to come, as a rule: kernels set their outputs often
        self._data = array
        self._shape = array.shape

    def _zeros(self) -> Array:
        try:
            return np.zeros(self._shape or (), dtype=to_numpy(self._dtype))
        except ValueError as e:  # more bytes than an address can say
            raise InputError(f"Tensor '{self._name}': no array can have the shape {self.shape}: {e}.") from e
        except MemoryError as e:
            raise out_of_memory(f"Tensor '{self._name}'", e) from e

    def bind(self, array: Array | None) -> None:
        """Points the tensor at ``array`` without any check: the runtime's way in and out of graph kernels."""
        self._data = array

    def take(self) -> Array | None:
        """The contents, which leave the tensor; None without any: the runtime's way out of graph kernels."""
        array, self._data = self._data, None
        return array

    @property
    def held(self) -> Array | None:
        """The contents in their own order; None without contents: no zeros are made.

        The contents of a constant may be in any order in memory, and at an address that is no multiple of its elements'
        size: for callers that copy them, or hand them to a runtime.
        """
        return self._data if self._stored is None else self._stored.source

    @property
    def has_data(self) -> bool:
        """True when contents were set (always, for a constant)."""
        return self.held is not None

    @property
    def file_place(self) -> FilePlace | None:
        """Where in the model's file the contents of a constant lie, which are not read.

        None: it is no constant, or its contents were computed, or its file has them in another order of axes.
        ``shape``, ``dtype`` and ``data_size`` do not read them either.
        """
        return file_place(self.held) if self.is_const and self.held is not None else None

    @property
    def owns_memory(self) -> bool:
        """False where the memory is another's (``shared_memory``, ``roi``): it is written to, and never replaced."""
        return not self._borrows


def checked_dtype(dtype: DataType) -> DataType:
    """The element type; raises TypeError for anything else."""
    if not isinstance(dtype, DataType):
        raise TypeError(f"dtype must be DataType, but got {type(dtype).__name__}.")
    return dtype


def checked_shape(shape: Sequence[int]) -> tuple[int, ...] | None:
    """The shape as a tuple, None for an unknown rank; raises TypeError for anything but a list of integers."""
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"shape must be list or tuple, but got {type(shape).__name__}.")
    for dim in shape:
        if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)):
            raise TypeError(f"shape element must be int, but got {type(dim).__name__}.")
    return None if list(shape) == [UNKNOWN_RANK] else tuple(int(dim) for dim in shape)
