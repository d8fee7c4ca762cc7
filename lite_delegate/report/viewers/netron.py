"""A partition report for Netron (https://netron.app): an ONNX file of the model as planned.

The file is for viewers, and computes nothing. All nodes are operators of a domain of their own, since ONNX does not
have all planned nodes, and contents of weights are left out. Each node says in its metadata where it runs and why.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...formats.onnx.export import AttributeValue, ModelWriter, NodeMessage, elem_type_of
from ...ir import DataType, has_numpy, to_numpy
from ...runtime.records import NodeRecord, TensorRecord
from ..partition_data import PartitionData
from .facts import graphs_of, node_facts, report_facts

DOMAIN = "lite_delegate"
"""Of the operators of nodes."""
GRAPHS = "lite_delegate.graphs"
"""Of the functions that stand for the graphs which the main graph calls."""
OPSET = 21
SUMMARY = ("runs on", "subgraph", "code", "reason", "CPU time", "own error")
"""Facts in the text of a node, for readers of the file that do not know its metadata."""
NO_RANK = "rank unknown"
"""Stands for the dimensions of an input or output of which not even the number is known."""
LARGEST = float(np.finfo(np.float32).max)
OTHER_TYPES = {"STRING": 8, "BFLOAT16": 16}
"""ONNX's numbers of the element types that numpy does not have."""


def netron_model(report: PartitionData) -> bytes:
    """The ONNX file. Graphs that the main graph calls are functions of the model."""
    writer = ModelWriter(Path(report.model).name or "model in memory", OPSET)
    writer.facts(report_facts(report))
    names = _NetronNames(report)
    graphs = dict(graphs_of(report))
    main = graphs.pop("", [])
    for message in _messages(report, main, names):
        writer.add(message)
    _values(writer, report, main, names)
    for name, nodes in graphs.items():
        writer.function(GRAPHS, name, list(_messages(report, nodes, names)))
    return writer.content()


class _NetronNames:
    """Names of tensors, which are unique in the file: in a model they need not be."""

    def __init__(self, report: PartitionData) -> None:
        tensors = (t for node in report.nodes for t in (*node.inputs, *node.outputs))
        named = {t.id: t.name or "tensor" for t in (*report.inputs, *report.outputs, *tensors)}
        count = Counter(named.values())
        self._names = {key: name if count[name] == 1 else f"{name}#{key}" for key, name in named.items()}

    def of(self, tensor: TensorRecord) -> str:
        return self._names[tensor.id]

    def of_all(self, tensors: Iterable[TensorRecord]) -> list[str]:
        return list(map(self.of, tensors))


def _messages(report: PartitionData, nodes: Sequence[NodeRecord], names: _NetronNames) -> Iterator[NodeMessage]:
    labels, errors = report.labels(), report.errors_by_node()
    for node in nodes:
        label, facts = labels[node.name], node_facts(node, errors)
        is_renamed = (label.name, label.type) != (node.name, node.type)
        yield NodeMessage(
            label.type,
            names.of_all(node.inputs),
            names.of_all(node.outputs),
            {name: found for name, value in node.attributes.items() if (found := _attribute(value)) is not None},
            label.name,
            DOMAIN,
            "; ".join(f"{word}: {facts[word]}" for word in SUMMARY if word in facts),
            facts | ({"planned as": f"{node.name} ({node.type})"} if is_renamed else {}),
        )


def _values(writer: ModelWriter, report: PartitionData, nodes: Sequence[NodeRecord], names: _NetronNames) -> None:
    """Types of all values of the main graph."""
    made = {t.id: t for node in nodes for t in node.outputs}
    needed = (*(t for node in nodes for t in node.inputs), *report.outputs)
    read = {t.id: t for t in needed if t.id not in made}
    outside = {t.id: t for t in (*report.inputs, *read.values()) if not t.constant}
    given = {t.id: t for t in report.outputs}
    for tensor in outside.values():
        writer.input(names.of(tensor), _element(tensor), _dims(tensor))
    for key, tensor in given.items():
        writer.output(_given(writer, names.of(tensor), key in made), _element(tensor), _dims(tensor))
    for key, tensor in made.items():
        if key not in given and tensor.shape is not None:
            writer.value(names.of(tensor), _element(tensor), _dims(tensor))
    for tensor in read.values():
        if tensor.constant:
            _constant(writer, names.of(tensor), tensor)


def _given(writer: ModelWriter, name: str, is_made: bool) -> str:
    """The name of an output, which a node has to give: of an input, or of a constant, a copy."""
    if is_made:
        return name
    copy = f"{name}#output"
    writer.add(NodeMessage("Identity", [name], [copy], {}, copy, DOMAIN))
    return copy


def _constant(writer: ModelWriter, name: str, tensor: TensorRecord) -> None:
    """A constant of its type and shape, without its contents; of a single number, or none, there are zeros."""
    dims = tensor.shape or ()
    if dims and 0 not in dims:
        writer.left_out(name, _element(tensor), dims)
    elif has_numpy(DataType[tensor.dtype]) and tensor.dtype not in OTHER_TYPES:
        writer.initializer(name, np.zeros(dims, to_numpy(DataType[tensor.dtype])))
    else:
        writer.left_out(name, _element(tensor), [1])


def _element(tensor: TensorRecord) -> int:
    """ONNX's number of the element type; 0 where ONNX has none."""
    dtype = DataType[tensor.dtype]
    if tensor.dtype in OTHER_TYPES or not has_numpy(dtype):
        return OTHER_TYPES.get(tensor.dtype, 0)
    return elem_type_of(to_numpy(dtype))


def _dims(tensor: TensorRecord) -> list[int | str]:
    if tensor.shape is None:
        return [NO_RANK]
    return [dim if dim >= 0 else "?" for dim in tensor.shape]


def _attribute(value: Any) -> AttributeValue | None:
    """A value as ONNX can hold it, else as text; None where there is no value."""
    if value is None or isinstance(value, str):
        return value
    if _is_number(value):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Sequence) and all(isinstance(each, str) or _is_number(each) for each in value):
        return list(value)
    return str(dict(value) if isinstance(value, Mapping) else value)


def _is_number(value: Any) -> bool:
    """Whether it is a number that ONNX's attributes have room for: 64 bits, or 32 of a real number."""
    if isinstance(value, float):
        return math.isfinite(value) and abs(value) <= LARGEST
    return isinstance(value, int) and -(2**63) <= value < 2**63
