"""Decoders of packed constants: streams written down bit by bit, round trips, damage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate import ModelFormatError
from lite_delegate.ir import DataType, Graph, Node, Value, make_primitive, verify
from lite_delegate.ir.types.enums import WeightQuantCompressType as Compression
from lite_delegate.passes import UnpackConstantsPass
from lite_delegate.passes.constants.bit_fields import BitStreamError
from lite_delegate.passes.constants.unpacking import MAX_ELEMENTS, unpack
from tests.passes.bit_writer import HighBitsFirst, indexed, low_bits_first, packed_value, sparse

WIDTHS = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15])


def flat(value: Value) -> list[int]:
    return [int(n) for n in unpack(value).reshape(-1)]


def test_bits_are_packed_lowest_first_across_bytes() -> None:
    # 3 bits each, stored plus 4: 5, 0, 7 -> 101 000 111, read from the lowest bit of the first byte on.
    raw = bytes([0b11_000_101, 0b0000000_1])
    assert flat(packed_value(raw, (3,), 3)) == [1, -4, 3]


def test_wide_numbers_are_packed_lowest_first_across_little_endian_words() -> None:
    # 10 bits each, stored plus 512: 0x3FF and 0x001 -> word 0 holds 0x3FF and the low 6 bits of 1.
    raw = np.array([0x3FF | 0x001 << 10, 0], "<u2").tobytes()
    assert flat(packed_value(raw, (2,), 10)) == [511, -511]
    assert unpack(packed_value(raw, (2,), 10)).dtype == np.int16


def test_indexing_by_hand() -> None:
    # 4 bits: 3 values, -8, 0 and 7 (stored plus 8), then 2-bit indices 2 0 1 1.
    bits = "0011" + "0000" + "1000" + "1111" + "10" + "00" + "01" + "01"
    raw = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
    assert flat(packed_value(raw, (2, 2), 4, Compression.INDEXING)) == [7, -8, 0, 0]


def test_a_count_of_zero_means_all_values() -> None:
    stream = HighBitsFirst().put(0, 2)
    for stored in (3, 2, 1, 0, 0b00, 0b11):
        stream.put(stored, 2)
    assert flat(packed_value(stream.to_bytes(), (2,), 2, Compression.INDEXING)) == [1, -2]


def test_one_value_takes_no_index_bits() -> None:
    raw = HighBitsFirst().put(1, 4).put(13, 4).to_bytes()
    assert flat(packed_value(raw, (5,), 4, Compression.INDEXING)) == [5] * 5


def test_sparse_by_hand() -> None:
    # Gaps of 2 bits, 2 listed elements; values 5 and -1 of 4 bits; gaps 1 and 2; the zero point is 3.
    stream = HighBitsFirst().put(2, 8).put(2, 32).put(2, 4).put(13, 4).put(7, 4).put(0, 1).put(1, 1).put(1, 2).put(2, 2)
    value = packed_value(stream.to_bytes(), (6,), 4, Compression.SPARSE, zero_points=[3])
    assert flat(value) == [3, 5, 3, 3, -1, 3]


def test_gaps_are_filled_with_the_zero_point_of_their_channel() -> None:
    stream = HighBitsFirst().put(3, 8).put(1, 32).put(1, 4).put(15, 4).put(2, 3)
    value = packed_value(stream.to_bytes(), (2, 3), 4, Compression.SPARSE, zero_points=[1, -2])
    assert flat(value) == [1, 1, 7, -2, -2, -2]


@given(WIDTHS, st.data())
def test_bit_packing_round_trip(bits: int, data: st.DataObject) -> None:
    half = 1 << (bits - 1)
    numbers = data.draw(st.lists(st.integers(-half, half - 1), min_size=1, max_size=60))
    kind = data.draw(st.sampled_from([Compression.NONE, Compression.BITPACKING]))
    raw = low_bits_first(numbers, bits, 1 if bits < 8 else 2)
    assert flat(packed_value(raw, (len(numbers),), bits, kind)) == numbers


@given(st.integers(1, 12), st.data())
def test_indexing_round_trip(bits: int, data: st.DataObject) -> None:
    half = 1 << (bits - 1)
    numbers = data.draw(st.lists(st.integers(-half, half - 1), min_size=1, max_size=60))
    value = packed_value(indexed(numbers, bits), (len(numbers),), bits, Compression.INDEXING)
    assert flat(value) == numbers


@given(st.integers(2, 10), st.integers(1, 6), st.data())
def test_sparse_round_trip(bits: int, gap_bits: int, data: st.DataObject) -> None:
    half = 1 << (bits - 1)
    number = st.integers(-half, half - 1)
    points = data.draw(st.lists(number, min_size=1, max_size=3))
    per_channel = data.draw(st.integers(1, 20))
    zeros = [z for z in points for _ in range(per_channel)]
    numbers = [data.draw(st.one_of(st.just(z), number)) for z in zeros]
    raw = sparse(numbers, zeros, bits, gap_bits)
    assert flat(packed_value(raw, (len(numbers),), bits, Compression.SPARSE, points)) == numbers


def test_numbers_that_cross_a_chunk() -> None:
    numbers = list(np.random.default_rng(1).integers(-4, 4, size=70_001))
    raw = np.packbits(
        (((np.array(numbers) + 4)[:, None] >> np.arange(3)) & 1).astype(np.uint8).reshape(-1), bitorder="little"
    ).tobytes()
    assert flat(packed_value(raw, (70_001,), 3)) == numbers


SPARSE_HEAD = HighBitsFirst().put(2, 8)
DAMAGED = [
    ("bits_too_short", packed_value(b"\x00", (3,), 3), "3 numbers of 3 bits expected, 8 bits left"),
    ("indices_too_short", packed_value(b"\x20\x89", (99,), 4, Compression.INDEXING), "99 numbers of 1 bits expected"),
    ("values_too_short", packed_value(b"\xf0", (1,), 4, Compression.INDEXING), "15 numbers of 4 bits expected"),
    (
        "index_of_no_value",
        packed_value(HighBitsFirst().put(3, 4).put(0, 12).put(3, 2).to_bytes(), (1,), 4, Compression.INDEXING),
        "element 0 is value 3 of 3",
    ),
    ("sparse_empty", packed_value(b"", (4,), 4, Compression.SPARSE), "1 numbers of 8 bits expected, 0 bits left"),
    (
        "more_listed_than_there_are",
        packed_value(SPARSE_HEAD.put(5, 32).to_bytes(), (4,), 4, Compression.SPARSE),
        "5 of 4 elements listed",
    ),
    (
        "gap_too_wide",
        packed_value(HighBitsFirst().put(200, 8).put(1, 32).to_bytes(), (4,), 4, Compression.SPARSE),
        "gaps of 200 bits",
    ),
    (
        "listed_beyond_the_end",
        packed_value(
            HighBitsFirst().put(3, 8).put(1, 32).put(1, 4).put(0, 4).put(7, 3).to_bytes(), (4,), 4, Compression.SPARSE
        ),
        "its listed elements end at 8, it has 4",
    ),
    (
        "tail_longer_than_a_gap",
        packed_value(HighBitsFirst().put(1, 8).put(0, 32).put(1, 4).put(0, 4).to_bytes(), (4,), 4, Compression.SPARSE),
        "its listed elements end at 0, it has 4",
    ),
    (
        "more_channels_than_elements",
        packed_value(
            HighBitsFirst().put(3, 8).put(0, 32).put(1, 4).put(0, 4).to_bytes(), (2,), 4, Compression.SPARSE, [0] * 3
        ),
        "3 channels and 2 elements",
    ),
    ("fse", packed_value(b"abc", (4,), 4, Compression.FSE), "compressed as FSE cannot be read"),
    ("fse_int", packed_value(b"abc", (4,), 4, Compression.FSE_INT), "compressed as FSE_INT cannot be read"),
    ("fse_infer", packed_value(b"abc", (4,), 4, Compression.FSE_INFER), "compressed as FSE_INFER cannot be read"),
    ("huffman", packed_value(b"abc", (4,), 8, huffman=True), "Huffman coded weights cannot be read"),
    ("no_params", packed_value(b"abc", (4,), 4, Compression.INDEXING, []), "no quantization parameters"),
    ("bits_of_no_width", packed_value(b"abc", (4,), 0, Compression.INDEXING), "must have 1 to 16 bits, have 0"),
    ("no_shape", replace(packed_value(b"abc", (4,), 4), shape=None), "its shape is None"),
    ("no_elements", packed_value(b"abc", (4, 0), 4), "its shape is (4, 0)"),
    ("floats", replace(packed_value(b"abc", (4,), 4), dtype=DataType.FLOAT32), "must be INT8 or INT16, are FLOAT32"),
    (
        "does_not_fit_the_type",
        replace(packed_value(low_bits_first([300], 10, 2), (1,), 10), dtype=DataType.INT8),
        "it holds 300 to 300, which INT8 cannot",
    ),
    (
        "one_value_very_often",
        packed_value(HighBitsFirst().put(1, 4).put(0, 4).to_bytes(), (MAX_ELEMENTS, 9), 4, Compression.INDEXING),
        f"it has {MAX_ELEMENTS * 9:,} elements",
    ),
]


@pytest.mark.parametrize(("value", "message"), [d[1:] for d in DAMAGED], ids=[d[0] for d in DAMAGED])
def test_damage_is_named(value: Value, message: str) -> None:
    with pytest.raises(BitStreamError) as error:
        unpack(value)
    assert message in str(error.value)


@given(
    st.binary(max_size=40),
    st.integers(0, 17),
    st.sampled_from([Compression.NONE, Compression.INDEXING, Compression.SPARSE]),
    st.lists(st.integers(1, 2**40), min_size=1, max_size=2).map(tuple),
)
def test_whatever_the_bytes_are_there_is_an_answer(
    raw: bytes, bits: int, kind: Compression, shape: tuple[int, ...]
) -> None:
    value = packed_value(raw, (5,) if bits % 2 else shape, bits, kind)
    try:
        elements = unpack(value)
    except BitStreamError:
        return
    assert elements.shape == value.shape


def reading(*nodes_inputs: list[Value | None]) -> Graph:
    x = Value("x", DataType.FLOAT32, (2, 3))
    nodes = [
        Node(f"n{i}", make_primitive("AddFusion"), [x, *inputs], [Value(f"y{i}", DataType.FLOAT32, (2, 3))])
        for i, inputs in enumerate(nodes_inputs)
    ]
    return Graph("main", [x], [n.outputs[0] for n in nodes], nodes)


def test_the_pass_unpacks_a_shared_constant_once_and_changes_nothing_that_it_is_given() -> None:
    w = packed_value(low_bits_first([1, -2, 3], 4, 1), (3,), 4)
    graph = reading([w], [w])
    result = UnpackConstantsPass().call(graph)
    verify(result.graph)
    assert result.modified
    assert w.packed is not None
    first, second = (n.inputs[1] for n in result.graph.nodes)
    assert first is second
    assert first is not None
    assert first.data is not None
    assert first.data.tolist() == [1, -2, 3]
    assert (first.quant_params[0].num_bits, first.quant_params[0].scale) == (8, 0.5)
    assert not UnpackConstantsPass().call(result.graph).modified


def test_the_pass_unpacks_in_subgraphs_and_leaves_tensor_lists() -> None:
    main = reading([replace(packed_value(b"\0" * 12, (), 8), dtype=DataType.TENSOR_LIST)])
    main.subgraphs.append(reading([packed_value(low_bits_first([1], 4, 1), (1,), 4)]))
    result = UnpackConstantsPass().call(main).graph
    assert result.nodes[0] is main.nodes[0]
    inner = result.subgraphs[0].nodes[0].inputs[1]
    assert inner is not None
    assert inner.packed is None


def test_the_pass_names_constant_and_node() -> None:
    with pytest.raises(ModelFormatError, match=r"Constant 'w' of node 'n0' \(AddFusion\): Huffman coded weights"):
        UnpackConstantsPass().call(reading([packed_value(b"abc", (3,), 8, huffman=True)]))
