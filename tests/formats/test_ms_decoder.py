"""Structural damage, one kind at a time: every offset, vtable, length and terminator is checked with its place."""

from __future__ import annotations

import mmap
import struct
from typing import Any

import numpy as np
import pytest
from lite_delegate_schemas._generated.layout import TABLES

from lite_delegate.flatbuffer.decoder import MAX_SIZE, Decoder, decode
from lite_delegate.flatbuffer.encoder import encode
from lite_delegate.flatbuffer.problem import FormatProblem
from lite_delegate.formats.ms.schema import MS
from tests.formats.handmade import M, generated

CONTENT = M().bytes()
META = generated("MetaGraph").MetaGraph.GetRootAs(CONTENT)


def field_of(table: Any, name: str, table_name: str) -> int:
    """The position of a field in a flatc reader's table."""
    number = next(f.id for f in TABLES[table_name] if f.name == name)
    return int(table._tab.Pos + table._tab.Offset(4 + 2 * number))


def target(position: int) -> int:
    return position + int(struct.unpack_from("<I", CONTENT, position)[0])


ROOT = META._tab.Pos
VTABLE = ROOT - struct.unpack_from("<i", CONTENT, ROOT)[0]
VERSION = field_of(META, "version", "MetaGraph")
TENSOR = META.AllTensors(1)
NAME = field_of(TENSOR, "name", "Tensor")
DATA = field_of(TENSOR, "data", "Tensor")
TYPE = field_of(META.Nodes(0).Primitive(), "value", "Primitive")


def walk(record: Any) -> None:
    """Decodes everything, lists of tables too."""
    if isinstance(record, dict):
        for value in record.values():
            walk(value)
    elif hasattr(record, "record"):
        walk(record.record)
    elif record is not None and not isinstance(record, (str, int, float, np.ndarray)):
        for item in record:
            walk(item)


def patched(position: int, layout: str, number: int) -> bytes:
    data = bytearray(CONTENT)
    struct.pack_into(layout, data, position, number)
    return bytes(data)


def test_the_undamaged_file_decodes() -> None:
    walk(decode(memoryview(CONTENT), MS))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CONTENT[:7], "expected 8 to 2,147,483,647 bytes, found 7"),
        (CONTENT[:4] + b"MSL1" + CONTENT[8:], "expected the identifier b'MSL2' at byte 4, found b'MSL1'"),
        (patched(0, "<I", ROOT + 2), f"byte {ROOT + 2} is not a multiple of 4"),
        (patched(0, "<I", len(CONTENT)), f"offset {len(CONTENT)} at byte 0 leaves the {len(CONTENT):,} bytes"),
        (patched(0, "<I", len(CONTENT) - 2), f"4 bytes at byte {len(CONTENT) - 2} must lie inside"),
        (patched(ROOT, "<i", ROOT + 4), "4 bytes at byte -4 must lie inside"),
        (patched(ROOT, "<i", ROOT - len(CONTENT)), f"4 bytes at byte {len(CONTENT)} must lie inside"),
        (patched(ROOT, "<i", 1), f"byte {ROOT - 1} is not a multiple of 2"),
        (patched(VTABLE, "<H", 2), f"vtable at byte {VTABLE}: expected an even size of at least 4, found 2"),
        (patched(VTABLE, "<H", 21), f"vtable at byte {VTABLE}: expected an even size of at least 4, found 21"),
        (patched(VTABLE, "<H", 65534), f"65,534 bytes at byte {VTABLE} must lie inside"),
        (patched(VERSION, "<I", 0), f"version: offset 0 at byte {VERSION} leaves"),
        (patched(VERSION, "<I", 6), f"version: byte {VERSION + 6} is not a multiple of 4"),
        (patched(target(VERSION), "<I", 2**32 - 1), "version: 4,294,967,295 bytes at byte .* must lie inside"),
        (patched(target(VERSION), "<I", 5), r"version: the string of 5 bytes at byte \d+ does not end in a zero byte"),
        (patched(target(NAME), "<I", 2), r"allTensors\[1\].name: the string of 2 bytes .* does not end in a zero"),
        (
            patched(target(DATA), "<I", len(CONTENT)),
            rf"allTensors\[1\].data: {len(CONTENT):,} bytes at byte .* must lie inside",
        ),
        (patched(TENSOR._tab.Pos, "<i", 1), r"allTensors\[1\]: byte \d+ is not a multiple of 2"),
        (patched(TYPE, "<I", 0), r"nodes\[0\].primitive.value: offset 0"),
    ],
)
def test_damage_is_named_with_its_place(content: bytes, message: str) -> None:
    with pytest.raises(FormatProblem) as caught:
        walk(decode(memoryview(content), MS))
    assert caught.match(f"^{message}")


def test_scalars_must_be_aligned() -> None:
    number = field_of(TENSOR, "dataType", "Tensor")
    vtable = TENSOR._tab.Pos - struct.unpack_from("<i", CONTENT, TENSOR._tab.Pos)[0]
    content = patched(vtable + 4 + 2, "<H", number - TENSOR._tab.Pos + 1)
    with pytest.raises(FormatProblem, match=rf"dataType: byte {number + 1} is not a multiple of 4"):
        walk(decode(memoryview(content), MS))


def test_more_than_a_flatbuffer_may_have_is_rejected() -> None:
    # Pages of an anonymous mapping that nothing touches take no memory.
    with (
        mmap.mmap(-1, MAX_SIZE + 1) as huge,
        memoryview(huge) as content,
        pytest.raises(FormatProblem, match="expected 8 to 2,147,483,647 bytes, found 2,147,483,648"),
    ):
        decode(content, MS)


def test_fields_of_newer_releases_are_ignored() -> None:
    vtable = struct.pack("<42H", 84, 8, *[0] * 39, 4)
    root = 8 + len(vtable)
    content = struct.pack("<I4s", root, b"MSL2") + vtable + struct.pack("<iI", len(vtable), 99)
    record = decode(memoryview(content), MS)
    assert record["fmkType"] == 0
    assert record["nodes"] is None


def test_defaults_are_read_where_a_field_is_left_out() -> None:
    record = Decoder(memoryview(struct.pack("<HHi", 4, 4, 4)), MS).table(4, "QuantParam")
    assert record["scale"] == 1.0
    assert record["narrowRange"] is True
    assert record["numBits"] == 8


def test_what_was_encoded_decodes_to_the_same() -> None:
    encoded = encode(
        {"name": "n", "fmkType": -3, "mempoolSize": 2**32 - 1, "obfuscate": True, "inputIndex": np.array([1], "<u4")},
        MS,
        0,
    )
    record = decode(encoded, MS)
    assert (record["name"], record["fmkType"], record["mempoolSize"], record["obfuscate"]) == ("n", -3, 2**32 - 1, True)
    assert record["inputIndex"].tolist() == [1]
    assert record["version"] is None
