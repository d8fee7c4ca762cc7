"""Subgraphs as values: PartialFusion makes them, Switch and SwitchLayer choose among them, Call runs them."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from lite_delegate_kernels import Array, KernelInputError

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ..specs import Spec, SpecConflict, describe, join
from .operator import HostOperator, expect_array

REASON = "control flow runs on the host"


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """A subgraph with its first inputs bound.

    Attributes:
        index: the subgraph, as ``PartialFusion.sub_graph_index`` numbers them.
        arguments: the contents of its first inputs.
    """

    index: int
    arguments: tuple[Any, ...]


def partial_fusion(*arguments: Any, sub_graph_index: int) -> Partial:
    """Binds ``arguments`` to the first inputs of a subgraph. Inference is in ``runtime.model_inference``."""
    return Partial(sub_graph_index, arguments)


def switch(condition: Array, if_true: Any, if_false: Any) -> Any:
    """``if_true`` or ``if_false``.

    Raises:
        KernelInputError: ``condition`` does not have exactly one element.
    """
    if condition.size != 1:
        raise KernelInputError(f"condition must have 1 element, got shape {condition.shape}")
    return if_true if condition.item() else if_false


def infer_switch(condition: Spec | None, if_true: Spec | None, if_false: Spec | None) -> Spec:
    """The spec that both choices have in common; the one choice where the condition is a constant.

    Raises:
        KernelInputError: the condition is not bool with one element, or the choices do not fit together.
    """
    known = expect_array("condition", condition)
    if known.dtype != np.bool_:
        raise KernelInputError(f"condition must be bool, got {known.dtype}")
    if known.value is not None:
        return _checked(switch(known.value, if_true, if_false))
    return _join_all((if_true, if_false))


def switch_layer(index: Array, *layers: Any) -> Any:
    """The layer with number ``index``.

    Raises:
        KernelInputError: ``index`` does not have exactly one element, or there is no such layer.
    """
    if index.size != 1:
        raise KernelInputError(f"index must have 1 element, got shape {index.shape}")
    number = int(index.item())
    if not 0 <= number < len(layers):
        raise KernelInputError(f"index must be 0..{len(layers) - 1} for {counted(len(layers), 'layer')}, got {number}")
    return layers[number]


def infer_switch_layer(index: Spec | None, *layers: Spec | None) -> Spec:
    """The spec that all layers have in common; the one layer where the index is a constant.

    Raises:
        KernelInputError: the index is no integer or out of range, or the layers do not fit together.
    """
    known = expect_array("index", index)
    if known.dtype.kind not in "iu":
        raise KernelInputError(f"index must be an integer, got {known.dtype}")
    if not layers:
        raise KernelInputError("at least 1 layer must be given, got none")
    if known.value is not None:
        return _checked(switch_layer(known.value, *layers))
    return _join_all(layers)


def depend(x: Any, *others: Any) -> Any:
    """``x`` itself, for lists and subgraphs; the reference kernel does it for arrays."""
    return x


def infer_depend(x: Spec | None, *others: Spec | None) -> Spec:
    """The spec of ``x``; raises KernelInputError where nothing is known of it."""
    return _checked(x)


def _join_all(choices: tuple[Spec | None, ...]) -> Spec:
    try:
        return _checked(reduce(join, choices))
    except SpecConflict as e:
        raise KernelInputError(f"the choices must be of one kind, got {e}") from e


def _checked(spec: Spec | None) -> Spec:
    if spec is None:
        raise KernelInputError(f"a subgraph to call must be chosen, got {describe(spec)}")
    return spec


def call(*_: Any, is_tail_call: bool) -> Any:
    """Always raises KernelInputError: ``runtime.run`` executes calls, which need the plans of the subgraphs."""
    raise KernelInputError("a call can only run as part of its model")


def infer_with_subgraphs(*_: Spec | None, **__: Any) -> Spec:
    """Always raises KernelInputError: ``runtime.model_inference`` infers these, which knows the subgraphs."""
    raise KernelInputError("a subgraph can only be used as part of its model")


PARTIAL_OPERATORS = (
    HostOperator("PartialFusion", partial_fusion, infer_with_subgraphs, REASON),
    HostOperator("Call", call, infer_with_subgraphs, REASON),
    HostOperator("Switch", switch, infer_switch, REASON),
    HostOperator("SwitchLayer", switch_layer, infer_switch_layer, REASON),
)
DEPEND = HostOperator("Depend", depend, infer_depend, REASON)
