"""Tensors of a subgraph to values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from lite_delegate_kernels import STRING_DTYPE

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....flatbuffer.problem import FormatProblem
from ....flatbuffer.schema import Record
from ....ir import DataType, OpenShape, QuantParam, Value, to_numpy
from .buffers import Array, Bytes, CopyBudget, own
from .layout import enum_names
from .sparse import densified

_TYPES = {
    "FLOAT16": DataType.FLOAT16,
    "FLOAT32": DataType.FLOAT32,
    "FLOAT64": DataType.FLOAT64,
    "BOOL": DataType.BOOL,
    "INT4": DataType.INT8,
    "INT8": DataType.INT8,
    "INT16": DataType.INT16,
    "INT32": DataType.INT32,
    "INT64": DataType.INT64,
    "UINT8": DataType.UINT8,
    "UINT16": DataType.UINT16,
    "UINT32": DataType.UINT32,
    "UINT64": DataType.UINT64,
    "STRING": DataType.STRING,
    "COMPLEX64": DataType.FLOAT32,
}
"""NOTE: 4-bit constants are unpacked to int8; complex numbers are pairs on a last dimension of 2."""
_MOST_BITS = 8
_NEVER_SPARSE = ("STRING", "INT4")


@dataclass(slots=True)
class SubgraphTensors:
    """The values of one subgraph, with further facts about them in the file.

    Attributes:
        values: by position in the file.
        unusable: why no operator can read or give a value, where that is so.
        channels: the dimension that the quantization parameters of a value count.
        complex: values of complex numbers.
        variables: values that keep their contents from one run to the next.
        resources: values that are handles of something, such as a variable.
    """

    values: list[Value] = field(default_factory=list)
    unusable: dict[Value, str] = field(default_factory=dict)
    channels: dict[Value, int] = field(default_factory=dict)
    complex: set[Value] = field(default_factory=set)
    variables: set[Value] = field(default_factory=set)
    resources: set[Value] = field(default_factory=set)

    def at(self, position: int, place: str) -> Value:
        """The value at a position.

        Raises:
            FormatProblem: there is no such position.
        """
        if not 0 <= position < len(self.values):
            raise FormatProblem(f"expected positions below {len(self.values)}, found {position}", place)
        return self.values[position]


def read_tensors(
    records: Iterable[Record], buffers: Sequence[Bytes], inputs: set[int], given: set[int], budget: CopyBudget
) -> SubgraphTensors:
    """The tensors of a subgraph.

    Args:
        records: in the file's order.
        buffers: the contents of the file's buffers.
        inputs: positions of the subgraph's inputs.
        given: positions of the inputs and of what operators give.
        budget: for contents that must be copied.

    Raises:
        FormatProblem: a tensor breaks a rule of the format; the message names the tensor.
    """
    tensors = SubgraphTensors()
    for i, record in enumerate(records):
        try:
            _read(tensors, record, buffers, i in inputs, i in given, budget)
        except FormatProblem as problem:
            raise problem.within(f"tensors[{i}] '{record['name'] or ''}'") from None
    return tensors


def _read(
    tensors: SubgraphTensors,
    record: Record,
    buffers: Sequence[Bytes],
    is_input: bool,
    is_given: bool,
    budget: CopyBudget,
) -> None:
    kind = enum_names("TensorType").get(record["type"])
    if kind is None:
        raise FormatProblem(f"expected a known element type, found {record['type']}", "type")
    stored = _stored(record, buffers)
    value = Value(record["name"] or "", _TYPES.get(kind, DataType.UNKNOWN), _shape(record, is_input or stored.size > 0))
    tensors.values.append(value)
    value.open_shape = _usual(record, value) if is_input else None
    value.quant_params = _quant_params(record["quantization"], value.dtype)
    tensors.channels[value] = _channel(record["quantization"])
    if stored.size:
        _check_channels(value, tensors.channels[value])
    reason = _unusable(record, kind, stored, is_given)
    if reason:
        tensors.unusable[value] = reason
    elif not is_given:
        _read_contents(value, record, kind, stored, budget)
    if kind == "RESOURCE":
        tensors.resources.add(value)
    if kind == "COMPLEX64" and not value.is_constant:
        tensors.complex.add(value)
        value.shape = None if value.shape is None else (*value.shape, 2)
    if record["is_variable"] and not is_given:
        tensors.variables.add(value)


def _stored(record: Record, buffers: Sequence[Bytes]) -> Bytes:
    if record["buffer"] >= max(1, len(buffers)):
        raise FormatProblem(f"expected positions below {len(buffers)}, found {record['buffer']}", "buffer")
    return buffers[record["buffer"]] if record["buffer"] else np.empty(0, np.uint8)


def _unusable(record: Record, kind: str, stored: Bytes, is_given: bool) -> str | None:
    if kind not in _TYPES:
        return f"its elements are {kind}"
    if record["sparsity"] is not None and (is_given or kind in _NEVER_SPARSE):
        return "it is stored sparsely, which only constants of numbers of whole bytes may be"
    if kind == "INT4" and not stored.size:
        return "its elements are INT4, which only constants may be"
    if kind == "COMPLEX64" and stored.size:
        return "it is a constant of COMPLEX64"
    if record["quantization"] is not None and record["quantization"]["details_type"]:
        return "its quantization is a custom one"
    return None


def _shape(record: Record, may_be_scalar: bool) -> tuple[int, ...] | None:
    """The dimensions, -1 where the signature has one that is not known.

    NOTE: no dimensions mean a scalar, or an unknown rank. Constants and inputs are scalars then, and so is what the
    file says to have a rank; anything else is taken as unknown, which inference fills in either way.
    """
    shape = _ints(record["shape"])
    signature = _ints(record["shape_signature"])
    if len(signature) == len(shape):
        shape = signature
    if any(d < -1 for d in shape):
        raise FormatProblem(f"expected dimensions of at least -1, found {list(shape)}", "shape")
    return shape if shape or may_be_scalar or record["has_rank"] else None


def _usual(record: Record, value: Value) -> OpenShape | None:
    """The dimensions that the file has beside its open dimensions."""
    shape = _ints(record["shape"])
    is_usual = value.shape is not None and -1 in value.shape and min(shape, default=-1) >= 0
    return OpenShape(usual=shape) if is_usual else None


def _ints(array: Array | None) -> tuple[int, ...]:
    return () if array is None else tuple(array.tolist())


def _quant_params(record: Record | None, dtype: DataType) -> tuple[QuantParam, ...]:
    """One parameter, or one parameter per channel; none where the tensor is not quantized."""
    if record is None or record["scale"] is None:
        return ()
    scales, points = record["scale"].tolist(), _ints(record["zero_point"])
    if len(points) not in (0, 1, len(scales)):
        raise FormatProblem(f"expected {len(scales)} zero points, found {len(points)}", "quantization")
    points = points * len(scales) if len(points) == 1 else points or (0,) * len(scales)
    if any(not -(2**31) <= p < 2**31 for p in points):
        raise FormatProblem("expected zero points of 32 bits", "quantization")
    bits = 8 * to_numpy(dtype).itemsize if dtype.name in ("INT8", "UINT8", "INT16", "INT32") else _MOST_BITS
    return tuple(
        QuantParam(scale=s, zero_point=z, num_bits=bits, narrow_range=False, inited=True)
        for s, z in zip(scales, points, strict=True)
    )


def _check_channels(value: Value, axis: int) -> None:
    """Raises FormatProblem for a constant with several scales that are not one for each index along ``axis``."""
    count, shape = len(value.quant_params), value.shape or ()
    if count > 1 and not (0 <= axis < len(shape) and shape[axis] == count):
        raise FormatProblem(
            f"expected a scale for each index of dimension {axis} of {list(shape)}, found {count}", "quantization"
        )


def _channel(record: Record | None) -> int:
    return 0 if record is None else int(record["quantized_dimension"])


def _read_contents(value: Value, record: Record, kind: str, stored: Bytes, budget: CopyBudget) -> None:
    shape = _ints(record["shape"])
    if kind == "STRING":
        if stored.size:
            value.shape, value.data = (stored.size,), stored.view(STRING_DTYPE)
    elif record["sparsity"] is not None:
        value.shape, value.data = shape, _sparse(record["sparsity"], shape, to_numpy(value.dtype), stored, budget)
    elif kind == "INT4":
        value.shape, value.data = shape, _unpacked(shape, stored, budget)
    elif stored.size or (0 in shape and not record["is_variable"]):
        value.shape, value.data = shape, _elements(shape, to_numpy(value.dtype), stored, budget)


def _elements(shape: tuple[int, ...], dtype: np.dtype[Any], stored: Bytes, budget: CopyBudget) -> Array:
    """A view of the stored bytes as elements; a copy where they are not aligned."""
    _check_size(shape, math.prod(shape) * dtype.itemsize, stored.size)
    try:
        elements = stored.view(dtype).reshape(shape)
    except ValueError as e:
        raise FormatProblem(f"expected dimensions of a constant, found {list(shape)}: {e}", "shape") from None
    return elements if elements.flags.aligned else own(elements, budget)


def _sparse(record: Record, shape: tuple[int, ...], dtype: np.dtype[Any], stored: Bytes, budget: CopyBudget) -> Array:
    if stored.size % dtype.itemsize:
        raise FormatProblem(
            f"expected whole elements of {counted(dtype.itemsize, 'byte')}, found {counted(stored.size, 'byte')}",
            "buffer",
        )
    return densified(record, shape, stored.view(dtype), budget)


def _check_size(shape: tuple[int, ...], size: int, found: int) -> None:
    if any(d < 0 for d in shape) or size != found:
        raise FormatProblem(f"shape {list(shape)} takes {counted(size, 'byte')}, found {found}", "buffer")


def _unpacked(shape: tuple[int, ...], stored: Bytes, budget: CopyBudget) -> Array:
    """4-bit numbers, two to a byte, the lower half first, as int8."""
    count = math.prod(shape)
    _check_size(shape, -(-count // 2), stored.size)
    budget.charge(2 * stored.size)
    low, high = (stored << 4).view(np.int8) >> 4, stored.view(np.int8) >> 4
    unpacked = np.stack([low, high], axis=-1).reshape(-1)[:count].reshape(shape)
    unpacked.flags.writeable = False
    return unpacked
