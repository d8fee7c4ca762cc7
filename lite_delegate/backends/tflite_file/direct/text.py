"""Operators on text, and lookups in tables: LiteRT's own, in files alone."""

from __future__ import annotations

import struct

import numpy as np

from ....delegate import RejectCode
from ....formats.tflite.export import TEXT as TEXT_TYPE
from ....formats.tflite.tensors.layout import enum_names
from ...lowering.left_out import TEXT
from ..node import DirectNode
from ..table import Direct


def hashtable_lookup(node: DirectNode) -> None:
    """HASHTABLE_LOOKUP of keys of int32, each of them once; text must be constant."""
    node.in_files_alone(TEXT)
    types, keys, values = [node.x(place).dtype for place in (0, 1)], node.source(1), node.x(2)
    node.wanted(types == ["int32", "int32"], RejectCode.DTYPE, "LiteRT looks up keys of int32", f"{types}")
    node.wanted(0 not in keys.shape, RejectCode.SHAPE, "LiteRT's tables have keys", f"'{keys.name}' has none")
    single = node.scope.purpose.is_tflite or (keys.is_const and bool((np.diff(keys.data.astype(np.int64)) > 0).all()))
    rule = "LiteRT gives any of the rows of equal keys, so keys must be constant and differ"
    node.wanted(single, RejectCode.NOT_CONSTANT, rule, f"'{keys.name}' has others")
    known = values.dtype != TEXT_TYPE or values.data is not None
    node.wanted(known, RejectCode.NOT_CONSTANT, "text in tables must be constant", f"'{values.name}' is not")
    node.builtins.graph.operator("HASHTABLE_LOOKUP", node.xs(), [node.y(0), node.y(1)])


def lsh_projection(node: DirectNode) -> None:
    """LSH_PROJECTION to bits, or to a number for each row of seeds."""
    node.in_files_alone(TEXT)
    numbers = {name: number for number, name in enum_names("LSHProjectionType").items()}
    kind = node.attribute("type").name
    node.wanted(kind in ("DENSE", "SPARSE"), RejectCode.ATTRIBUTE, "a type of DENSE or SPARSE", f"is {kind}")
    weights = [node.x(2)] if node.has(2) else []
    operands = [node.x(0), node.x(1), *weights]
    node.builtins.graph.operator(
        "LSH_PROJECTION", operands, [node.y()], "LSHProjectionOptions", {"type": numbers[kind]}
    )


def skip_gram(node: DirectNode) -> None:
    """SKIP_GRAM of a TensorFlow Lite file: LiteRT parts words otherwise than MindSpore Lite."""
    node.in_files_alone(TEXT)
    rule = "LiteRT parts words at tabs and line ends, too, which only models of TensorFlow Lite mean"
    node.wanted(node.scope.purpose.is_tflite, RejectCode.OPERATOR, rule)
    options = {
        "ngram_size": node.attribute("ngram_size"),
        "max_skip_size": node.attribute("max_skip_size"),
        "include_all_ngrams": bool(node.attribute("include_all_grams")),
    }
    node.builtins.graph.operator("SKIP_GRAM", [node.x()], [node.y()], "SkipGramOptions", options)


def custom(name: str) -> Direct:
    """A writer of a custom operator without options."""

    def write(node: DirectNode) -> None:
        node.in_files_alone(TEXT)
        outputs = [node.y(place) for place in range(len(node.kernel.outputs))]
        node.builtins.graph.custom(name, node.xs(), outputs, b"")

    write.__doc__ = f"{name}, a custom operator that LiteRT's package lacks."
    return write


def predict(node: DirectNode) -> None:
    """Predict, a custom operator that LiteRT's package lacks."""
    node.in_files_alone(TEXT)
    options = struct.pack("<if", node.attribute("output_num"), node.attribute("weight_threshold"))
    node.builtins.graph.custom("Predict", node.xs(), [node.y(0), node.y(1)], options)


WRITERS: dict[str, Direct] = {
    "HashtableLookup": hashtable_lookup,
    "LshProjection": lsh_projection,
    "SkipGram": skip_gram,
    "CustomNormalize": custom("Normalize"),
    "CustomExtractFeatures": custom("ExtractFeatures"),
    "CustomPredict": predict,
}
"""Writers of this file by our names of operators."""
