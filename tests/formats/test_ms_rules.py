"""The rules that a ``.ms`` file keeps, one broken at a time; and what files may do although it looks odd."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from lite_delegate import ModelFormatError
from lite_delegate.formats.ms import read_ms_buffer
from lite_delegate.ir import Graph
from tests.formats.handmade import M, N, S, T

BASE = M()
BODY = S((3,), (4,), (2,), (3, 4), "body")
PARTIAL = M(
    allTensors=(T("x"), T("handle"), T("y"), T("bx"), T("by")),
    nodes=(
        N("PartialFusion", (0,), (1,), {"sub_graph_index": 1}),
        N("Call", (1,), (2,)),
        N("Abs", (3,), (4,)),
    ),
    subGraph=(S((0,), (2,), (0, 1), (0, 1, 2)), BODY),
)


def read(model: M) -> Graph:
    return read_ms_buffer(model.bytes())


BROKEN = {
    "no nodes": (replace(BASE, nodes=None), "nodes: must be there"),
    "no tensors": (replace(BASE, allTensors=None), "allTensors: must be there"),
    "quant type": (BASE.node(0, quantType=7), r"nodes\[0\] 'node'.quantType: expected 0 to 6, found 7"),
    "no primitive": (BASE.node(0, op=None), r"nodes\[0\] 'node'.primitive: expected an operator"),
    "operator 0": (BASE.node(0, tag=0), r"nodes\[0\] 'node'.primitive: expected an operator"),
    "operator without attributes": (
        BASE.node(0, hasTable=False),
        r"nodes\[0\] 'node'.primitive.value: expected the attributes of AddFusion, found none",
    ),
    "operator 222": (BASE.node(0, tag=222), r"expected a number up to 221 .* found 222"),
    "activation 22": (
        BASE.node(0, attributes={"activation_type": 22}),
        r"nodes\[0\] 'node'.AddFusion.activation_type: expected one of .* found 22",
    ),
    "format 14": (BASE.tensor(2, format=14), r"allTensors\[2\] 'y'.format: expected .* found 14"),
    "format 19": (BASE.tensor(2, format=19), r"allTensors\[2\] 'y'.format: expected .* found 19"),
    "format -1": (BASE.tensor(2, format=-1), r"allTensors\[2\] 'y'.format: expected .* found -1"),
    "data type 0": (BASE.tensor(2, dataType=0), r"allTensors\[2\] 'y'.dataType: expected .* found 0"),
    "data type 47": (BASE.tensor(2, dataType=47), r"allTensors\[2\] 'y'.dataType: expected .* found 47"),
    "dimension -2": (BASE.tensor(2, dims=(1, -2)), r"allTensors\[2\] 'y'.dims: expected .* found \[1, -2\]"),
    "nine dimensions": (BASE.tensor(2, dims=(1,) * 9), "'y': expected at most 8 dimensions"),
    "no subgraph": (replace(BASE, subGraph=()), "subGraph: expected at least one"),
    "no inputs": (replace(BASE, inputIndex=()), "inputIndex: expected at least one"),
    "inputs absent": (replace(BASE, inputIndex=None), "inputIndex: expected at least one"),
    "no outputs": (replace(BASE, outputIndex=()), "outputIndex: expected at least one"),
    "outputs are the inputs": (replace(BASE, outputIndex=(0,)), "must not be its inputs"),
    "input out of range": (replace(BASE, inputIndex=(3,)), "inputIndex: expected positions below 3, found 3"),
    "huge output index": (replace(BASE, outputIndex=(2**32 - 1,)), "expected positions below 3, found 4294967295"),
    "input is a tensor list": (
        BASE.tensor(0, dataType=17, nodeType=2, data=struct.pack("<3i", 43, 0, 0)),
        "input 'x' must be of numbers or strings, found TENSOR_LIST",
    ),
    "two outputs in subgraph 0": (BASE.graph(0, outputIndices=(2, 2)), "the model lists 1, subgraph 0 lists 2"),
    "input not in subgraph 0": (BASE.graph(0, inputIndices=(2,)), "'x': subgraph 0 does not list it"),
    "output not in subgraph 0": (BASE.graph(0, outputIndices=(0,)), "'y': subgraph 0 does not list it"),
    "node input out of range": (BASE.node(0, inputIndex=(0, 3)), r"nodes\[0\] 'node'.inputIndex: expected pos.* 3"),
    "node output out of range": (BASE.node(0, outputIndex=(9,)), r"nodes\[0\] 'node'.outputIndex: expected pos.* 9"),
    "an output twice": (BASE.node(0, outputIndex=(2, 2)), r"expected distinct outputs, found \[2, 2\]"),
    "output is a constant": (BASE.node(0, outputIndex=(1, 2)), "output 'weight' must not be a constant"),
    "list on an operator without lists": (
        BASE.tensor(1, dataType=17, data=struct.pack("<3i", 43, 0, 0)),
        "'weight' is a tensor list, which AddFusion cannot have",
    ),
    "list without data": (BASE.tensor(1, dataType=17, data=None), "a tensor list must have data"),
    "list cut short": (BASE.tensor(1, dataType=17, data=struct.pack("<3i", 43, 2, 0)), "has no shape at number 1"),
    "list with a negative rank": (BASE.tensor(1, dataType=17, data=struct.pack("<3i", 43, -1, 0)), "no shape at"),
    "list without count": (BASE.tensor(1, dataType=17, data=struct.pack("<2i", 43, 0)), "ends after 2 numbers"),
    "list of 2**31-1": (BASE.tensor(1, dataType=17, data=struct.pack("<3i", 43, 0, 2**31 - 1)), "no shape at number 3"),
    "subgraph without name": (BASE.graph(0, name=None), r"subGraph\[0\] ''.name: must be there"),
    "subgraph without inputs": (BASE.graph(0, inputIndices=None), r"subGraph\[0\] 'main_graph'.inputIndices: must"),
    "subgraph without outputs": (BASE.graph(0, outputIndices=None), "outputIndices: must be there"),
    "subgraph without tensors": (BASE.graph(0, tensorIndices=None), "tensorIndices: must be there"),
    "subgraph tensor out of range": (BASE.graph(0, tensorIndices=(7,)), "tensorIndices: expected positions below 3"),
    "subgraph node out of range": (BASE.graph(0, nodeIndices=(1,)), "nodeIndices: expected positions below 1, found 1"),
    "subgraph node twice": (BASE.graph(0, nodeIndices=(0, 0)), "nodeIndices: expected each node once"),
    "node in two subgraphs": (
        PARTIAL.graph(1, nodeIndices=(2, 1)),
        r"subGraph\[1\] 'body'.nodeIndices: expected each node once, found 1 twice",
    ),
    "input has data": (BASE.tensor(0, nodeType=0, data=bytes(24)), r"allTensors\[0\] 'x'.data: a model input must not"),
    "input is produced": (BASE.node(0, outputIndex=(2, 0)), "output 'x' is given by the graph's inputs already"),
    "output is not produced": (BASE.node(0, outputIndex=()), "output 'y' must come from a node, an input or a const"),
    "produced output has data": (BASE.tensor(2, data=bytes(24)), "output 'y' must not be a constant"),
    "variable has data": (
        BASE.tensor(1, nodeType=2),
        r"allTensors\[1\] 'weight'.data: a tensor of nodeType 2 that is neither input nor output must not have data",
    ),
    "nobody gives an input": (BASE.tensor(1, nodeType=2, data=None), "input 1 'weight' must be a constant, a graph in"),
    "data too short": (
        BASE.tensor(1, data=bytes(23)),
        r"'weight'.data: shape \[2, 3\] of FLOAT32 takes 24 bytes, .* 23",
    ),
    "data with a dimension 0": (BASE.tensor(1, dims=(0,)), "must have positive dimensions"),
    "data with a dimension -1": (BASE.tensor(1, dims=(-1, 3)), "must have positive dimensions"),
    "compression 7": (BASE.tensor(1, weightQuantCompressType=7), "weightQuantCompressType: expected 0 to 6, found 7"),
    "partial out of range": (PARTIAL.node(0, attributes={"sub_graph_index": 2}), "must be 0..1 .* got 2"),
    "partial negative": (PARTIAL.node(0, attributes={"sub_graph_index": -1}), "must be 0..1 .* got -1"),
    "partial names its own graph": (PARTIAL.node(0, attributes={"sub_graph_index": 0}), "not the node's own graph"),
    "input of a body is a constant": (
        PARTIAL.graph(1, outputIndices=(3,)).tensor(3, nodeType=0, data=bytes(24)),
        r"subGraph\[1\] 'body'.inputIndices: input 'bx' must not have data",
    ),
    "cycle": (
        M(
            allTensors=(T("x"), T("y"), T("z")),
            nodes=(N("AddFusion", (0, 2), (1,), name="first"), N("Abs", (1,), (2,), name="second")),
            outputIndex=(1,),
            subGraph=(S((0,), (1,), (0, 1)),),
        ),
        "nodes form a cycle: .*'first'",
    ),
    "two external entries": (
        BASE.tensor(1, data=None, externalData=({"location": "a.msw"}, {"location": "a.msw"})),
        r"allTensors\[1\] 'weight'.externalData: expected exactly one entry, found 2",
    ),
    "external data without directory": (
        BASE.tensor(1, data=None, externalData=({"location": "a.msw", "length": 24},)),
        "weights are in 'a.msw', and the directory of the model is not known",
    ),
    "external data without location": (
        BASE.tensor(1, data=None, externalData=({"length": 24},)),
        "expected a location",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_named_with_its_place(name: str) -> None:
    model, message = BROKEN[name]
    with pytest.raises(ModelFormatError, match=message):
        read(model)


def test_what_the_rules_are_broken_in_is_legal() -> None:
    assert [n.op_type for n in read(BASE).nodes] == ["AddFusion"]
    graph = read(PARTIAL)
    assert [g.name for g in graph.all_graphs()] == ["main_graph", "body"]
    assert graph.subgraphs[0].nodes[0].op_type == "Abs"


def test_a_body_may_call_the_graph_that_calls_it() -> None:
    looping = PARTIAL.node(2, op="PartialFusion", attributes={"sub_graph_index": 0})
    assert read(looping).subgraphs[0].nodes[0].primitive.attributes() == {"sub_graph_index": 0}
