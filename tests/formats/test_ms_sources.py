"""What nodes of a ``.ms`` file are called there."""

from __future__ import annotations

from lite_delegate.formats.ms import ms_bytes, read_ms_buffer
from lite_delegate.ir import DataType, Graph, Node, Source, Value, make_primitive


def test_a_node_is_its_own_source() -> None:
    x, y, z = (Value(name, DataType.FLOAT32, (2,)) for name in "xyz")
    nodes = [Node("first", make_primitive("Abs"), [x], [y]), Node("", make_primitive("Neg"), [y], [z])]
    graph = read_ms_buffer(ms_bytes(Graph("main", [x], [z], nodes)))
    assert [node.sources for node in graph.nodes] == [
        (Source("first", "Abs", (), (0,)),),
        (Source("z", "Neg", (), (1,)),),
    ]
    assert graph.removed == ()


def test_nodes_of_subgraphs_have_its_name_in_front_and_sources_are_not_written() -> None:
    x, handle, y = (
        Value("x", DataType.FLOAT32, (2,)),
        Value("h", DataType.INT32, ()),
        Value("y", DataType.FLOAT32, (2,)),
    )
    a, b = (Value(name, DataType.FLOAT32, (2,)) for name in "ab")
    old = (Source("Conv_3", "Conv", (), (3,)),)
    nodes = [
        Node("bind", make_primitive("PartialFusion", sub_graph_index=1), [x], [handle], sources=old),
        Node("call", make_primitive("Call"), [handle], [y], sources=old),
    ]
    inner = Graph("inner", [a], [b], [Node("abs", make_primitive("Abs"), [a], [b])])
    graph = read_ms_buffer(ms_bytes(Graph("main", [x], [y], nodes, [inner])))
    assert [s.full_name for node in graph.nodes for s in node.sources] == ["bind", "call"]
    (source,) = graph.subgraphs[0].nodes[0].sources
    assert (source.name, source.op_type, source.path) == ("abs", "Abs", ("inner",))
