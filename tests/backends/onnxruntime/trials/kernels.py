"""Kernels for trials, as a plan asks a delegate about them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper

from lite_delegate import Context, Delegate, DelegateWarning, Kernel, Model, ModelType, Rejected
from lite_delegate.delegate import RejectCode
from lite_delegate.tensors.tensor import Array


class Asked(Delegate):
    """Keeps the kernels that it is asked about."""

    name = "asked"

    def __init__(self) -> None:
        super().__init__()
        self.kernels: list[Kernel] = []

    def supports(self, kernel: Kernel) -> Rejected:
        self.kernels.append(kernel)
        return Rejected(RejectCode.OPERATOR, "is only asked")


def kernels_of(nodes: Sequence[NodeProto], shape: Sequence[int], **constants: Array) -> list[Kernel]:
    """The kernels of an ONNX model from x to y, both float32.

    Args:
        nodes: the nodes of the model.
        shape: the shape of x.
        constants: arrays by name.
    """
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    stored = [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(list(nodes), "g", [x], [y], stored)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    asked, context, model = Asked(), Context(), Model()
    context.set_delegate(asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_buffer(made.SerializeToString(), ModelType.MINDIR, context)
    return asked.kernels


def unary(*operators: str, shape: Sequence[int] = (2, 8)) -> list[Kernel]:
    """A chain of kernels with one operand each."""
    names = ["x", *(f"t{number}" for number in range(len(operators) - 1)), "y"]
    nodes = [
        helper.make_node(op, [names[number]], [names[number + 1]], f"node{number}")
        for number, op in enumerate(operators)
    ]
    return kernels_of(nodes, shape)
