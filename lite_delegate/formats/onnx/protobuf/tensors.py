"""Tensors of ONNX files as arrays: views of the file's bytes where possible."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from lite_delegate_kernels.custom.narrow import BFLOAT16, NARROW, bits_of, decoded

from ....basics.counted import counted
from ....flatbuffer.mapping import map_file
from ....flatbuffer.problem import FormatProblem
from ...rejection import NotConvertible, Why
from .messages import AttributeProto, GraphProto, TensorProto
from .types import Dtype, numpy_type, type_name
from .wire import NO_CONTENTS, Contents

Array = np.ndarray[Any, Any]
MessageT = TypeVar("MessageT", TensorProto, GraphProto, AttributeProto)


class TensorData:
    """Reads tensors, and maps the side files that hold some of them.

    Args:
        directory: where the model is; None for a model in memory, which has no side files.
        contents: by what a tensor has for ``raw_data``, the bytes that were cut out of the model there.
    """

    def __init__(self, directory: Path | None, contents: Contents = NO_CONTENTS) -> None:
        self._directory = directory
        self._contents = contents
        self._files: dict[Path, memoryview] = {}

    def array(self, tensor: TensorProto) -> Array:
        """The contents of a tensor, read-only where they are a view; a view may start at any byte.

        Raises:
            FormatProblem: the data do not fit the shape, or a side file is missing or not allowed.
            NotConvertible: an element type that no kernel computes with.
        """
        where = f"tensor '{tensor.name}'"
        if tensor.data_type == TensorProto.STRING:
            raise NotConvertible(Why.DTYPE, "strings, no kernel computes with them")
        dtype = numpy_type(tensor.data_type)
        shape = tuple(tensor.dims)
        if any(d < 0 for d in shape):
            raise FormatProblem(f"dimensions must be >= 0, found {list(shape)}", where)
        if tensor.data_type in NARROW:
            return self._narrow(tensor, shape, where)
        if tensor.data_location == TensorProto.EXTERNAL:
            return self._external(tensor, dtype, shape, where)
        if tensor.HasField("raw_data"):
            raw = tensor.raw_data
            return _view(self._contents.get(raw) or memoryview(raw), dtype, shape, where)
        return _typed(tensor, shape, where)

    def whole(self, message: MessageT) -> MessageT:
        """A message with the contents of its tensors back in their places.

        Raises:
            NotConvertible: a tensor has them in a side file.
        """
        copy = type(message)()
        copy.CopyFrom(message)
        for tensor in _tensors(copy):
            if tensor.data_location == TensorProto.EXTERNAL:
                raise NotConvertible(Why.ATTRIBUTE, f"tensor '{tensor.name}' of an attribute is in a side file")
            found = self._contents.get(tensor.raw_data)
            if found is not None:
                tensor.raw_data = bytes(found)
        return copy

    def _narrow(self, tensor: TensorProto, shape: tuple[int, ...], where: str) -> Array:
        """The elements of a type that numpy does not have, in the type that holds them."""
        kind, count = tensor.data_type, math.prod(shape)
        bits = bits_of(kind)
        stored = np.dtype(np.uint16 if kind == BFLOAT16 else np.uint8)
        size = -(-count * bits // 8)
        if tensor.data_location == TensorProto.EXTERNAL:
            codes = self._external(tensor, stored, (size // stored.itemsize,), where)
        elif tensor.HasField("raw_data"):
            raw = tensor.raw_data
            codes = _view(self._contents.get(raw) or memoryview(raw), stored, (size // stored.itemsize,), where)
        else:
            codes = _listed(tensor.int32_data, stored, size // stored.itemsize, where)
        return decoded(_unpacked(codes, bits, count), kind).reshape(shape)

    def _external(self, tensor: TensorProto, dtype: Dtype, shape: tuple[int, ...], where: str) -> Array:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        content = self._file(entries.get("location", ""), where)
        try:
            offset = int(entries.get("offset") or 0)
            length = int(entries.get("length") or len(content) - offset)
        except ValueError as e:
            raise FormatProblem(f"offset and length of external data must be numbers: {e}", where) from e
        if offset < 0 or length < 0 or offset + length > len(content):
            raise FormatProblem(
                f"external data at {offset}, {counted(length, 'byte')} long, must lie inside the file "
                f"of {counted(len(content), 'byte')}",
                where,
            )
        return _view(content[offset : offset + length], dtype, shape, where)

    def _file(self, location: str, where: str) -> memoryview:
        if self._directory is None:
            raise FormatProblem("has its data in a side file, which a model in memory does not have", where)
        folder = self._directory.resolve()
        path = (folder / location).resolve()
        if not location or Path(location).is_absolute() or not path.is_relative_to(folder):
            raise FormatProblem(f"external data must be in the model's folder, found '{location}'", where)
        if path not in self._files:
            try:
                self._files[path] = map_file(path)
            except FormatProblem as e:
                raise FormatProblem(f"side file '{location}': {e}", where) from e
        return self._files[path]


def _view(data: memoryview, dtype: Dtype, shape: tuple[int, ...], where: str) -> Array:
    expected = math.prod(shape) * dtype.itemsize
    if len(data) != expected:
        raise FormatProblem(f"{list(shape)} {dtype} takes {counted(expected, 'byte')}, found {len(data):,}", where)
    array: Array = np.frombuffer(data, dtype=dtype.newbyteorder("<")).reshape(shape)
    return array if sys.byteorder == "little" else array.astype(dtype)


def _listed(numbers: Sequence[int], stored: Dtype, count: int, where: str) -> Array:
    """Codes that a tensor lists one by one."""
    if len(numbers) != count or not all(0 <= n <= np.iinfo(stored).max for n in numbers):
        raise FormatProblem(f"expected {count} codes of {stored}, found {len(numbers)}", where)
    return np.array(numbers, stored)


def _unpacked(codes: Array, bits: int, count: int) -> Array:
    """One code for each element; the first of several codes in a byte is in its lowest bits."""
    if bits >= 8:
        return codes
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((codes[:, None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(-1)[:count]


def _typed(tensor: TensorProto, shape: tuple[int, ...], where: str) -> Array:
    from onnx import numpy_helper

    try:
        return numpy_helper.to_array(tensor)
    except (ValueError, TypeError, OverflowError) as e:
        kind = type_name(tensor.data_type)
        raise FormatProblem(f"the data do not make {list(shape)} {kind}: {e}", where) from e


def _tensors(message: TensorProto | GraphProto | AttributeProto) -> Iterator[TensorProto]:
    """The tensors in a message, the tensors of inner graphs included."""
    if isinstance(message, TensorProto):
        yield message
    elif isinstance(message, GraphProto):
        yield from message.initializer
        for node in message.node:
            for attribute in node.attribute:
                yield from _tensors(attribute)
    else:
        yield from (*([message.t] if message.HasField("t") else []), *message.tensors)
        for graph in (*([message.g] if message.HasField("g") else []), *message.graphs):
            yield from _tensors(graph)
