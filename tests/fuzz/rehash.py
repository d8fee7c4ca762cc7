"""Files whose contents are damaged behind hashes that fit: without that, the hashes alone would reject them all."""

from __future__ import annotations

import hashlib
import json
import struct

import numpy as np

from lite_delegate.flatbuffer.decoder import decode
from lite_delegate.flatbuffer.encoder import encode
from lite_delegate.flatbuffer.problem import FormatProblem
from lite_delegate.npu.blob.file import OUTER
from lite_delegate.sections.sections import PAGE, canonical_json, sectioned_bytes

DRIVER_HEAD = struct.Struct("<8sIIQQQ32s")
"""What in-memory models begin with: see ``lite_delegate.npu.driver_ir.layout``."""


def read_and_rehash(content: bytes) -> bytes:
    """The blob with the hash of the contents that it has now; as it is where it has none."""
    try:
        outer = decode(memoryview(content), OUTER)
        contents = outer["contents"]
        if contents is None or outer["contents_hash"] is None:
            return content
        contents = np.ascontiguousarray(contents)
        version = struct.pack("<II", outer["major"], outer["minor"])
        fields = {
            "major": outer["major"],
            "minor": outer["minor"],
            "contents_hash": np.frombuffer(hashlib.sha256(version + contents.tobytes()).digest(), np.uint8),
            "contents": contents,
        }
        return bytes(encode(fields, OUTER, contents.nbytes))
    except FormatProblem:
        return content


def rehashed_driver_ir(content: bytes) -> bytes:
    """The in-memory model with the SHA-256 of the options and the graph that it has now; as it is where it is cut."""
    if len(content) < DRIVER_HEAD.size:
        return content
    *head, options, graph, constants, _ = DRIVER_HEAD.unpack_from(content)
    hashed = DRIVER_HEAD.pack(*head, options, graph, constants, bytes(32))
    hashed += content[len(hashed) : len(hashed) + options + graph]
    return content[: DRIVER_HEAD.size - 32] + hashlib.sha256(hashed).digest() + content[DRIVER_HEAD.size :]


def rehashed_sections(content: bytes) -> bytes:
    """The compiled model with the hashes of the sections that it has now; as it is where its header is none."""
    length = int.from_bytes(content[12:16], "little")
    start = -(-(48 + length) // PAGE) * PAGE
    try:
        header = json.loads(content[48 : 48 + length])
        records = header.pop("sections")
        header.pop("length")
        canonical_json(header)
        sections = {
            each["name"]: content[start + each["offset"] : start + each["offset"] + each["length"]] for each in records
        }
        return sectioned_bytes(header, sections)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return content
