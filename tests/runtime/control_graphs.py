"""Models with subgraphs that the control flow tests share, in the form that files have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite_delegate import Context, DataType, Delegate, Model
from lite_delegate.ir import Graph, Node, Value, constant, from_numpy, make_primitive

F32, I32, BOOL = DataType.FLOAT32, DataType.INT32, DataType.BOOL


def node(name: str, op_type: str, inputs: Sequence[Value], *outputs: Value, **attributes: Any) -> Node:
    """A node; its output is a float32 of unknown shape unless outputs are given."""
    given = list(outputs) or [Value(f"{name}:0", F32, None)]
    return Node(name, make_primitive(op_type, **attributes), list(inputs), given)


def out(of: Node) -> Value:
    return of.outputs[0]


def handle(name: str) -> Value:
    """What a subgraph to call flows through; the format knows no type for it but that of numbers."""
    return Value(name, I32, ())


def partial(name: str, index: int, *bound: Value) -> Node:
    return node(name, "PartialFusion", bound, handle(f"{name}:0"), sub_graph_index=index)


def switch(name: str, condition: Value, if_true: Value, if_false: Value) -> Node:
    return node(name, "Switch", [condition, if_true, if_false], handle(f"{name}:0"))


def call(name: str, target: Value, *outputs: Value, arguments: Sequence[Value] = ()) -> Node:
    return node(name, "Call", [target, *arguments], *outputs)


def scalar(name: str, value: int) -> Value:
    return constant(name, np.array(value, np.int32))


def binary(name: str, op_type: str, a: Value, b: Value, dtype: DataType = F32) -> Node:
    return node(name, op_type, [a, b], Value(f"{name}:0", dtype, None))


def values(prefix: str, *described: tuple[str, DataType, tuple[int, ...] | None]) -> list[Value]:
    return [Value(f"{prefix}.{name}", dtype, shape) for name, dtype, shape in described]


def if_else(
    then: Callable[[Value], Node], otherwise: Callable[[Value], Node], shape: tuple[int, ...] = (2, 3)
) -> Graph:
    """y = then(x) if c else otherwise(x), for inputs c (bool scalar) and x."""
    c, x, y = Value("c", BOOL, ()), Value("x", F32, shape), Value("y", F32, None)
    subgraphs = []
    for name, make in (("then", then), ("otherwise", otherwise)):
        inner = Value(f"{name}.x", F32, shape)
        only = make(inner)
        subgraphs.append(Graph(name, [inner], [out(only)], [only]))
    yes, no = partial("yes", 1, x), partial("no", 2, x)
    choose = switch("choose", c, out(yes), out(no))
    return Graph("main", [c, x], [y], [yes, no, choose, call("run", out(choose), y)], subgraphs)


def while_loop(
    step: Callable[[Value, Value], list[Node]],
    shape: tuple[int, ...] | None = (4,),
    is_tail: bool = True,
) -> Graph:
    """for i in range(n): x = step(i, x), for inputs n (int32 scalar) and x; the last node of a step gives the new x.

    The subgraphs are condition (1), body (2) and exit (3), each over i, n and x. A body that is not ``is_tail``
    does something with what the rest of the loop gives: it adds 1 to it.
    """
    condition = _condition(shape)
    body = _body(step, shape, is_tail)
    last = values("exit", ("i", I32, ()), ("n", I32, ()), ("x", F32, shape))
    n, x, y = Value("n", I32, ()), Value("x", F32, shape), Value("y", F32, None)
    start = partial("start", 1, scalar("zero", 0), n, x)
    nodes = [start, call("loop", out(start), y)]
    return Graph("main", [n, x], [y], nodes, [condition, body, Graph("exit", last, [last[2]], [])])


def _condition(shape: tuple[int, ...] | None) -> Graph:
    state = values("condition", ("i", I32, ()), ("n", I32, ()), ("x", F32, shape))
    less = binary("less", "Less", state[0], state[1], BOOL)
    go, stop = partial("go", 2, *state), partial("stop", 3, *state)
    choose = switch("choose", out(less), out(go), out(stop))
    result = Value("condition.y", F32, None)
    return Graph("condition", state, [result], [less, go, stop, choose, call("either", out(choose), result)])


def _body(step: Callable[[Value, Value], list[Node]], shape: tuple[int, ...] | None, is_tail: bool) -> Graph:
    i, n, x = state = values("body", ("i", I32, ()), ("n", I32, ()), ("x", F32, shape))
    nodes = step(i, x)
    count = binary("count", "AddFusion", i, scalar("one", 1), I32)
    again = partial("again", 1, out(count), n, out(nodes[-1]))
    result = Value("body.y", F32, None)
    nodes += [count, again, call("next", out(again), result)]
    if not is_tail:
        nodes.append(binary("after", "AddFusion", result, constant("after.one", np.ones(1, np.float32))))
    return Graph("body", state, [out(nodes[-1])], nodes)


def add(name: str, x: Value, number: float) -> Node:
    return binary(name, "AddFusion", x, constant(f"{name}.c", np.full(1, number, np.float32)))


def multiply(name: str, x: Value, number: float) -> Node:
    return binary(name, "MulFusion", x, constant(f"{name}.c", np.full(1, number, np.float32)))


def built(graph: Graph, delegate: Delegate | None = None, context: Context | None = None) -> Model:
    context = Context() if context is None else context
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(graph, context)
    return model


def predict(model: Model, **arrays: Any) -> list[np.ndarray[Any, Any]]:
    """The outputs for inputs by name; Python numbers and lists become float32 arrays of the input's type."""
    dtypes = {t.name: t.dtype for t in model.get_inputs()}
    given = {name: np.asarray(a, dtype=_numpy(dtypes[name])) for name, a in arrays.items()}
    return [t.get_data_to_numpy() for t in model.predict(given)]


def _numpy(dtype: DataType) -> np.dtype[Any]:
    known = (np.float32, np.int32, np.bool_)
    return next(np.dtype(d) for d in known if from_numpy(d) == dtype)
