"""Tensor lists, which collect the results of a loop's rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....ir import DataType, Node, Value, from_numpy, make_primitive
from ..builder import UNKNOWN, ArraySpec
from ..conversion import OnnxNode


def tensor_list(name: str) -> Value:
    """A value that is a list."""
    return Value(name, DataType.TENSOR_LIST, None)


def _item_shape(node: OnnxNode, spec: ArraySpec) -> Value:
    """The shape of its items, as a list states it: scalar -1 for any."""
    dims = np.array(-1 if spec.shape is None else spec.shape, np.int32)
    return node.builder.small_constant(dims)


def reserved(node: OnnxNode, number: int, item: ArraySpec) -> Value:
    """Adds the node that gives an empty list of items like ``item``."""
    inputs = [_item_shape(node, item), node.builder.small_constant(np.array(0, np.int32))]
    return _list_node(node, f"reserve_{number}", "TensorListReserve", inputs, item)


def appended(node: OnnxNode, number: int, given: Value, index: Value, item: Value) -> Value:
    """Adds the node that puts ``item`` at the place ``index`` of a list."""
    return _list_node(node, f"append_{number}", "TensorListSetItem", [given, index, item], node.spec(item))


def _list_node(node: OnnxNode, label: str, op_type: str, inputs: Sequence[Value], item: ArraySpec) -> Value:
    name = f"{node.name}/{label}"
    made = tensor_list(f"{name}:0")
    primitive = make_primitive(op_type, element_dtype=int(from_numpy(item.dtype)))
    node.builder.add_node(Node(name, primitive, list(inputs), [made]), [None])
    return made


def stacked_items(node: OnnxNode, number: int, given: Value, item: ArraySpec) -> Value:
    """Adds the node that joins the items of a list along a new first dimension."""
    name = f"{node.name}/stack_{number}"
    shape = None if item.shape is None else (UNKNOWN, *item.shape)
    made = Value(f"{name}:0", from_numpy(item.dtype), shape)
    primitive = make_primitive("TensorListStack", element_dtype=int(from_numpy(item.dtype)))
    inputs = [given, _item_shape(node, item)]
    node.builder.add_node(Node(name, primitive, list(inputs), [made]), [ArraySpec(item.dtype, shape)])
    return made
