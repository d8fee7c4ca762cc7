"""Small graphs and delegates that the runtime tests share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite_delegate import DataType, DelegateModel, Kernel
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.binding.node_kernel import NodeKernel
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate

F32 = DataType.FLOAT32


def value(name: str, shape: tuple[int, ...] | None = (2, 3), dtype: DataType = F32) -> Value:
    return Value(name, dtype, shape)


def unary(name: str, x: Value, activation: str = "RELU", **attributes: object) -> Node:
    primitive = make_primitive("Activation", activation_type=activation, **attributes)
    return Node(name, primitive, [x], [value(f"{name}:0", x.shape)])


def binary(name: str, a: Value, b: Value, op: str = "AddFusion") -> Node:
    return Node(name, make_primitive(op), [a, b], [value(f"{name}:0", a.shape)])


def result_of(kernel: Kernel, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """What the CPU's kernel of a node with one output computes from other arrays than its own."""
    assert isinstance(kernel, NodeKernel)
    assert kernel.function is not None
    result = kernel.function(*arrays)
    assert isinstance(result, np.ndarray)
    return result


def chain(length: int, shape: tuple[int, ...] = (2, 3)) -> Graph:
    """x -> n0 -> n1 -> ... each adding its number plus 1."""
    x = value("x", shape)
    nodes: list[Node] = []
    last = x
    for i in range(length):
        nodes.append(binary(f"n{i}", last, constant(f"c{i}", np.full((1,), i + 1, np.float32))))
        last = nodes[-1].outputs[0]
    return Graph("main", [x], [last], nodes)


class BrokenDelegate(NamedDelegate):
    """Claims by name, and lets a function decide what happens while graph kernels are made."""

    name = "broken"

    def __init__(self, names: Sequence[str] | None, make: Callable[[GroupKernel], Kernel]) -> None:
        super().__init__(names)
        self.make = make

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kernel = super().create_graph_kernel(run, model)
        assert isinstance(kernel, GroupKernel)
        return self.make(kernel)
