"""What every pass must keep: passes that break it, each in one way, are caught by the framework and named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from lite_delegate import DataType, GraphError
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.passes import DeadCodePass, GraphPass, PassResult, run_passes

F32 = DataType.FLOAT32


def _value(name: str, *shape: int, dtype: DataType = F32) -> Value:
    return Value(name, dtype, shape)


def _node(op_type: str, *inputs: Value, output: Value, **attributes: Any) -> Node:
    return Node(f"make {output.name}", make_primitive(op_type, **attributes), list(inputs), [output])


def _graph() -> Graph:
    """x [1, 3] -> Abs -> a -> Neg -> b, and a + a -> c."""
    x, a, b, c = (_value(name, 1, 3) for name in "xabc")
    nodes = [
        _node("Abs", x, output=a),
        _node("Neg", a, output=b),
        _node("AddFusion", a, a, output=c, activation_type="NO_ACTIVATION"),
    ]
    return Graph("main", [x], [b, c], nodes)


class Rewriting(GraphPass):
    """Does what the test says."""

    name: ClassVar[str] = "rewriting"

    def __init__(self, rewrite: Callable[[Graph], Graph], modified: bool = True) -> None:
        self._rewrite = rewrite
        self._modified = modified

    def call(self, graph: Graph) -> PassResult[Graph]:
        return PassResult(self._rewrite(graph), self._modified)


def _with_first(graph: Graph, *nodes: Node) -> Graph:
    return replace(graph, nodes=[*nodes, *graph.nodes[1:]])


def _squeezed(graph: Graph) -> Graph:
    """The value a loses its first axis; b and c are declared as before."""
    flat = _value("flat", 3)
    a = graph.nodes[0].outputs[0]
    made = [
        _node("Abs", graph.inputs[0], output=flat),
        _node("Reshape", flat, constant("shape", np.array([3], np.int32)), output=a),
    ]
    return _with_first(graph, *made)


def test_a_pass_that_drops_an_axis_is_named_with_the_value_and_both_shapes() -> None:
    message = r"Pass 'rewriting', graph 'main': value 'a' was float32 \[1, 3\], is float32 \[3\] from node 'make a'"
    with pytest.raises(GraphError, match=message):
        run_passes(_graph(), [Rewriting(_squeezed)])


def test_an_output_that_loses_an_axis_under_a_new_value_is_noticed() -> None:
    def rewrite(graph: Graph) -> Graph:
        flat = _value("b", 1, 3)  # declared as before: what is declared alone would tell nothing
        shape = constant("shape", np.array([3], np.int32))
        last = _node("Reshape", graph.outputs[0], shape, output=flat)
        return replace(graph, nodes=[*graph.nodes, last], outputs=[flat, graph.outputs[1]])

    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*value 'b' was float32 \[1, 3\], is float32 \[3\]"):
        run_passes(_graph(), [Rewriting(rewrite)])


def test_a_pass_that_changes_the_type_is_named() -> None:
    def rewrite(graph: Graph) -> Graph:
        half = _node("Cast", graph.inputs[0], constant("to", np.array(42, np.int32)), output=graph.nodes[0].outputs[0])
        return _with_first(graph, half)

    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*value 'a' was float32 \[1, 3\], is float16 \[1, 3\]"):
        run_passes(_graph(), [Rewriting(rewrite)])


def test_a_pass_that_loses_an_output_is_named() -> None:
    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*expected 2 outputs, got 1, without 'c'"):
        run_passes(_graph(), [Rewriting(lambda g: replace(g, outputs=g.outputs[:1]))])


def test_a_pass_that_renames_an_output_is_named() -> None:
    def rewrite(graph: Graph) -> Graph:
        other = replace(graph.outputs[0], name="other")
        nodes = [graph.nodes[0], replace(graph.nodes[1], outputs=[other]), graph.nodes[2]]
        return replace(graph, nodes=nodes, outputs=[other, graph.outputs[1]])

    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*output 0 was 'b' FLOAT32 \[1, 3\], is 'other' FLOAT32"):
        run_passes(_graph(), [Rewriting(rewrite)])


def test_a_pass_that_reorders_outputs_is_named() -> None:
    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*output 0 was 'b' .* is 'c' "):
        run_passes(_graph(), [Rewriting(lambda g: replace(g, outputs=g.outputs[::-1]))])


def test_a_pass_that_loses_an_input_is_named() -> None:
    def rewrite(graph: Graph) -> Graph:
        fixed = constant("x", np.ones((1, 3), np.float32))
        first = replace(graph.nodes[0], inputs=[fixed])
        return replace(_with_first(graph, first), inputs=[])

    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*expected 1 inputs, got 0, without 'x'"):
        run_passes(_graph(), [Rewriting(rewrite)])


def test_a_pass_that_leaves_a_dangling_value_is_named() -> None:
    with pytest.raises(GraphError, match=r"Pass 'rewriting' made a graph that breaks a rule: .*'a'"):
        run_passes(_graph(), [Rewriting(_with_first)])


def test_a_pass_that_hides_its_change_is_named() -> None:
    with pytest.raises(GraphError, match=r"Pass 'rewriting' says that nothing changed, but gives another graph"):
        run_passes(_graph(), [Rewriting(_squeezed, modified=False)])


def test_a_pass_that_boasts_of_a_change_is_named() -> None:
    with pytest.raises(
        GraphError, match=r"Pass 'rewriting' says that something changed, but gives the very same graph"
    ):
        run_passes(_graph(), [Rewriting(lambda g: g)])


def _shuffled(graph: Graph) -> Graph:
    graph.nodes.reverse()
    return graph


def _overwritten(graph: Graph) -> Graph:
    graph.nodes[1].primitive = make_primitive("Abs")
    return graph


def _narrowed(graph: Graph) -> Graph:
    graph.nodes[1].outputs[0].shape = (3,)
    return graph


@pytest.mark.parametrize("modified", [False, True])
@pytest.mark.parametrize(
    ("rewrite", "what"),
    [(_shuffled, "'make c'"), (_overwritten, r"node 'make b' \(Abs\)"), (_narrowed, r"node 'make b' \(Neg\)")],
)
def test_a_pass_that_changes_what_it_was_given_is_named(
    rewrite: Callable[[Graph], Graph], what: str, modified: bool
) -> None:
    def made(graph: Graph) -> Graph:
        rewrite(graph)
        return replace(graph) if modified else graph

    with pytest.raises(GraphError, match=f"Pass 'rewriting' changed .*{what}.* that it was given"):
        run_passes(_graph(), [Rewriting(made, modified)])


def test_a_pass_that_breaks_a_subgraph_is_named_with_it() -> None:
    main = replace(_graph(), subgraphs=[replace(_graph(), name="body")])
    rewriting = Rewriting(lambda g: replace(g, subgraphs=[_squeezed(each) for each in g.subgraphs]))
    with pytest.raises(GraphError, match=r"Pass 'rewriting', graph 'body': value 'a' was float32 \[1, 3\]"):
        run_passes(main, [rewriting])


def test_a_pass_that_loses_a_subgraph_is_named() -> None:
    main = replace(_graph(), subgraphs=[replace(_graph(), name="body")])
    with pytest.raises(GraphError, match="Pass 'rewriting': expected 1 subgraph, got 0"):
        run_passes(main, [Rewriting(lambda g: replace(g, subgraphs=[]))])


def test_a_node_that_its_kernel_does_not_take_is_named_with_the_reason() -> None:
    def rewrite(graph: Graph) -> Graph:
        broken = replace(graph.nodes[2], inputs=[graph.inputs[0], constant("two", np.ones(2, np.float32))])
        return replace(graph, nodes=[*graph.nodes[:2], broken])

    with pytest.raises(
        GraphError, match=r"Pass 'rewriting'.*value 'c' was float32 \[1, 3\], but is rejected from node 'make c'"
    ):
        run_passes(_graph(), [Rewriting(rewrite)])


def test_shapes_worked_out_from_shapes_are_compared_by_their_numbers() -> None:
    x, size, y = _value("x", 2, 3), _value("size", 2, dtype=DataType.INT32), _value("y", 3, 2)
    first, second = (constant(name, np.array([n], np.int32)) for name, n in (("first", 3), ("second", 2)))
    nodes = [_node("Concat", first, second, output=size, axis=0), _node("Reshape", x, size, output=y)]

    def rewrite(graph: Graph) -> Graph:
        return _with_first(graph, replace(graph.nodes[0], inputs=[second, first]))

    with pytest.raises(GraphError, match=r"Pass 'rewriting'.*value 'size' was \[3, 2\], is \[2, 3\]"):
        run_passes(Graph("main", [x], [y], nodes), [Rewriting(rewrite)])


def test_what_was_wrong_before_is_not_blamed_on_a_pass() -> None:
    """A node that its kernel rejects, and a value that is declared wrongly, may be copied and moved."""
    graph = _graph()
    graph.nodes[1].outputs[0].shape = (7,)
    graph.nodes[2].inputs[1] = constant("two", np.ones(2, np.float32))
    copied = Rewriting(lambda g: replace(g, nodes=[replace(node) for node in g.nodes]))
    assert run_passes(graph, [copied]).modified


class Stating(DeadCodePass):
    name: ClassVar[str] = "stating"

    def requires(self, graph: Graph) -> None:
        if len(graph.nodes) > 3:
            raise GraphError("expected three nodes at most.")

    def ensures(self, graph: Graph) -> None:
        if graph.name != "main":
            raise GraphError("the name is gone.")


def test_what_a_pass_requires_and_ensures_is_checked() -> None:
    graph = _graph()
    assert run_passes(graph, [Stating()]).graph is graph
    with pytest.raises(GraphError, match="Pass 'stating' does not keep its word: the name is gone"):
        run_passes(replace(graph, name="other"), [Stating()])
    longer = replace(graph, nodes=[*graph.nodes, _node("Neg", graph.inputs[0], output=_value("d", 1, 3))])
    with pytest.raises(GraphError, match="Pass 'stating' cannot run: expected three nodes at most"):
        run_passes(longer, [Stating()])
