"""Graphs to the root table of a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...flatbuffer.problem import FormatProblem
from ...flatbuffer.schema import Record
from ...ir import Graph, ModelInfo, Node, Value
from .nodes import check_lists
from .primitives import write_primitive
from .subgraphs import check_inputs, check_inputs_and_outputs
from .tensors.tensor_records import WeightSink, integers, tensor_record
from .tensors.tensors import tensor_place


def graph_record(graph: Graph, sink: WeightSink) -> Record:
    """The root table of a main graph and its subgraphs.

    Raises:
        FormatProblem: a rule of the format is broken, or the format has no way to say something.
    """
    check_inputs_and_outputs(graph.inputs, graph.outputs)
    for value in graph.inputs:
        if value.shape is None:
            raise FormatProblem(f"'{value.name}': an input must have a known rank", "inputIndex")
    position = _positions(graph)
    nodes: list[Record] = []
    subgraphs = [_subgraph_record(each, position, nodes) for each in graph.all_graphs()]
    return {
        **_head(graph.info or ModelInfo()),
        "inputIndex": _indices(graph.inputs, position),
        "outputIndex": _indices(graph.outputs, position),
        "nodes": nodes,
        "allTensors": [_tensor(value, i, sink) for value, i in position.items()],
        "subGraph": subgraphs,
    }


def _positions(graph: Graph) -> dict[Value, int]:
    values = dict.fromkeys(value for each in graph.all_graphs() for value in each.values())
    return {value: i for i, value in enumerate(values)}


def _head(info: ModelInfo) -> Record:
    data = info.obf_meta_data
    return {
        "name": info.name,
        "version": info.version,
        "fmkType": info.fmk_type,
        "mempoolSize": info.mempool_size,
        "obfuscate": info.obfuscate,
        "obfMetaData": None if data is None else np.frombuffer(data, np.uint8),
    }


def _tensor(value: Value, position: int, sink: WeightSink) -> Record:
    try:
        return tensor_record(value, sink)
    except FormatProblem as problem:
        raise problem.within(tensor_place(position, value.name)) from None


def _subgraph_record(graph: Graph, position: dict[Value, int], nodes: list[Record]) -> Record:
    """The subgraph's table; its nodes go to the end of ``nodes``."""
    check_inputs(graph.inputs)
    first = len(nodes)
    for node in graph.nodes:
        nodes.append(_node_record(node, len(nodes), position))
    return {
        "name": graph.name,
        "inputIndices": _indices(graph.inputs, position),
        "outputIndices": _indices(graph.outputs, position),
        "nodeIndices": integers(range(first, len(nodes)), "uint"),
        "tensorIndices": _indices(graph.values(), position),
    }


def _node_record(node: Node, i: int, position: dict[Value, int]) -> Record:
    try:
        inputs = _present_inputs(node)
        check_lists(node.op_type, [*inputs, *node.outputs])
        return {
            "name": node.name,
            "primitive": write_primitive(node.primitive),
            "inputIndex": _indices(inputs, position),
            "outputIndex": _indices(node.outputs, position),
            "quantType": int(node.quant_type),
            "deviceType": node.device_type,
        }
    except FormatProblem as problem:
        raise problem.within(f"nodes[{i}] '{node.name}'") from None


def _present_inputs(node: Node) -> list[Value]:
    """The inputs, without absent ones at the end.

    Raises:
        FormatProblem: an absent input stands before another input, which the format cannot express.
    """
    inputs = list(node.inputs)
    while inputs and inputs[-1] is None:
        inputs.pop()
    present = [value for value in inputs if value is not None]
    if len(present) != len(inputs):
        raise FormatProblem(f"input {inputs.index(None)} is absent while later ones are there", "inputIndex")
    return present


def _indices(values: list[Value], position: dict[Value, int]) -> np.ndarray[Any, Any]:
    return integers([position[value] for value in values], "uint")
