"""A partition report for Model Explorer (https://github.com/google-ai-edge/model-explorer): graphs, and node data.

A file of graphs opens by itself, whatever format the model has. Node data is loaded beside such a file, and beside the
model where Model Explorer reads its format and tensors have the same names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...basics.counted import counted
from ...reporting.plain import json_text
from ...runtime.records import NodeRecord, TensorRecord
from ..dot import FILLS
from ..partition_data import PartitionData
from .facts import graphs_of, node_facts, report_facts

CPU_FILL = "#f1f0ee"
MAIN = "main"
"""The id of the main graph, which has no name."""
COOL, WARM = "#fdf7c3", "#ad1b0b"
"""Colors of the least and of the largest time or error."""
EXACT_DB = 200.0
"""Stands for the signal-to-noise ratio of equal numbers, which is infinite."""


def model_explorer_graphs(report: PartitionData) -> str:
    """The graphs as a collection in JSON: layers by path, nodes in the color of their subgraph, and facts of nodes."""
    graphs = [
        {
            "id": name or MAIN,
            "nodes": [*_ends(report, nodes), *_nodes(report, nodes)],
            "groupNodeAttributes": {"": report_facts(report)},
        }
        for name, nodes in graphs_of(report)
    ]
    return json_text({"label": Path(report.model).name or "model in memory", "graphs": graphs})


def model_explorer_node_data(report: PartitionData) -> str:
    """Node data in JSON: a value of each node, by its name and by the names of its outputs.

    The value is the node's own error where the report has errors, as a signal-to-noise ratio in dB, and 200 where all
    numbers are equal; else microseconds on the CPU. Nodes without a value are left out.
    """
    errors = {key: min(error.snr_db, EXACT_DB) for key, error in report.errors_by_node().items()}
    data = {}
    for name, nodes in graphs_of(report):
        values = [errors.get((name, node.name)) if errors else node.host_us for node in nodes]
        results = {
            key: {"value": value}
            for node, value in zip(nodes, values, strict=True)
            if value is not None
            for key in (node.name, *(tensor.name for tensor in node.outputs if tensor.name))
        }
        kind = "own error (SNR, dB)" if errors else "CPU time (us)"
        known = [value for value in values if value is not None]
        gradient = _error_gradient(known) if errors else [_stop(0, COOL), _stop(1, WARM)]
        data[name or MAIN] = {"name": kind, "results": results, "gradient": gradient}
    return json_text(data)


def _error_gradient(ratios: Sequence[float]) -> list[dict[str, Any]]:
    """Warm for the lowest ratio, cool from the highest one on that is not of equal numbers."""
    least, most = min(ratios, default=0), max(ratios, default=0)
    inexact = max((ratio for ratio in ratios if ratio < EXACT_DB), default=least)
    share = (inexact - least) / (most - least) if most > least else 0
    return [_stop(0, WARM), *([_stop(share, COOL)] if 0 < share < 1 else ()), _stop(1, COOL)]


def _stop(at: float, color: str) -> dict[str, Any]:
    return {"stop": at, "bgColor": color, "textColor": "#ffffff" if color == WARM else "#000000"}


def _ends(report: PartitionData, nodes: Sequence[NodeRecord]) -> list[dict[str, Any]]:
    """Nodes for values from outside a graph (inputs, variables), and for the outputs of the model."""
    made = {tensor.id for node in nodes for tensor in node.outputs}
    read = {t.id: t for node in nodes for t in node.inputs if t.id not in made and not t.constant}
    makers = _makers(nodes)
    given = [tensor for tensor in report.outputs if tensor.id in made]
    inputs = [(f"input:{t.id}", t.name or "input", {"outputsMetadata": [_metadata(0, t)]}) for t in read.values()]
    outputs = [(f"output:{t.id}", t.name or "output", {"incomingEdges": [_edge(makers, 0, t)]}) for t in given]
    return [{"id": key, "label": label, "namespace": "", **more} for key, label, more in (*inputs, *outputs)]


def _makers(nodes: Sequence[NodeRecord]) -> dict[int, tuple[str, int]]:
    """The node that makes each tensor, and which of its outputs it is."""
    return {tensor.id: (node.name, i) for node in nodes for i, tensor in enumerate(node.outputs)}


def _nodes(report: PartitionData, nodes: Sequence[NodeRecord]) -> Iterator[dict[str, Any]]:
    labels, makers, errors = report.labels(), _makers(nodes), report.errors_by_node()
    fills = {each.name: FILLS[i % len(FILLS)] for i, each in enumerate(report.subgraphs)}
    for node in nodes:
        words = labels[node.name]
        told = {"name": words.name, **node_facts(node, errors)}.items()
        attributes = ((name, str(value)) for name, value in node.attributes.items())
        inputs = [(i, tensor) for i, tensor in enumerate(node.inputs) if not tensor.constant]
        yield {
            "id": node.name,
            "label": words.type,
            "namespace": words.name.strip("/").rpartition("/")[0],
            "attrs": [{"key": key, "value": value} for key, value in (*told, *attributes)],
            "incomingEdges": [_edge(makers, i, tensor) for i, tensor in inputs],
            "inputsMetadata": [_metadata(i, tensor) for i, tensor in enumerate(node.inputs)],
            "outputsMetadata": [_metadata(i, tensor) for i, tensor in enumerate(node.outputs)],
            "style": {"backgroundColor": CPU_FILL if node.subgraph is None else fills[node.subgraph]},
        }


def _edge(makers: dict[int, tuple[str, int]], at: int, tensor: TensorRecord) -> dict[str, str]:
    source, output = makers.get(tensor.id, (f"input:{tensor.id}", 0))
    return {"sourceNodeId": source, "sourceNodeOutputId": str(output), "targetNodeInputId": str(at)}


def _metadata(at: int, tensor: TensorRecord) -> dict[str, Any]:
    shape = "unknown" if tensor.shape is None else f"{tensor.dtype.lower()}{list(tensor.shape)}"
    told = {"tensor_name": tensor.name, "tensor_shape": shape, "size": counted(tensor.nbytes, "byte")}
    return {"id": str(at), "attrs": [{"key": key, "value": value} for key, value in told.items()]}
