"""Draft: nodes stay in the order that a plain list of them would have, whatever is put in the place of what."""

from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.ir import DataType, Graph, Node, Value, make_primitive
from lite_delegate.passes.framework.draft import Draft


def _node(name: str, inputs: list[Value]) -> Node:
    return Node(name, make_primitive("AddN"), list(inputs), [Value(name, DataType.FLOAT32, (1,))])


def _graph(size: int) -> Graph:
    x = Value("x", DataType.FLOAT32, (1,))
    nodes = [_node(f"n{i}", [x]) for i in range(size)]
    return Graph("main", [x], [node.outputs[0] for node in nodes], nodes)


@given(st.integers(1, 12), st.data())
def test_nodes_stand_where_the_last_of_those_stood_that_they_replace(size: int, data: st.DataObject) -> None:
    graph = _graph(size)
    draft, expected = Draft(graph), list(graph.nodes)
    for edit in range(data.draw(st.integers(0, 8))):
        if not expected:
            break
        old = data.draw(st.lists(st.sampled_from(expected), min_size=1, max_size=4, unique_by=id))
        new = [_node(f"e{edit}.{i}", graph.inputs) for i in range(data.draw(st.integers(0, 3)))]
        place = max(expected.index(node) for node in old)
        expected[place + 1 : place + 1] = new
        for node in old:
            expected.remove(node)
        draft.replace(old, new)
        assert draft.nodes() == expected
    assert set(draft.readers(graph.inputs[0])) == set(expected)


def test_the_only_reader_reads_a_value_in_one_place() -> None:
    x = Value("x", DataType.FLOAT32, (1,))
    once, twice = Value("once", DataType.FLOAT32, (1,)), Value("twice", DataType.FLOAT32, (1,))
    first = Node("first", make_primitive("Abs"), [x], [once])
    second = Node("second", make_primitive("Abs"), [once], [twice])
    last = _node("last", [twice, twice])
    draft = Draft(Graph("main", [x], list(last.outputs), [first, second, last]))
    assert draft.only_reader(once) is second
    assert draft.only_reader(twice) is None
    assert draft.only_reader(last.outputs[0]) is None
