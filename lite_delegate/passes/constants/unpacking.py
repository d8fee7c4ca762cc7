"""The elements of packed constants: bit packing, indexing and sparse coding.

A huge stream is likely malformed: contents that a stream cannot hold are rejected before memory is taken for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...basics.counted import counted
from ...ir import DataType, PackedWeights, QuantParam, Value
from ...ir.types.enums import WeightQuantCompressType
from .bit_fields import BitReader, BitStreamError, Numbers

Elements = np.ndarray[Any, Any]

MAX_ELEMENTS = 1 << 28
"""Most elements of a constant that its stream does not bound: one value repeated takes no bits at all."""

_STORAGE: dict[DataType, np.dtype[Any]] = {DataType.INT8: np.dtype(np.int8), DataType.INT16: np.dtype(np.int16)}


def unpack(value: Value) -> Elements:
    """The elements of a constant that is stored packed.

    Returns:
        The shape and dtype of the value, read-only.

    Raises:
        BitStreamError: how the stream is damaged, or why this way of packing cannot be read.
    """
    packed, shape = value.packed, value.shape
    if packed is None or shape is None or min(shape, default=1) < 1:
        raise BitStreamError(f"a packed constant must have elements, its shape is {shape}")
    count = prod(shape)
    if count > MAX_ELEMENTS:
        raise BitStreamError(f"it has {counted(count, 'element')}, {MAX_ELEMENTS:,} are possible")
    storage = _STORAGE.get(value.dtype)
    if storage is None:
        raise BitStreamError(f"its elements must be INT8 or INT16, are {value.dtype.name}")
    numbers = _numbers(packed, value.quant_params, count)
    limits = np.iinfo(storage)
    if numbers.min() < limits.min or numbers.max() > limits.max:
        raise BitStreamError(f"it holds {numbers.min()} to {numbers.max()}, which {value.dtype.name} cannot")
    elements: Elements = numbers.astype(storage).reshape(shape)
    elements.flags.writeable = False
    return elements


def _numbers(packed: PackedWeights, params: Sequence[QuantParam], count: int) -> Numbers:
    """NOTE: BITPACKING and NONE are the same to MindSpore Lite: ``num_bits`` says how wide elements are."""
    kind = packed.compress_type
    if packed.huffman:
        raise BitStreamError("Huffman coded weights cannot be read; convert the model anew")
    if kind not in _DECODERS:
        raise BitStreamError(f"weights compressed as {kind.name} cannot be read; convert the model anew")
    if not params:
        raise BitStreamError("it has no quantization parameters, which say how wide its elements are")
    bits = params[0].num_bits
    if not 1 <= bits <= 16:
        raise BitStreamError(f"its elements must have 1 to 16 bits, have {bits}")
    return _DECODERS[kind](packed, params, count)


def _bit_packed(packed: PackedWeights, params: Sequence[QuantParam], count: int) -> Numbers:
    """Every element plus ``2**(bits - 1)``, lowest bit first; 16-bit words are little-endian, so bytes will do."""
    bits = params[0].num_bits
    return BitReader(packed.raw, "little").numbers(count, bits) - (1 << (bits - 1))


def _indexed(packed: PackedWeights, params: Sequence[QuantParam], count: int) -> Numbers:
    """The distinct values, then for every element which of them it is."""
    reader = BitReader(packed.raw, "big")
    values = _distinct_values(reader, params[0].num_bits)
    return _chosen(values, reader, count)


def _sparse(packed: PackedWeights, params: Sequence[QuantParam], count: int) -> Numbers:
    """The elements that are not zero, and the number of zeros before each.

    A zero is the zero point of its channel, the channels being equal stretches of the elements. The zeros after the
    last listed element may be as many as a gap can hold.
    """
    reader = BitReader(packed.raw, "big")
    gap_bits, listed = reader.number(8), reader.number(32)
    if gap_bits > 32 or listed > count:
        raise BitStreamError(f"{listed} of {counted(count, 'element')} listed, with gaps of {gap_bits} bits")
    values = _distinct_values(reader, params[0].num_bits)
    elements = _chosen(values, reader, listed)
    positions = np.cumsum(reader.numbers(listed, gap_bits) + 1) - 1
    end = int(positions[-1]) + 1 if listed else 0
    if not end <= count <= end + (1 << gap_bits) - 1:
        raise BitStreamError(f"its listed elements end at {end}, it has {count}")
    if count < len(params):
        raise BitStreamError(f"it has {counted(len(params), 'channel')} and {counted(count, 'element')}")
    zeros = np.array([p.zero_point for p in params], np.int64)
    channel = np.minimum(np.arange(count) // (count // len(params)), len(params) - 1)
    numbers = zeros[channel]
    numbers[positions] = elements
    return numbers


def _distinct_values(reader: BitReader, bits: int) -> Numbers:
    count = reader.number(bits) or 1 << bits
    return reader.numbers(count, bits) - (1 << (bits - 1))


def _chosen(values: Numbers, reader: BitReader, count: int) -> Numbers:
    indices = reader.numbers(count, int(values.size - 1).bit_length())
    if indices.size and indices.max() >= values.size:
        raise BitStreamError(f"element {int(indices.argmax())} is value {indices.max()} of {values.size}")
    return values[indices]


_DECODERS = {
    WeightQuantCompressType.NONE: _bit_packed,
    WeightQuantCompressType.BITPACKING: _bit_packed,
    WeightQuantCompressType.INDEXING: _indexed,
    WeightQuantCompressType.SPARSE: _sparse,
}
