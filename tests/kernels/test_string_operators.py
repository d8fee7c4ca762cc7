"""Packed strings, and the operators on them: what they reject and what is known before they run."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lite_delegate_kernels import (
    STRING_DTYPE,
    UNKNOWN,
    Array,
    ArraySpec,
    KernelInputError,
    pack_strings,
    spec_of,
    unpack_strings,
)
from lite_delegate_kernels._fingerprint import fingerprint64

from tests.kernels.single_node import REGISTRY, infer, run, spec

STRINGS = ArraySpec(STRING_DTYPE, (UNKNOWN,))


def _tensor(*numbers: int, tail: bytes = b"") -> Array:
    return np.frombuffer(struct.pack(f"<{len(numbers)}i", *numbers) + tail, dtype=STRING_DTYPE)


def _ints(*values: int) -> Array:
    return np.array(values, dtype=np.int32)


def test_the_layout_is_count_places_bytes() -> None:
    packed = pack_strings([b"ab", b"", b"c\0d"])
    assert packed.tobytes() == struct.pack("<5i", 3, 20, 22, 22, 25) + b"abc\0d"
    assert pack_strings([]).tobytes() == struct.pack("<2i", 0, 8)


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_strings_come_back(strings: list[bytes]) -> None:
    packed = pack_strings(strings)
    assert (packed.dtype, packed.ndim) == (STRING_DTYPE, 1)
    assert unpack_strings(packed) == strings
    assert unpack_strings(np.repeat(packed, 2)[::2]) == strings


def test_bytes_before_and_after_the_strings_are_left_aside() -> None:
    assert unpack_strings(_tensor(1, 14, 15, tail=b"..a..")) == [b"a"]
    assert unpack_strings(_tensor(0, 0, tail=b"..")) == []


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (_tensor(), "of 0 bytes cannot hold the places of 0 strings"),
        (_tensor(0), "of 4 bytes cannot hold the places of 0 strings"),
        (_tensor(-1, 8), "cannot hold the places of -1 strings"),
        (_tensor(2**31 - 1, 8), "of 8 bytes cannot hold the places of 2147483647 strings"),
        (_tensor(2, 16, 16), "of 12 bytes cannot hold the places of 2 strings"),
        (_tensor(1, 12, 14, tail=b"a"), "of 13 bytes has strings that lie outside"),
        (_tensor(1, 8, 13, tail=b"a"), "lie outside"),
        (_tensor(1, -4, 13, tail=b"a"), "lie outside"),
        (_tensor(2, 16, 18, 17, tail=b"ab"), "lie outside"),
    ],
)
@pytest.mark.parametrize("op", ["SkipGram", "CustomNormalize", "CustomExtractFeatures", "HashtableLookup"])
def test_malformed_tensors_are_rejected(op: str, tensor: Array, message: str) -> None:
    attributes = {"ngram_size": 1} if op == "SkipGram" else {}
    inputs = (_ints(1), _ints(1), tensor) if op == "HashtableLookup" else (tensor,)
    with pytest.raises(KernelInputError, match=message):
        run(op, *inputs, **attributes)


@pytest.mark.parametrize("op", ["SkipGram", "CustomNormalize", "CustomExtractFeatures"])
def test_bytes_are_no_strings(op: str) -> None:
    with pytest.raises(KernelInputError, match="input 0 must be one of string, got uint8"):
        infer(op, spec(12, dtype="uint8"))


@pytest.mark.parametrize("op", ["Abs", "Gather", "Concat", "Shape"])
def test_strings_are_nothing_that_other_operators_take(op: str) -> None:
    kernel = REGISTRY.find(op)
    assert kernel is not None
    assert STRING_DTYPE.name not in kernel.dtypes


def test_projected_items_are_never_strings() -> None:
    with pytest.raises(KernelInputError, match=r"items must be one of bool, .*, got string"):
        infer("LshProjection", spec(2, 3), STRINGS, type="SPARSE")


@pytest.mark.parametrize("size", [0, -1])
def test_skip_gram_needs_a_size(size: int) -> None:
    with pytest.raises(KernelInputError, match=f"ngram_size must be at least 1, got {size}"):
        infer("SkipGram", STRINGS, ngram_size=size)


def test_skip_gram_needs_a_sentence() -> None:
    with pytest.raises(KernelInputError, match="the sentence is missing"):
        run("SkipGram", pack_strings([]), ngram_size=1)
    with pytest.raises(KernelInputError, match="the sentence is missing"):
        infer("SkipGram", spec_of(pack_strings([])), ngram_size=1)


def test_skip_gram_of_many_words_needs_no_recursion() -> None:
    sentence = b" ".join([b"w"] * 3000)
    assert unpack_strings(run("SkipGram", pack_strings([sentence]), ngram_size=3000)) == [sentence]


def test_features_of_constants_have_a_known_number() -> None:
    assert [s.shape for s in infer("CustomExtractFeatures", STRINGS)] == [(UNKNOWN,)] * 2
    for count, size in [(0, 1), (1, 1), (3, 3)]:
        known = infer("CustomExtractFeatures", spec_of(pack_strings([b"a"] * count)))
        assert [s.shape for s in known] == [(size,)] * 2


@pytest.mark.parametrize(
    ("key", "expected"),
    [(b"1footrue", -1541654101129638711), (b"2applefalse", 2794438866806483259), (b"3true", -4880158226897771312)],
)
def test_fingerprints_are_those_of_bigquery(key: bytes, expected: int) -> None:
    """The examples in the documentation of BigQuery's FARM_FINGERPRINT."""
    found = fingerprint64(np.frombuffer(key, dtype=np.uint8).reshape(1, -1))
    assert found.view(np.int64).item() == expected


def test_a_table_has_one_string_per_key() -> None:
    two = pack_strings([b"a", b"b"])
    with pytest.raises(KernelInputError, match="one string per key, got 2 strings for 3 keys"):
        run("HashtableLookup", _ints(1), _ints(1, 2, 3), two)
    with pytest.raises(KernelInputError, match="one string per key, got 2 strings for 3 keys"):
        infer("HashtableLookup", spec(4, dtype="int32"), spec(3, dtype="int32"), spec_of(two))
    known = infer("HashtableLookup", spec(4, dtype="int32"), spec(UNKNOWN, dtype="int32"), STRINGS)
    assert [(s.dtype, s.shape) for s in known] == [(STRING_DTYPE, (UNKNOWN,)), (np.dtype("uint8"), (4,))]


@pytest.mark.parametrize(
    ("shapes", "count", "message"),
    [
        (((2, 3), (4,), (4, 2), (4, 2)), 1, "input 0 must have shape"),
        (((2,), (4, 1), (4, 2), (4, 2)), 1, "keys must have shape"),
        (((2,), (4,), (3, 2), (4, 2)), 1, "labels must have shape"),
        (((2,), (4,), (4, 2), (4, 3)), 1, "weights must have shape"),
        (((2,), (4,), (4, 2), (4, 2)), -1, "output_num must be at least 0, got -1"),
    ],
)
def test_predict_checks_its_table(shapes: tuple[tuple[int, ...], ...], count: int, message: str) -> None:
    specs = [spec(*s, dtype=d) for s, d in zip(shapes, ("int32", "int32", "int32", "float32"), strict=True)]
    with pytest.raises(KernelInputError, match=message):
        infer("CustomPredict", *specs, output_num=count)


@pytest.mark.parametrize("op", ["CustomPredict", "HashtableLookup"])
def test_keys_must_be_sorted(op: str) -> None:
    keys, table = _ints(2, 1), np.zeros((2, 1), dtype=np.int32)
    inputs = (_ints(1), keys, table, table.astype(np.float32)) if op == "CustomPredict" else (_ints(1), keys, table)
    with pytest.raises(KernelInputError, match="keys must be sorted"):
        run(op, *inputs)
    with pytest.raises(KernelInputError, match="keys must be sorted"):
        infer(op, *map(spec_of, inputs))


@pytest.mark.parametrize("tensor", [np.zeros(8, np.uint8), _tensor(0, 8).reshape(2, 4)])
def test_only_vectors_of_the_dtype_are_strings(tensor: Array) -> None:
    with pytest.raises(KernelInputError, match=r"expected packed strings, got .* of shape"):
        unpack_strings(tensor)
