"""Tensors of a file to values of a graph."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from lite_delegate_kernels import STRING_DTYPE
from lite_delegate_schemas._generated.layout import TABLES

from ....basics.counted import counted
from ....flatbuffer.decoder import Tables
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import DataType, PackedWeights, QuantParam, Value, to_numpy
from ....ir.types.enums import WeightQuantCompressType
from .external import Bytes, SideFiles
from .numbers import read_data_type, read_format
from .tensor_list import check_tensor_list

_T = TypeVar("_T")

CONSTANT = 0
PARAMETER = 1
COMPUTED = 2

QUANT_PARAM_NAMES = {f.name: re.sub("([A-Z])", r"_\1", f.name).lower() for f in TABLES["QuantParam"]}
"""The schema's names of quantization parameters, and ours."""


MANY = 16
"""The quantization parameters of a tensor from which on they are read all at once."""


def read_values(records: Iterable[Record], inputs: set[int], outputs: set[int], side_files: SideFiles) -> list[Value]:
    """A value for each tensor.

    Args:
        records: the tensors.
        inputs: positions of the model's inputs.
        outputs: positions of the model's outputs.
        side_files: the files that hold weights outside the model file.
    """
    values = []
    for i, record in enumerate(records):
        try:
            values.append(_read_value(record, i in inputs, i in outputs, side_files))
        except FormatProblem as problem:
            raise problem.within(tensor_place(i, record["name"])) from None
    return values


def tensor_place(position: int, name: str | None) -> str:
    """The name of a tensor in messages."""
    return f"allTensors[{position}] '{name or ''}'"


def _read_value(record: Record, is_input: bool, is_output: bool, side_files: SideFiles) -> Value:
    dtype = _at("dataType", read_data_type, record)
    value = Value(
        name=record["name"] or "",
        dtype=dtype,
        shape=_shape(record, is_input),
        format=_at("format", read_format, record),
        quant_params=_quant_params(record["quantParams"] or ()),
        quant_clusters=tuple(_list(record["quantClusters"])),
        is_parameter=record["nodeType"] == PARAMETER,
    )
    stored = _stored_bytes(record, side_files)
    if dtype == DataType.TENSOR_LIST:
        _read_tensor_list(value, record, stored)
    elif stored is not None:
        _check_may_have_data(record, is_input, is_output)
        entries = record["externalData"]
        _read_contents(value, record, stored, side_files.axes(entries) if entries else None)
    elif record["nodeType"] == CONSTANT and not is_input and value.shape is not None and 0 in value.shape:
        value.data = _without_elements(value.shape, storage_dtype(dtype))
    return value


def _at(name: str, read: Callable[[int], _T], record: Record) -> _T:
    """Reads the number in field ``name``."""
    try:
        return read(record[name])
    except FormatProblem as problem:
        raise problem.within(name) from None


def storage_dtype(data_type: DataType) -> np.dtype[Any]:
    """The numpy dtype of stored elements. bfloat16, which numpy lacks, is kept as its bits."""
    return np.dtype(np.uint16) if data_type == DataType.BFLOAT16 else to_numpy(data_type)


def _shape(record: Record, is_input: bool) -> tuple[int, ...] | None:
    """The dimensions.

    NOTE: files leave them out for scalars and where the converter knew nothing. A constant or a model input
    without them is a scalar; anything else has an unknown rank, which inference fills in either way.
    """
    if record["dims"] is None:
        return () if is_input or record["nodeType"] == CONSTANT else None
    dims = tuple(_list(record["dims"]))
    if min(dims, default=0) < -1:
        raise FormatProblem(f"expected dimensions of at least -1, found {list(dims)}", "dims")
    return dims


def _stored_bytes(record: Record, side_files: SideFiles) -> Bytes | None:
    """The stored contents, None for a tensor without contents."""
    data: Bytes | None = record["data"]
    if data is not None and data.size:
        return data
    if not record["externalData"]:
        return None
    try:
        return side_files.read(record["externalData"])
    except FormatProblem as problem:
        raise problem.within("externalData") from None


def _check_may_have_data(record: Record, is_input: bool, is_output: bool) -> None:
    """NOTE: contents of a Parameter are kept here; MindSpore Lite rejects them."""
    if is_input:
        raise FormatProblem("a model input must not have data", "data")
    if record["nodeType"] not in (CONSTANT, PARAMETER) and not is_output:
        raise FormatProblem(
            f"a tensor of nodeType {record['nodeType']} that is neither input nor output must not have data", "data"
        )


def _read_contents(value: Value, record: Record, stored: Bytes, axes: tuple[int, ...] | None) -> None:
    compress = _at("weightQuantCompressType", _compress_type, record)
    if compress or record["enableHuffmanCode"] or _is_bit_packed(value):
        value.packed = PackedWeights(stored, compress, record["enableHuffmanCode"])
    elif value.dtype == DataType.STRING:
        value.shape = (stored.size,)
        value.data = stored.view(STRING_DTYPE)
    else:
        value.data = _elements(value, stored, axes)


def _compress_type(number: int) -> WeightQuantCompressType:
    try:
        return WeightQuantCompressType(number)
    except ValueError:
        raise FormatProblem(f"expected 0 to 6, found {number}") from None


def _is_bit_packed(value: Value) -> bool:
    """True when the first quantization parameter has a width that needs packing, and there are dimensions."""
    bits = value.quant_params[0].num_bits if value.quant_params else 8
    return bool(value.shape) and (1 <= bits <= 7 or 9 <= bits <= 15)


def _elements(value: Value, stored: Bytes, axes: tuple[int, ...] | None) -> np.ndarray[Any, Any]:
    """A view of the stored bytes as elements; a copy where they are not aligned, unless it is said in which order its
    axes lie there. Surplus bytes are legal.
    """
    shape = value.shape or ()
    if min(shape, default=1) <= 0:
        raise FormatProblem(f"a tensor with data must have positive dimensions, found {list(shape)}", "dims")
    dtype = storage_dtype(value.dtype)
    size = math.prod(shape) * dtype.itemsize
    if stored.size < size:
        raise FormatProblem(
            f"shape {list(shape)} of {value.dtype.name} takes {counted(size, 'byte')}, found {stored.size:,}", "data"
        )
    if axes is not None:
        if sorted(axes) != list(range(len(shape))):
            raise FormatProblem(f"expected the order of {len(shape)} axes, found {list(axes)}", "externalData")
        laid, back = [shape[axis] for axis in axes], sorted(range(len(axes)), key=axes.__getitem__)
        return stored[:size].view(dtype).reshape(laid).transpose(back)
    elements = stored[:size].view(dtype).reshape(shape)
    return elements if elements.flags.aligned else _read_only(elements.copy())


def _without_elements(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The data of a constant without elements; files leave it out."""
    try:
        return _read_only(np.empty(shape, dtype))
    except ValueError as e:
        raise FormatProblem(f"expected dimensions of a constant, found {list(shape)}", "dims") from e


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def _read_tensor_list(value: Value, record: Record, stored: Bytes | None) -> None:
    """Checks the description that every tensor list carries, and keeps it where the list is a constant.

    NOTE: the lists that nodes give get their element type and shape from those nodes, so the description in
    the file is not kept for them.
    """
    if stored is None:
        raise FormatProblem("a tensor list must have data", "data")
    check_tensor_list(stored)
    if record["nodeType"] == CONSTANT:
        value.packed = PackedWeights(stored, WeightQuantCompressType.NONE)


def _quant_params(tables: Tables | tuple[()]) -> tuple[QuantParam, ...]:
    columns = tables.columns() if isinstance(tables, Tables) and len(tables) >= MANY else None
    if columns is None:
        return tuple(map(_quant_param, tables))
    contents = {QUANT_PARAM_NAMES[name]: column.tolist() for name, column in columns.items()}
    return tuple(map(QuantParam, *(contents[each.name] for each in fields(QuantParam))))


def _quant_param(record: Record) -> QuantParam:
    return QuantParam(**{QUANT_PARAM_NAMES[name]: content for name, content in record.items()})


def _list(array: np.ndarray[Any, Any] | None) -> list[Any]:
    return [] if array is None else list(array.tolist())
