"""QuantizedFusionPass: float operators between casts become operators on integers."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from lite_delegate_kernels import KernelInputError, as_tuple
from lite_delegate_kernels.built_in import built_in_kernels

from ...ir import DataType, Graph, Node, Value, constant, make_primitive, to_numpy
from ...ir.primitives import AvgPoolFusion
from ...ir.traits import REARRANGING
from ...ir.types.enums import ActivationType, QuantType, ReduceMode
from ...shapes.attributes import kernel_attributes
from ..framework.base import PassResult
from ..framework.draft import Draft
from ..framework.graph_pass import GraphPass
from ..framework.rewriting import rewrite_drafts
from .casts import CAST, dequantizing, quantizing, source_of, spec_of
from .constants import quantized_constant
from .dense import DENSE, dense_operands

_HEIGHT_AND_WIDTH = (1, 2)


class QuantizedFusionPass(GraphPass):
    """Lets operators whose operands are dequantized, and whose results are quantized, run on the integers.

    1. A movement behind a dequantizing cast moves the integers, and the cast follows; a movement that only a
       quantizing cast reads moves the integers, and the cast comes first. The same bit for bit.
    2. A cast to real numbers and back to the same integers is left out. The same bit for bit.
    3. A convolution or matrix product whose x is dequantized, whose weight is dequantized, with one scale or one per
       output channel, and whose result is quantized, becomes ``QUANT_ALL``. The bias is written in units of the
       products, and must lie within half a quantum of an integer. Within one quantum.
    4. Any other operator that has a kernel for integers becomes ``QUANT_ALL``, if all its float operands are
       dequantized (input 0 at least; constants may stay floats where the kernel takes them) and all its float results
       are quantized. Within one quantum.
    5. A mean over whole images whose result has another scale becomes a ``ReduceFusion``, which rounds once. A mean
       over smaller windows stays then: its kernel rounds it at the scale of x before.
    6. Constants that are still dequantized become float constants.
    7. Integers are int8 or uint8 with one scale, the same type at input 0 and at all results; nodes with other types
       stay, as do nodes whose float results another node reads.
    """

    name: ClassVar[str] = "quantized-fusion"

    def call(self, graph: Graph) -> PassResult[Graph]:
        """The graph with operators on integers; idempotent. Casts that nobody reads any more are left out."""
        return rewrite_drafts(graph, _fused)


def _fused(draft: Draft) -> None:
    _move_casts(draft)
    for node in draft.nodes():
        if node in draft and node.op_type != CAST and draft.is_plain(node):
            _fuse(draft, node)
    for node in draft.nodes():
        if node in draft:
            _drop_round_trip(draft, node)
    for node in draft.nodes():
        if node in draft:
            _replace_constant(draft, node)
    _drop_unread_casts(draft)


def _drop_unread_casts(draft: Draft) -> None:
    for node in reversed(draft.nodes()):
        unread = not any(draft.readers(v) or draft.is_output(v) for v in node.outputs)
        if unread and (node.op_type == CAST or (node.op_type in REARRANGING and draft.is_plain(node))):
            draft.replace([node], [])


# 1 and 2.


def _move_casts(draft: Draft) -> None:
    for node in draft.nodes():
        if node in draft and node.op_type in REARRANGING and draft.is_plain(node):
            _sink(draft, node)
    for node in reversed(draft.nodes()):
        if node in draft and node.op_type in REARRANGING and draft.is_plain(node):
            _hoist(draft, node)


def _sink(draft: Draft, node: Node) -> None:
    """The cast behind the movement."""
    cast = dequantizing(draft, node.inputs[0])
    if cast is None or draft.constant(cast.inputs[0]) is not None:
        return
    source, result = source_of(cast), node.outputs[0]
    moved = replace(source, name=f"{result.name}/integers", shape=result.shape, data=None)
    movement = replace(node, inputs=[source, *node.inputs[1:]], outputs=[moved])
    draft.replace([node], [movement, _cast(f"{node.name}/real", moved, result)])


def _hoist(draft: Draft, node: Node) -> None:
    """The cast before the movement."""
    cast, x = quantizing(draft, node.outputs[0]), node.inputs[0]
    if cast is None or x is None or x.dtype != DataType.FLOAT32 or x.is_constant:
        return
    result = cast.outputs[0]
    integers = replace(result, name=f"{x.name}/integers", shape=x.shape)
    movement = replace(node, inputs=[integers, *node.inputs[1:]], outputs=[result])
    draft.replace([node, cast], [_cast(f"{node.name}/integers", x, integers), movement])


def _cast(name: str, x: Value, y: Value) -> Node:
    return Node(name, make_primitive(CAST, src_t=int(x.dtype), dst_t=int(y.dtype)), [x], [y])


def _drop_round_trip(draft: Draft, cast: Node) -> None:
    back = dequantizing(draft, cast.inputs[0]) if cast.op_type == CAST else None
    if back is None:
        return
    source, result = source_of(back), cast.outputs[0]
    if source.dtype == result.dtype and source.quant_params == result.quant_params:
        draft.drop_identity(cast, source)


# 3, 4 and 5.


def _fuse(draft: Draft, node: Node) -> None:
    casts = _result_casts(draft, node)
    if casts is None:
        return
    outputs = [v if cast is None else cast.outputs[0] for v, cast in zip(node.outputs, casts, strict=True)]
    operands = dense_operands(draft, node, outputs[0]) if node.op_type in DENSE else _operands(draft, node)
    if operands is None:
        return
    fused = replace(node, inputs=operands, outputs=outputs, quant_type=QuantType.QUANT_ALL)
    if _rounds_twice(fused):
        if not _is_over_images(fused):
            return
        fused = _as_reduction(fused)
    if _runs(fused):
        draft.replace([node, *(cast for cast in casts if cast is not None)], [fused])


def _rounds_twice(node: Node) -> bool:
    """True for a mean that the kernel rounds to a whole number before it gets another scale."""
    x = node.inputs[0]
    return node.op_type == "AvgPoolFusion" and x is not None and x.quant_params != node.outputs[0].quant_params


def _is_over_images(node: Node) -> bool:
    """Whether a mean over windows is one over heights and widths, without more to it."""
    primitive = node.primitive
    return isinstance(primitive, AvgPoolFusion) and (
        primitive.global_ and primitive.activation_type == ActivationType.NO_ACTIVATION
    )


def _as_reduction(pool: Node) -> Node:
    """The mean over heights and widths as a reduction."""
    primitive = make_primitive("ReduceFusion", mode=ReduceMode.ReduceMean, keep_dims=True)
    axes = constant(f"{pool.name}/axes", np.array(_HEIGHT_AND_WIDTH, np.int32))
    return replace(pool, primitive=primitive, inputs=[pool.inputs[0], axes])


def _result_casts(draft: Draft, node: Node) -> list[Node | None] | None:
    """The quantizing cast of each result, None for a result that is no float; None where a cast is missing."""
    casts = [quantizing(draft, v) if v.dtype == DataType.FLOAT32 else None for v in node.outputs]
    missing = any(c is None and v.dtype == DataType.FLOAT32 for c, v in zip(casts, node.outputs, strict=True))
    return casts if not missing and any(casts) else None


def _operands(draft: Draft, node: Node) -> list[Value | None] | None:
    """The operands, with integers for dequantized operands; None where a float operand stays that is no constant."""
    found: list[Value | None] = []
    for position, value in enumerate(node.inputs):
        cast = dequantizing(draft, value)
        if cast is not None:
            found.append(source_of(cast))
            continue
        weight = quantized_constant(draft, value) if position else None
        if weight is not None:
            found.append(replace(constant(weight.name, weight.data), quant_params=weight.parameters))
        elif value is not None and value.dtype == DataType.FLOAT32 and (draft.constant(value) is None or not position):
            return None
        else:
            found.append(value)
    return found


def _runs(node: Node) -> bool:
    """True if the kernel for integers takes the node, with the types and shapes that the graph says."""
    kernel = built_in_kernels().find_quantized_form(node.op_type)
    first = node.inputs[0]
    if kernel is None or first is None:
        return False
    try:
        specs = [spec_of(v) for v in node.inputs]
        results = as_tuple(kernel.infer(*specs, **kernel_attributes(node, kernel)))
    except (KernelInputError, TypeError):
        return False
    given = [to_numpy(v.dtype) for v in node.outputs]
    return [r.dtype for r in results[: len(given)]] == given


# 6.


def _replace_constant(draft: Draft, node: Node) -> None:
    for value in node.outputs[:1]:
        found = None if node.op_type != CAST or draft.is_output(value) else quantized_constant(draft, value)
        if found is not None:
            draft.redirect(value, constant(value.name, found.real()))
