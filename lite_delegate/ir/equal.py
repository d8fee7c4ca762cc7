"""Structural comparison of two graphs, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..basics.counted import counted
from ..basics.words.one_line import exact
from .graph import Graph, Node
from .value import PackedWeights, Value


def difference(a: Graph, b: Graph) -> str | None:
    """The first difference between two graphs, or None when they are equal.

    Names, order, wiring, attributes, dtypes, shapes, formats, quantization and constants count; constants
    are compared bit for bit, so NaN equals the same NaN. The sources of nodes in the file do not count.
    """
    if len(a.subgraphs) != len(b.subgraphs):
        return f"number of subgraphs: {len(a.subgraphs)} against {len(b.subgraphs)}"
    for left, right in zip(a.all_graphs(), b.all_graphs(), strict=True):
        found = _one_graph(left, right)
        if found:
            return f"graph '{left.name}': {found}"
    return None


def _one_graph(a: Graph, b: Graph) -> str | None:
    if a.name != b.name or a.info != b.info:
        return f"head: {a.name!r} {a.info} against {b.name!r} {b.info}"
    if len(a.nodes) != len(b.nodes):
        return f"number of nodes: {len(a.nodes)} against {len(b.nodes)}"
    pairs: dict[Value, Value] = {}
    found = _values(a.inputs, b.inputs, pairs)
    if found:
        return f"inputs: {found}"
    for i, (left, right) in enumerate(zip(a.nodes, b.nodes, strict=True)):
        found = _node(left, right, pairs)
        if found:
            return f"node {i} '{left.name}': {found}"
    found = _values(a.outputs, b.outputs, pairs)
    return f"outputs: {found}" if found else None


def _node(a: Node, b: Node, pairs: dict[Value, Value]) -> str | None:
    if (a.name, a.quant_type, a.device_type) != (b.name, b.quant_type, b.device_type):
        return f"{(a.name, a.quant_type, a.device_type)} against {(b.name, b.quant_type, b.device_type)}"
    if a.op_type != b.op_type or _attributes(a) != _attributes(b):
        return f"{exact(a.primitive)} against {exact(b.primitive)}"
    found = _values(a.inputs, b.inputs, pairs)
    if found:
        return f"inputs: {found}"
    found = _values(a.outputs, b.outputs, pairs)
    return f"outputs: {found}" if found else None


def _attributes(node: Node) -> str:
    """Attributes as text, so that NaN equals NaN."""
    return repr(sorted(node.primitive.attributes().items()))


def _values(a: Sequence[Value | None], b: Sequence[Value | None], pairs: dict[Value, Value]) -> str | None:
    if len(a) != len(b):
        return f"{counted(len(a), 'value')} against {len(b)}"
    for i, (left, right) in enumerate(zip(a, b, strict=True)):
        if left is None or right is None:
            if left is not right:
                return f"value {i}: {left} against {right}"
            continue
        if pairs.setdefault(left, right) is not right or pairs.setdefault(right, left) is not left:
            return f"value {i} '{left.name}': wired to another value"
        found = _value(left, right)
        if found:
            return f"value {i} '{left.name}': {found}"
    return None


def _value(a: Value, b: Value) -> str | None:
    for name in ("name", "dtype", "shape", "format", "is_parameter"):
        if getattr(a, name) != getattr(b, name):
            return f"{name} {getattr(a, name)} against {getattr(b, name)}"
    if exact((a.quant_params, a.quant_clusters)) != exact((b.quant_params, b.quant_clusters)):
        return f"quantization {a.quant_params} {a.quant_clusters} against {b.quant_params} {b.quant_clusters}"
    if _bytes(a.data) != _bytes(b.data) or _packed(a.packed) != _packed(b.packed):
        return "contents differ"
    return None


def _bytes(data: np.ndarray[Any, Any] | None) -> tuple[tuple[int, ...], str, bytes] | None:
    return None if data is None else (data.shape, data.dtype.str, data.tobytes())


def _packed(packed: PackedWeights | None) -> tuple[bytes, int, bool] | None:
    return None if packed is None else (packed.raw.tobytes(), int(packed.compress_type), packed.huffman)
