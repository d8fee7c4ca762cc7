"""The bytes of a blob: an outer table with version and hash around the contents."""

from __future__ import annotations

import hashlib
import struct
from os import PathLike
from pathlib import Path

import numpy as np
from lite_delegate_schemas._generated.npu_blob_layout import FILE_IDENTIFIER, ROOT, TABLES, UNIONS

from ...basics.counted import counted
from ...errors import DelegateBuildError, ModelFormatError
from ...flatbuffer.decoder import decode
from ...flatbuffer.encoder import encode
from ...flatbuffer.mapping import map_file
from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record, Schema
from .blob import MAJOR, MINOR, Blob
from .records import blob_of, contents_record

OUTER = Schema(FILE_IDENTIFIER, ROOT, TABLES, UNIONS)
CONTENTS = Schema(FILE_IDENTIFIER, "Contents", TABLES, UNIONS)


def blob_bytes(blob: Blob) -> bytes:
    """The blob as bytes; the same blob always gives the same bytes.

    Raises:
        DelegateBuildError: the blob does not fit a flatbuffer (2 GiB).
    """
    try:
        weights = sum(array.nbytes for model in blob.models for array in model.constants.values())
        contents = np.frombuffer(encode(contents_record(blob), CONTENTS, weights), np.uint8)
        outer = {
            "major": MAJOR,
            "minor": MINOR,
            "contents_hash": np.frombuffer(_digest(MAJOR, MINOR, contents.data), np.uint8),
            "contents": contents,
        }
        return bytes(encode(outer, OUTER, contents.nbytes))
    except FormatProblem as problem:
        raise DelegateBuildError(f"Graph kernel '{blob.graph}' cannot be exported: {problem}.") from problem


def read_blob(data: bytes | bytearray | memoryview) -> Blob:
    """The blob in ``data``; constants are views of it.

    Raises:
        ModelFormatError: the data is no blob, was cut or altered, or was written by a newer release.
    """
    try:
        return _read(memoryview(data).cast("B").toreadonly())
    except FormatProblem as problem:
        raise ModelFormatError(f"NPU blob of {counted(len(data), 'byte')}: {problem}.") from problem


def open_blob(source: bytes | bytearray | memoryview | str | PathLike[str]) -> Blob:
    """The blob in bytes, or in the file of that path, which is mapped.

    Raises:
        ModelFormatError: as ``read_blob``, or the file cannot be read.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return read_blob(source)
    path = Path(source)
    try:
        return _read(map_file(path))
    except FormatProblem as problem:
        raise ModelFormatError(f"{path}: NPU blob: {problem}.") from problem


def _read(data: memoryview) -> Blob:
    outer = decode(data, OUTER)
    if outer["major"] != MAJOR:
        raise FormatProblem(
            f"expected version {MAJOR}, found {outer['major']}.{outer['minor']}; compile the model anew, or use the "
            "release that wrote it"
        )
    contents = _verified(outer)
    return blob_of(decode(contents, CONTENTS))


def _verified(outer: Record) -> memoryview:
    for name in ("contents_hash", "contents"):
        if outer[name] is None:
            raise FormatProblem("must be there, found none", name)
    contents: memoryview = outer["contents"].data
    if bytes(outer["contents_hash"]) != _digest(outer["major"], outer["minor"], contents):
        raise FormatProblem("the contents were altered: their SHA-256 differs; export it anew")
    return contents


def _digest(major: int, minor: int, contents: memoryview) -> bytes:
    digest = hashlib.sha256(struct.pack("<II", major, minor))
    digest.update(contents)
    return digest.digest()
