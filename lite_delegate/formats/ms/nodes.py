"""Nodes of a file to nodes of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import DataType, Node, Value
from ...ir.types.enums import QuantType
from ...ir.types.version import is_before
from .primitives import read_primitive

_TODAY = {
    QuantType.AwareTraining: QuantType.QUANT_ALL,
    QuantType.WeightQuant: QuantType.QUANT_WEIGHT,
    QuantType.PostTraining: QuantType.QUANT_ALL,
}
"""NOTE: old names, read as MindSpore Lite's loader reads them."""


def read_nodes(records: Iterable[Record], values: list[Value], version: str | None) -> list[Node]:
    """All nodes of a file, of all its subgraphs."""
    nodes = []
    for i, record in enumerate(records):
        try:
            nodes.append(_read_node(record, values, version))
        except FormatProblem as problem:
            raise problem.within(f"nodes[{i}] '{record['name'] or ''}'") from None
    return nodes


def _read_node(record: Record, values: list[Value], version: str | None) -> Node:
    inputs = pick(values, record["inputIndex"], "inputIndex")
    outputs = pick(values, record["outputIndex"], "outputIndex")
    primitive = read_primitive(record["primitive"])
    if len(set(outputs)) != len(outputs):
        raise FormatProblem(f"expected distinct outputs, found {record['outputIndex'].tolist()}", "outputIndex")
    check_lists(primitive.op_type, [*inputs, *outputs])
    quant_type = _quant_type(record["quantType"])
    if quant_type == QuantType.QUANT_NONE and is_before(version, "1.3.0") and _has_quantized_weights(inputs):
        quant_type = QuantType.QUANT_WEIGHT
    return Node(record["name"] or "", primitive, list(inputs), outputs, quant_type, record["deviceType"])


def indices(array: np.ndarray[Any, Any] | None) -> list[int]:
    """A vector of indices; an absent one is empty."""
    return [] if array is None else list(array.tolist())


def pick(values: Sequence[Value], array: np.ndarray[Any, Any] | None, place: str) -> list[Value]:
    """The values at the given positions.

    Raises:
        FormatProblem: a position that does not exist.
    """
    if array is not None and array.size and int(array.max()) >= len(values):
        raise FormatProblem(f"expected positions below {len(values)}, found {int(array.max())}", place)
    return [values[i] for i in indices(array)]


def _quant_type(number: int) -> QuantType:
    try:
        found = QuantType(number)
    except ValueError:
        raise FormatProblem(f"expected 0 to 6, found {number}", "quantType") from None
    return _TODAY.get(found, found)


def check_lists(op_type: str, values: list[Value]) -> None:
    """Raises FormatProblem when an operator that knows no tensor lists has one."""
    if op_type.startswith("TensorList") or op_type == "PartialFusion":
        return
    for value in values:
        if value.dtype == DataType.TENSOR_LIST:
            raise FormatProblem(f"'{value.name}' is a tensor list, which {op_type} cannot have")


def _has_quantized_weights(inputs: list[Value]) -> bool:
    """NOTE: MindSpore Lite's rule for files before 1.3.0, which had no quantType for such nodes."""
    if len(inputs) < 2 or not any(v.is_constant for v in inputs):
        return False
    return all(
        bool(v.quant_params) and all(p.inited for p in v.quant_params)
        if v.is_constant
        else not any(p.inited for p in v.quant_params)
        for v in inputs
    )
