"""ActivationFormsPass: one form for each activation function, whatever operator a file spells it with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ..ir import DataType, Graph, Node, Primitive, make_primitive
from ..ir.types.enums import QuantType
from .clamp import activation_of, clamp_of
from .framework.base import PassResult
from .framework.draft import Draft
from .framework.graph_pass import GraphPass
from .framework.patterns import FLOATS
from .framework.rewriting import rewrite_drafts

INTEGERS = (DataType.INT8, DataType.UINT8)


class ActivationFormsPass(GraphPass):
    """Gives every activation function its one form, an Activation with its attributes, so that delegates see no other.

    1. LeakyRelu and PReLUFusion with one constant slope: LEAKY_RELU with ``alpha``.
    2. Elu: ELU with ``alpha``.
    3. Clip with bounds that are attributes or constants, Activation RELU1 and HARD_TANH: RELU, RELU6, or HARD_TANH with
       ``min_val`` and ``max_val``. A range that HARD_TANH cannot say stays (``clamp_of``), and so does one of whole
       numbers.
    4. Activation ABS: Abs.
    5. Functions of quantized integers as well, which are the same tables; PReLUFusion, whose slope is quantized, and
       clamps with several scales stay.

    The same bit for bit. Every model goes through it, imported or read from ``.ms``, before any delegate is asked.
    """

    name: ClassVar[str] = "activation-forms"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with activation functions in their forms; idempotent."""
        return rewrite_drafts(graph, _rewritten)


def _rewritten(draft: Draft) -> None:
    for node in draft.nodes():
        form = FORMS.get(node.op_type)
        primitive = form(node, draft) if form is not None and _may_change(node, draft) else None
        if primitive is not None and primitive != node.primitive:
            draft.replace([node], [replace(node, primitive=primitive, inputs=node.inputs[:1])])


def _may_change(node: Node, draft: Draft) -> bool:
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return False
    is_quantized = node.quant_type == QuantType.QUANT_ALL
    return draft.is_plain(replace(node, quant_type=QuantType.QUANT_NONE) if is_quantized else node)


def _leaky_relu(node: Node, draft: Draft) -> Primitive | None:
    return make_primitive(
        "Activation", activation_type="LEAKY_RELU", alpha=node.primitive.attributes()["negative_slope"]
    )


def _elu(node: Node, draft: Draft) -> Primitive | None:
    return make_primitive("Activation", activation_type="ELU", alpha=node.primitive.attributes()["alpha"])


def _prelu(node: Node, draft: Draft) -> Primitive | None:
    data = draft.constant(node.inputs[1]) if len(node.inputs) > 1 else None
    if data is None or data.size != 1 or data.dtype.kind != "f" or node.quant_type != QuantType.QUANT_NONE:
        return None
    slope = float(data.reshape(()))
    if not np.isfinite(slope) or slope != float(np.float32(slope)):
        return None
    return make_primitive("Activation", activation_type="LEAKY_RELU", alpha=slope)


def _clamp(node: Node, draft: Draft) -> Primitive | None:
    result = node.outputs[0]
    is_table = node.quant_type == QuantType.QUANT_ALL and result.dtype in INTEGERS
    if result.dtype not in FLOATS and not (is_table and _has_one_scale(node)):
        return None
    clamp = clamp_of(node, draft)
    return None if clamp is None else activation_of(clamp, DataType.FLOAT32 if is_table else result.dtype)


def _has_one_scale(node: Node) -> bool:
    return all(len(v.quant_params) == 1 for v in (node.inputs[0], node.outputs[0]) if v is not None)


def _activation(node: Node, draft: Draft) -> Primitive | None:
    name = node.primitive.attributes()["activation_type"]
    if name == "ABS":
        return make_primitive("Abs")
    return _clamp(node, draft) if name in ("RELU1", "HARD_TANH") else None


FORMS: dict[str, Callable[[Node, Draft], Primitive | None]] = {
    "Activation": _activation,
    "Clip": _clamp,
    "Elu": _elu,
    "LeakyRelu": _leaky_relu,
    "PReLUFusion": _prelu,
}
"""The form that replaces a node's primitive, by its operator; None where the primitive has its form or has none."""
