"""Recurrent layers that share their input with other nodes: OpenVINO's CPU removes transposes that the other nodes
need.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

LAYERS = frozenset({"LSTMSequence", "GRUSequence", "RNNSequence"})
BATCH_FIRST = (1, 0, 2)
Above = dict[str, frozenset[str]]


def exportable(model: Any) -> Any:
    """The model to compile for an export: OpenVINO's CPU reads its own files of some layers wrongly.

    The export of a recurrent layer whose Transposes OpenVINO has taken away (see ``part_transposes``) does not record
    that: an import mixes up the axes of time and batch, where a batch has more than one row.

    Args:
        model: OpenVINO's; it stays as it is.

    Returns:
        A copy in which all recurrent layers keep their Transposes; the model itself where they do already.
    """
    if not any(_transposes_behind(layer) for layer in _layers(model)):
        return model
    copy = model.clone()
    keep_transposes(copy)
    return copy


def keep_transposes(model: Any) -> None:
    """Keeps OpenVINO from taking any recurrent layer's Transposes away, see ``part_transposes``.

    Args:
        model: OpenVINO's, or the body of one of its operators; it is changed in place.
    """
    for layer in _layers(model):
        _give_in_steps(layer)


def part_transposes(model: Any) -> None:
    """Keeps OpenVINO from removing a recurrent layer's Transposes where other nodes may read the first of them.

    OpenVINO's CPU takes away the Transposes before and behind a layer of one direction (its pass
    ``OptimizeSequenceTransposes``), and hands what the first of them reads to all readers of the first. Equal
    Transposes have become one by then, so the other readers get an input whose axes are in the wrong order. Such a
    layer gives its states through a Transpose of three dimensions here, which that pass does not know. With more than
    one row in a batch that costs a copy of the layer's input and of its states; other layers stay as they are.

    Args:
        model: OpenVINO's; it is changed in place.
    """
    layers = _layers(model)
    if not layers:
        return
    nodes = model.get_ordered_ops()
    transposes = [node for node in nodes if _swaps_first(node)]
    names = {layer.get_name() for layer in layers}
    above = _above(nodes, names | {node.get_name() for node in transposes})
    for layer in layers:
        if any(_may_be_one(layer, each, names, above) for each in transposes):
            _give_in_steps(layer)


def _layers(model: Any) -> list[Any]:
    return [node for node in model.get_ordered_ops() if node.get_type_name() in LAYERS]


def _transposes_behind(layer: Any) -> list[Any]:
    """The Transposes that read the states of a layer of one direction; of two directions OpenVINO takes none away."""
    if layer.get_attributes()["direction"] == "bidirectional":
        return []
    readers = [read.get_node() for read in layer.output(0).get_target_inputs()]
    return [node for node in readers if node.get_type_name() == "Transpose"]


def _give_in_steps(layer: Any) -> None:
    """Gives readers of the Transposes behind a layer the same by way of three dimensions."""
    from openvino import opset16

    direction = np.array([1], np.int64)
    for behind in _transposes_behind(layer):
        states = opset16.squeeze(layer.output(0), direction).output(0)
        turned = opset16.transpose(states, np.array(BATCH_FIRST, np.int64)).output(0)
        instead = opset16.unsqueeze(turned, direction)
        instead.friendly_name = behind.friendly_name
        for read in behind.output(0).get_target_inputs():
            read.replace_source_output(instead.output(0))


def _swaps_first(node: Any) -> bool:
    if node.get_type_name() != "Transpose":
        return False
    order = node.input_value(1).get_node()
    return order.get_type_name() == "Constant" and tuple(order.get_data()) == BATCH_FIRST


def _above(nodes: Iterable[Any], wanted: set[str]) -> Above:
    """The wanted nodes that each node depends on, by name."""
    above: Above = {}
    for node in nodes:
        read = [value.get_node().get_name() for value in node.input_values()]
        above[node.get_name()] = frozenset().union(wanted.intersection(read), *(above[name] for name in read))
    return above


def _may_be_one(layer: Any, other: Any, layers: set[str], above: Above) -> bool:
    """Whether a Transpose may be found equal to that of a layer's input.

    It cannot where one depends on the other's layer, as in a stack, or where the input's Transpose goes away before.
    """
    own = layer.input_value(0).get_node()
    name, this = other.get_name(), layer.get_name()
    if own.get_type_name() != "Transpose" or name == own.get_name() or _cancels_out(own):
        return False
    if other.get_element_type() != own.get_element_type() or not _fits(own, other):
        return False
    between = layers & above[this]
    return this not in above[name] and not any(name in above[each] for each in between)


def _cancels_out(transpose: Any) -> bool:
    """Whether a Transpose reads another one, so that OpenVINO leaves out both before it looks at layers.

    It does not behind a layer of two directions: it makes two layers of that one and joins what they give, and the
    first Transpose stays behind the join.
    """
    before = transpose.input_value(0).get_node()
    if before.get_type_name() != "Transpose":
        return False
    return before.input_value(0).get_node().get_type_name() not in LAYERS


def _fits(a: Any, b: Any) -> bool:
    fits: bool = a.get_output_partial_shape(0).compatible(b.get_output_partial_shape(0))
    return fits
