"""Writes packed constants the way the format defines them, one bit after another."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import numpy as np

from lite_delegate.ir import DataType, PackedWeights, QuantParam, Value
from lite_delegate.ir.types.enums import WeightQuantCompressType as Compression


def low_bits_first(numbers: Sequence[int], width: int, unit: int) -> bytes:
    """Numbers plus ``2**(width - 1)``, lowest bit first, filled up to units of ``unit`` bytes."""
    stream = sum((n + (1 << (width - 1))) << (i * width) for i, n in enumerate(numbers))
    size = ceil(len(numbers) * width / (8 * unit)) * unit
    return stream.to_bytes(size, "little")


class HighBitsFirst:
    """A stream that numbers are put into highest bit first."""

    def __init__(self) -> None:
        self.text = ""

    def put(self, number: int, width: int) -> HighBitsFirst:
        self.text += format(number, f"0{width}b") if width else ""
        return self

    def to_bytes(self) -> bytes:
        padded = self.text + "0" * (-len(self.text) % 8)
        return bytes(int(padded[i : i + 8], 2) for i in range(0, len(padded), 8))


def _distinct(stream: HighBitsFirst, values: Sequence[int], bits: int) -> None:
    stream.put(len(values) % (1 << bits), bits)
    for value in values:
        stream.put(value + (1 << (bits - 1)), bits)


def indexed(numbers: Sequence[int], bits: int) -> bytes:
    values = sorted(set(numbers))
    stream = HighBitsFirst()
    _distinct(stream, values, bits)
    for number in numbers:
        stream.put(values.index(number), ceil(log2(len(values))))
    return stream.to_bytes()


def sparse(numbers: Sequence[int], zeros: Sequence[int], bits: int, gap_bits: int) -> bytes:
    """``zeros``: what counts as zero at each position; a gap that ``gap_bits`` cannot hold ends in a listed zero."""
    listed, gap = [], 0
    for number, zero in zip(numbers, zeros, strict=True):
        if number == zero and gap < (1 << gap_bits) - 1:
            gap += 1
        else:
            listed.append((number, gap))
            gap = 0
    values = sorted({n for n, _ in listed}) or [0]
    stream = HighBitsFirst().put(gap_bits, 8).put(len(listed), 32)
    _distinct(stream, values, bits)
    for number, _ in listed:
        stream.put(values.index(number), ceil(log2(len(values))))
    for _, gap in listed:
        stream.put(gap, gap_bits)
    return stream.to_bytes()


def packed_value(
    raw: bytes,
    shape: tuple[int, ...],
    bits: int,
    kind: Compression = Compression.NONE,
    zero_points: Sequence[int] = (0,),
    huffman: bool = False,
) -> Value:
    params = tuple(QuantParam(scale=0.5, zero_point=z, num_bits=bits) for z in zero_points)
    dtype = DataType.INT8 if bits <= 8 else DataType.INT16
    contents = PackedWeights(np.frombuffer(raw, np.uint8), kind, huffman)
    return Value("w", dtype, shape, quant_params=params, packed=contents)
