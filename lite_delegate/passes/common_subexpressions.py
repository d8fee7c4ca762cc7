"""Lets nodes that compute the same thing be one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from lite_delegate_kernels.built_in import built_in_kernels

from ..basics.words.one_line import exact
from ..ir import Graph, Node, Value
from ..ir.traits import RANDOM, SIDE_EFFECTS
from .framework.base import PassResult
from .framework.draft import Draft
from .framework.graph_pass import GraphPass
from .framework.rewriting import rewrite_drafts

MAX_COMPARED_BYTES = 1 << 10
"""Constants up to this size are the same when their elements are; larger ones when they are one array."""


class CommonSubexpressionsPass(GraphPass):
    """Keeps the first of several nodes with the same operator, attributes and inputs. The same bit for bit.

    1. Inputs are the same when they are the same value, or constants of the same dtype, shape and elements (up to
       ``MAX_COMPARED_BYTES``) with the same quantization parameters.
    2. Readers of nodes that became one are compared anew.
    3. Nodes with effects, random nodes, nodes that read variables, and operators without a reference kernel stay.
    4. A node that gives out an output of the graph stays.
    """

    name: ClassVar[str] = "common-subexpressions"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph without such repetitions; idempotent."""
        return rewrite_drafts(graph, _merged)


def _merged(draft: Draft) -> None:
    known: dict[Hashable, Node] = {}
    for node in draft.nodes():
        current = draft.producer(node.outputs[0]) if node.outputs else None
        if current is None or not _is_pure(current, draft.variables):
            continue
        key = _key(current)
        first = known.setdefault(key, current)
        if first is not current and not any(draft.is_output(v) for v in current.outputs):
            known[key] = draft.merge(current, first)


def _is_pure(node: Node, variables: frozenset[Value]) -> bool:
    if node.op_type in SIDE_EFFECTS | RANDOM or built_in_kernels().find(node.op_type) is None:
        return False
    return not any(v in variables for v in node.inputs)


def _key(node: Node) -> Hashable:
    outputs = tuple((v.dtype, v.shape, v.format, v.quant_params) for v in node.outputs)
    inputs = tuple(None if v is None else _value_key(v) for v in node.inputs)
    # The text of a primitive: equal numbers that differ (0.0 and -0.0) have different texts.
    return exact(node.primitive), node.quant_type, node.device_type, inputs, outputs


def _value_key(value: Value) -> Hashable:
    if value.data is None or value.packed is not None or value.is_parameter:
        return id(value)
    data = value.data
    contents = data.tobytes() if data.nbytes <= MAX_COMPARED_BYTES else (data.ctypes.data, data.strides)
    return value.dtype, data.shape, value.quant_params, value.quant_clusters, contents
