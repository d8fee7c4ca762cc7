"""Operators of a TensorFlow Lite file that have no counterpart here, as they were in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TfliteTensor
from ....formats.tflite.tensors.layout import tflite_schema
from ....ir.custom import INPUTS, INTERNAL, ONNX, TFLITE, VERSION, custom_attributes, custom_blobs, custom_type
from ..node import DirectNode

_VARIABLE = frozenset(
    {f"{where}_SEQUENCE_{kind}" for where in ("UNIDIRECTIONAL", "BIDIRECTIONAL") for kind in ("LSTM", "RNN")}
    | {"LSTM", "RNN", "SVDF"}
)
"""Operators that keep state in variable tensors."""
_NO_KERNEL = frozenset(
    {"CALL", "CONCAT_EMBEDDINGS", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"}
    | {f"STABLEHLO_{name}" for name in ("CBRT", "CONVOLUTION", "CUSTOM_CALL", "DOT_GENERAL", "IOTA", "REDUCE", "SORT")}
    | {f"STABLEHLO_{name}" for name in ("DYNAMIC_SLICE", "DYNAMIC_UPDATE_SLICE", "WHILE")}
)
"""Operators of the schema that LiteRT's interpreter has no kernel of."""
_SHARED = {
    "SUM MEAN REDUCE_ALL REDUCE_ANY REDUCE_MAX REDUCE_MIN REDUCE_PROD": "ReducerOptions",
    "AVERAGE_POOL_2D L2_POOL_2D MAX_POOL_2D": "Pool2DOptions",
    "MAXIMUM MINIMUM": "MaximumMinimumOptions",
    "MULTINOMIAL RANDOM_STANDARD_NORMAL RANDOM_UNIFORM": "RandomOptions",
    "CONV_3D CONV_3D_TRANSPOSE": "Conv3DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
}
"""The tables of options that several operators share, or that are called otherwise."""
_OTHERS = (f"{ONNX}.", "mediapipe.", "org.openvinotoolkit.")
"""The prefixes of custom operators that no TensorFlow Lite file has."""
_NUMPY = {"int": np.int32, "long": np.int64, "float": np.float32, "bool": np.bool_, "ubyte": np.uint8}


def builtin(node: DirectNode) -> None:
    """The builtin operator, with its version, its options, and the places of its operands."""
    found = custom_attributes(node.kernel.primitive) if node.kernel.primitive is not None else {}
    kind = _type(node).removeprefix(f"{TFLITE}.")
    node.wanted(VERSION in found, RejectCode.ATTRIBUTE, "the node has the version that its file had", "has none")
    why = refusal(kind)
    node.wanted(not why, RejectCode.OPERATOR, why)
    named = {name: value for name, value in found.items() if not name.startswith(INTERNAL)}
    table = _table(kind) if named else ""
    node.wanted(table or not named, RejectCode.ATTRIBUTE, f"the schema has no options of {kind}", ", ".join(named))
    operands = _placed(node.xs_in_order(), found.get(INPUTS))
    outputs = [node.y(place) for place in range(len(node.kernel.outputs))]
    options = _typed(table, named)
    node.builtins.graph.operator(kind, operands, outputs, table, options, int(found[VERSION]))


def refusal(kind: str) -> str:
    """The reason why a builtin operator cannot be written as it was, "" where it can."""
    if kind in _NO_KERNEL:
        return f"LiteRT's interpreter has no kernel of {kind}"
    if kind in _VARIABLE:
        return f"{kind} keeps state in variable tensors, and files that are written have resource variables"
    if any("subgraph" in field.name for field in tflite_schema().tables.get(_table(kind), ())):
        return f"{kind} calls a subgraph of its file, which is not kept"
    return ""


def custom(node: DirectNode) -> None:
    """The custom operator, with the bytes of its options."""
    name = _type(node)
    node.wanted(not name.startswith(_OTHERS), RejectCode.OPERATOR, f"TensorFlow Lite has no operator {name}")
    assert node.kernel.primitive is not None
    blobs = custom_blobs(node.kernel.primitive)
    rule = "a custom operator has its options as one row of bytes, named 'options'"
    node.wanted(set(blobs) <= {"options"}, RejectCode.ATTRIBUTE, rule, f"has {', '.join(blobs)}")
    outputs = [node.y(place) for place in range(len(node.kernel.outputs))]
    node.builtins.graph.custom(name, node.xs_in_order(), outputs, blobs.get("options", b""))


def _type(node: DirectNode) -> str:
    assert node.kernel.primitive is not None
    return custom_type(node.kernel.primitive)


def _table(kind: str) -> str:
    """The schema's name of the options of a builtin operator: its own name in another spelling."""
    wanted = next((table for names, table in _SHARED.items() if kind in names.split()), "").lower()
    wanted = wanted or kind.replace("_", "").lower() + "options"
    unions = tflite_schema().unions
    names = [name for union in ("BuiltinOptions", "BuiltinOptions2") for name in unions[union]]
    return next((name for name in names if name.lower() == wanted), "")


def _typed(table: str, named: Mapping[str, Any]) -> dict[str, Any]:
    """Options whose vectors have the element types of the schema; fields that the table lacks are left out."""
    fields = {field.name: field for field in tflite_schema().tables.get(table, ())}
    return {
        name: np.array(value, _NUMPY[fields[name].type]) if fields[name].kind == "scalars" else value
        for name, value in named.items()
        if name in fields
    }


def _placed(xs: list[TfliteTensor | None], places: list[int] | None) -> list[TfliteTensor | None]:
    """Operands in the places that they had in the file."""
    if places is None:
        return xs
    found: list[TfliteTensor | None] = [None] * (max(places, default=-1) + 1)
    for place, x in zip(places, xs, strict=True):
        found[place] = x
    return found
