"""Values of a graph to tensors of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....flatbuffer.decoder import WEIGHT_ALIGNMENT
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import DataType, QuantParam, Value, drop_pages
from .external import Bytes
from .numbers import write_format
from .tensor_list import EMPTY_LIST
from .tensors import COMPUTED, CONSTANT, PARAMETER, QUANT_PARAM_NAMES, storage_dtype


class WeightSink:
    """Decides where contents go: into the file, or into its side file.

    Attributes:
        parts: the parts of the side file, with their offsets.
    """

    def __init__(self, location: str, threshold: int | None) -> None:
        self._location = location
        self._threshold = threshold
        self._end = 0
        self.parts: list[tuple[int, Bytes]] = []

    def refer(self, record: Record, array: np.ndarray[Any, Any]) -> bool:
        """Puts a reference into a tensor's record to where its contents lie already; False: they are to be stored."""
        return False

    def store(self, record: Record, data: Bytes) -> None:
        """Puts contents into a tensor's record, or a reference to them."""
        if self._threshold is None or data.size < max(self._threshold, 1):
            record["data"] = data
            return
        offset = -(-self._end // WEIGHT_ALIGNMENT) * WEIGHT_ALIGNMENT
        self.parts.append((offset, data))
        self._end = offset + data.size
        record["externalData"] = [{"location": self._location, "offset": offset, "length": data.size}]


def tensor_record(value: Value, sink: WeightSink) -> Record:
    """The tensor of a value.

    Raises:
        FormatProblem: the format cannot express the value.
    """
    if value.dtype in (DataType.UNKNOWN, DataType.INVALID):
        raise FormatProblem(f"a file has no number for the data type {value.dtype.name}", "dataType")
    if value.is_constant and value.shape is None:
        raise FormatProblem("a constant must have a shape", "dims")
    record: Record = {
        "nodeType": PARAMETER if value.is_parameter else CONSTANT if value.is_constant else COMPUTED,
        "dataType": int(value.dtype),
        "dims": None if value.shape is None else integers(value.shape, "int", "dims"),
        "format": write_format(value.format),
        "quantParams": [_quant_record(p) for p in value.quant_params] or None,
        "quantClusters": np.array(value.quant_clusters, "<f4") if value.quant_clusters else None,
        "name": value.name,
    }
    _store_contents(record, value, sink)
    return record


def integers(numbers: Any, storage: str, place: str = "") -> np.ndarray[Any, Any]:
    """Whole numbers as a vector of the schema's type ``storage``.

    Raises:
        FormatProblem: a number that the type cannot hold.
    """
    dtype = np.dtype({"int": "<i4", "uint": "<u4", "long": "<i8"}[storage])
    limits = np.iinfo(dtype)
    for number in numbers:
        if not limits.min <= number <= limits.max:
            raise FormatProblem(f"expected {limits.min} to {limits.max}, found {number}", place)
    return np.array(numbers, dtype)


def _store_contents(record: Record, value: Value, sink: WeightSink) -> None:
    if value.packed is not None:
        record["weightQuantCompressType"] = int(value.packed.compress_type)
        record["enableHuffmanCode"] = value.packed.huffman
        sink.store(record, np.ascontiguousarray(value.packed.raw).reshape(-1).view(np.uint8))
    elif value.dtype == DataType.TENSOR_LIST:
        sink.store(record, np.frombuffer(EMPTY_LIST, np.uint8))
    elif value.data is not None and value.data.size:
        little = storage_dtype(value.dtype).newbyteorder("<")
        if value.data.dtype == little and sink.refer(record, value.data):
            return
        data = np.ascontiguousarray(value.data, little)
        if not np.may_share_memory(data, value.data):
            drop_pages(value.data)
        sink.store(record, data.reshape(-1).view(np.uint8))


def _quant_record(param: QuantParam) -> Record:
    return {theirs: getattr(param, ours) for theirs, ours in QUANT_PARAM_NAMES.items()}
