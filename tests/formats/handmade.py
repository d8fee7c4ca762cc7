"""Small ``.ms`` files made with flatc's own builder functions, so that the reader is not tested with our writer.

An object that is listed more than once is written once, and referred to more than once.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import flatbuffers


@dataclass(frozen=True)
class T:
    """A tensor; names of fields are the schema's."""

    name: str | None = ""
    nodeType: int = 2
    dataType: int = 43
    dims: Sequence[int] | None = (2, 3)
    format: int = 1
    data: bytes | None = None
    quantParams: Sequence[dict[str, Any]] | None = None
    quantClusters: Sequence[float] | None = None
    enableHuffmanCode: bool = False
    weightQuantCompressType: int = 0
    externalData: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True)
class N:
    """A node; ``attributes`` are passed to flatc's functions, scalars only. ``op`` None leaves the primitive out."""

    op: str | None
    inputIndex: Sequence[int] | None
    outputIndex: Sequence[int] | None
    attributes: dict[str, Any] = field(default_factory=dict)
    name: str | None = "node"
    quantType: int = 0
    tag: int | None = None
    hasTable: bool = True


@dataclass(frozen=True)
class S:
    """A subgraph."""

    inputIndices: Sequence[int] | None
    outputIndices: Sequence[int] | None
    nodeIndices: Sequence[int] | None
    tensorIndices: Sequence[int] | None = ()
    name: str | None = "main_graph"


@dataclass(frozen=True)
class M:
    """A model: by default x + weight."""

    allTensors: Sequence[T] | None = (
        T("x"),
        T("weight", 0, data=bytes(24)),
        T("y"),
    )
    nodes: Sequence[N] | None = (N("AddFusion", (0, 1), (2,)),)
    inputIndex: Sequence[int] | None = (0,)
    outputIndex: Sequence[int] | None = (2,)
    subGraph: Sequence[S] | None = (S((0,), (2,), (0,), (0, 1, 2)),)
    version: str | None = "MindSpore Lite 1.5.0"
    identifier: bytes | None = b"MSL2"

    def tensor(self, position: int, **changes: Any) -> M:
        """The model with another tensor at a position."""
        tensors = list(self.allTensors or ())
        tensors[position] = replace(tensors[position], **changes)
        return replace(self, allTensors=tensors)

    def node(self, position: int, **changes: Any) -> M:
        """The model with another node at a position."""
        nodes = list(self.nodes or ())
        nodes[position] = replace(nodes[position], **changes)
        return replace(self, nodes=nodes)

    def graph(self, position: int, **changes: Any) -> M:
        """The model with another subgraph at a position."""
        graphs = list(self.subGraph or ())
        graphs[position] = replace(graphs[position], **changes)
        return replace(self, subGraph=graphs)

    def bytes(self) -> bytes:
        """The file."""
        builder = flatbuffers.Builder(1024)
        below = {
            "InputIndex": _numbers(builder, "MetaGraph", "InputIndex", self.inputIndex),
            "OutputIndex": _numbers(builder, "MetaGraph", "OutputIndex", self.outputIndex),
            "Nodes": _offsets(builder, "MetaGraph", "Nodes", self.nodes, _node),
            "AllTensors": _offsets(builder, "MetaGraph", "AllTensors", self.allTensors, _tensor),
            "SubGraph": _offsets(builder, "MetaGraph", "SubGraph", self.subGraph, _subgraph),
            "Version": _string(builder, self.version),
        }
        builder.Finish(_table(builder, "MetaGraph", below), file_identifier=self.identifier)
        return bytes(builder.Output())


def generated(name: str) -> ModuleType:
    """flatc's module of a table."""
    return importlib.import_module(f"lite_delegate_schemas._generated.{name}")


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _table(builder: Any, name: str, values: dict[str, Any]) -> int:
    module = generated(name)
    getattr(module, f"{name}Start")(builder)
    for key, value in values.items():
        if value is not None:
            getattr(module, f"{name}Add{key}")(builder, value)
    return int(getattr(module, f"{name}End")(builder))


def _string(builder: Any, text: str | None) -> int | None:
    return None if text is None else int(builder.CreateString(text))


def _numbers(builder: Any, table: str, name: str, values: Sequence[Any] | None) -> int | None:
    if values is None:
        return None
    prepend = {"Dims": builder.PrependInt32, "QuantClusters": builder.PrependFloat32, "Data": builder.PrependUint8}
    getattr(generated(table), f"{table}Start{name}Vector")(builder, len(values))
    for value in reversed(values):
        prepend.get(name, builder.PrependUint32)(value)
    return int(builder.EndVector())


def _offsets(builder: Any, table: str, name: str, items: Sequence[Any] | None, make: Any) -> int | None:
    if items is None:
        return None
    made = {key: make(builder, item) for key, item in {id(item): item for item in items}.items()}
    getattr(generated(table), f"{table}Start{name}Vector")(builder, len(items))
    for item in reversed(items):
        builder.PrependUOffsetTRelative(made[id(item)])
    return int(builder.EndVector())


def _tensor(builder: Any, t: T) -> int:
    below = {
        "Name": _string(builder, t.name),
        "Dims": _numbers(builder, "Tensor", "Dims", t.dims),
        "Data": _numbers(builder, "Tensor", "Data", t.data),
        "QuantClusters": _numbers(builder, "Tensor", "QuantClusters", t.quantClusters),
        "QuantParams": _offsets(builder, "Tensor", "QuantParams", t.quantParams, _quant_param),
        "ExternalData": _offsets(builder, "Tensor", "ExternalData", t.externalData, _external),
        "NodeType": t.nodeType,
        "DataType": t.dataType,
        "Format": t.format,
        "EnableHuffmanCode": t.enableHuffmanCode,
        "WeightQuantCompressType": t.weightQuantCompressType,
    }
    return _table(builder, "Tensor", below)


def _quant_param(builder: Any, values: dict[str, Any]) -> int:
    return _table(builder, "QuantParam", {_camel(k): v for k, v in values.items()})


def _external(builder: Any, values: dict[str, Any]) -> int:
    texts = {_camel(k): _string(builder, v) if isinstance(v, str) else v for k, v in values.items()}
    return _table(builder, "ExternalData", texts)


def _node(builder: Any, n: N) -> int:
    primitive = None
    if n.op is not None:
        union = vars(generated("PrimitiveType").PrimitiveType)
        value = _table(builder, n.op, {_camel(k): v for k, v in n.attributes.items()})
        tag = union[n.op] if n.tag is None else n.tag
        primitive = _table(builder, "Primitive", {"ValueType": tag, "Value": value if n.hasTable else None})
    below = {
        "Name": _string(builder, n.name),
        "InputIndex": _numbers(builder, "CNode", "InputIndex", n.inputIndex),
        "OutputIndex": _numbers(builder, "CNode", "OutputIndex", n.outputIndex),
        "Primitive": primitive,
        "QuantType": n.quantType,
    }
    return _table(builder, "CNode", below)


def _subgraph(builder: Any, s: S) -> int:
    below = {
        "Name": _string(builder, s.name),
        "InputIndices": _numbers(builder, "SubGraph", "InputIndices", s.inputIndices),
        "OutputIndices": _numbers(builder, "SubGraph", "OutputIndices", s.outputIndices),
        "NodeIndices": _numbers(builder, "SubGraph", "NodeIndices", s.nodeIndices),
        "TensorIndices": _numbers(builder, "SubGraph", "TensorIndices", s.tensorIndices),
    }
    return _table(builder, "SubGraph", below)
