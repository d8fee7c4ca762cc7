"""The format of a file, as its first bytes tell it."""

from __future__ import annotations

_ONNX_VERSION = b"\x08"
"""The key of the field ``ir_version`` of ONNX's ModelProto, the first one that serializers write."""
_ONNX_VERSIONS = range(1, 64)
"""Plausible values of that field: the newest is 13."""


def kind_of(head: bytes) -> str:
    """The suffix of the format that the first bytes of a file tell, "" where they do not."""
    by_identifier = {b"MSL2": ".ms", b"TFL3": ".tflite"}.get(head[4:8])
    if by_identifier is not None:
        return by_identifier
    # Other formats with an identifier of four letters there are FlatBuffers: the first bytes are an offset.
    return (
        ".onnx"
        if head[:1] == _ONNX_VERSION and head[1:2] and head[1] in _ONNX_VERSIONS and head[2:4] != b"\0\0"
        else ""
    )
