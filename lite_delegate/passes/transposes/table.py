"""The contract of each operator. An operator that is not listed keeps its axes: no transpose crosses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir import Node, Value
from ...ir.traits import ALONG_AXIS, ELEMENTWISE, SIDE_EFFECTS, ElementPattern, of_pattern
from .contract import Contract, Facts
from .elementwise import elementwise_contract
from .named_axes import (
    index_contract,
    insert_contract,
    named_axes_contract,
    reduce_contract,
    select_contract,
    squeeze_contract,
    stack_contract,
    unstack_contract,
)
from .per_axis import last_contract, pad_contract, slice_contract, strided_contract, tile_contract
from .reshapes import reshape_contract

Draw = Callable[[Node, Facts], Contract | None]

CONTRACTS: Mapping[str, Draw] = {
    **dict.fromkeys(of_pattern(*ELEMENTWISE), elementwise_contract),
    **dict.fromkeys(ALONG_AXIS, named_axes_contract),
    **dict.fromkeys(of_pattern(ElementPattern.CHANNELS), last_contract),
    "ArgMaxFusion": select_contract,
    "ArgMinFusion": select_contract,
    "CumSum": index_contract,
    "ExpandDims": insert_contract,
    "Flatten": reshape_contract,
    "Gather": index_contract,
    "PadFusion": pad_contract,
    "ReduceFusion": reduce_contract,
    "Reshape": reshape_contract,
    "SliceFusion": slice_contract,
    "Squeeze": squeeze_contract,
    "Stack": stack_contract,
    "StridedSlice": strided_contract,
    "TileFusion": tile_contract,
    "Unsqueeze": insert_contract,
    "Unstack": unstack_contract,
}


def contract_of(node: Node, facts: Facts) -> Contract | None:
    """The contract of a node; None for one whose axes must stay.

    Nodes that have effects, that read variables or packed constants, or whose operands are quantized for each place
    of an axis, stay as they are.
    """
    draw = CONTRACTS.get(node.op_type)
    values = [v for v in (*node.inputs, *node.outputs) if v is not None]
    if draw is None or node.op_type in SIDE_EFFECTS or any(_is_tied(v, facts) for v in values):
        return None
    return draw(node, facts)


def _is_tied(value: Value, facts: Facts) -> bool:
    return (
        value in facts.variables
        or value.is_parameter
        or value.packed is not None
        or len(value.quant_params) > 1
        or bool(value.quant_clusters)
        or value not in facts.specs
    )
