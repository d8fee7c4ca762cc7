"""Custom nodes that stand for a file's operator without a number in the format: its type and attributes.

The type of such a node is the operator's name with its domain: ``ai.onnx.Det``, ``com.acme.Gelu``, ``tflite.CONV_3D``.
Each attribute is a blob whose prefix gives its kind: ``json:`` for numbers, text and lists of them, ``npy:`` for an
array as ``numpy.save`` writes it, ``onnx.GraphProto:`` and the like for a message of ONNX.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .primitive import Attribute, Primitive

ONNX, TFLITE = "ai.onnx", "tflite"
"""The domains of the operators that the two formats have built in."""
INTERNAL = "@"
"""The prefix of the names of internal attributes, which no operator has: the names below."""
VERSION, REASON, INPUTS, NO_KERNEL, OUTPUTS = "@version", "@reason", "@inputs", "@no_kernel", "@outputs"
"""The version of its domain, why it was imported as Custom, the places of its operands
among those of the file, where some are left out, why the CPU's own kernel for it does not take it, and of a node that
stands for a loop or a choice: pairs of element type and dimensions of what it gives."""

_JSON, _NPY, _ONNX = b"json:", b"npy:", b"onnx."


def custom_primitive(type: str, attributes: Mapping[str, Any]) -> Primitive:
    """The primitive of a Custom node.

    Args:
        type: the operator with its domain in front.
        attributes: numbers, text, lists of these, or arrays by name; bytes are taken for a blob already.
    """
    # Imported late: the classes of all operators take a while.
    from .primitives import Custom

    return Custom(type=type, attr=tuple(Attribute(name, encoded(value)) for name, value in attributes.items()))


def custom_type(primitive: Primitive) -> str:
    """The type of a Custom node, "" when the file leaves it out; the operator's name for any other."""
    return str(primitive.attributes()["type"] or "") if primitive.op_type == "Custom" else primitive.op_type


def custom_blobs(primitive: Primitive) -> dict[str, bytes]:
    """The named blobs of a Custom node; of several with one name the last."""
    return {a.name or "": a.data or b"" for a in primitive.attributes()["attr"] or ()}


def custom_attributes(primitive: Primitive) -> dict[str, Any]:
    """The attributes of a Custom node as Python values and arrays; blobs that say nothing of themselves stay bytes."""
    return {name: decoded(data) for name, data in custom_blobs(primitive).items()}


def imported_as_custom(primitive: Primitive) -> str:
    """The file's operator that a Custom node stands for, and why, for people; "" for any other node."""
    why = import_reason(primitive)
    if not why:
        return ""
    return f"it stands for {custom_type(primitive)} (version {custom_attributes(primitive).get(VERSION)}), {why}"


def import_reason(primitive: Primitive) -> str:
    """Why a node was imported as Custom: the kind of reason, a colon, and the reason for people; "" for other nodes."""
    if primitive.op_type != "Custom":
        return ""
    found = custom_attributes(primitive)
    return str(found.get(NO_KERNEL, found[REASON])) if REASON in found else ""


def encoded(value: Any) -> bytes:
    """A number, text, a list of these, or an array as a blob; bytes as they are."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, np.ndarray):
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        return _NPY + buffer.getvalue()
    return _JSON + json.dumps(_plain(value)).encode()


def decoded(data: bytes) -> Any:
    """The value that ``encoded`` was given. A message of ONNX, and a blob that is not of this kind or damaged, stay
    bytes.
    """
    try:
        if data.startswith(_JSON):
            return json.loads(data[len(_JSON) :])
        if data.startswith(_NPY):
            return np.load(io.BytesIO(data[len(_NPY) :]), allow_pickle=False)
    except (ValueError, EOFError, RecursionError, MemoryError, SyntaxError):
        return data
    return data


def onnx_message(kind: str, content: bytes) -> bytes:
    """A message of ONNX as a blob; ``kind`` is its name, ``GraphProto`` for example."""
    return _ONNX + kind.encode() + b":" + content


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in value]
    return value
