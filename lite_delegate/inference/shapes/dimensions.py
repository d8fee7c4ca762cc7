"""The rules of devices for open dimensions: a device may need bounds, and some models cannot have bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...basics.data_class import dataclass
from ...errors import DynamicShapeCode, DynamicShapeError, InputError
from ...formats.input_shapes import OPEN, given_shapes, is_open
from ...ir import Graph, Value
from ...runtime.binding.host import find_variables
from ...runtime.records import with_cpu
from ...runtime.settings import Settings
from .given_shapes import NamedShapes

CONTROL_FLOW = ("PartialFusion", "Call", "Switch", "SwitchLayer")


@dataclass(frozen=True, slots=True)
class OpenDimension:
    """A dimension of an input that may have another size in each run.

    Attributes:
        number: of the input.
        value: the input.
        axis: the dimension.
    """

    number: int
    value: Value
    axis: int

    @property
    def where(self) -> str:
        """The dimension in messages: ``Input 0 'x', dimension 1 'length'``."""
        symbols = () if self.value.open_shape is None else self.value.open_shape.symbols
        symbol = symbols[self.axis] if self.axis < len(symbols) else ""
        return f"Input {self.number} '{self.value.name}', dimension {self.axis}{symbol and f' {symbol!r}'}"


def check_dimensions(graph: Graph, shapes: NamedShapes, settings: Settings) -> None:
    """Checks that a device which must take a whole model supports its open dimensions.

    Raises:
        InputError: a dimension with a fixed size has bounds, or a shape does not fit the model.
        DynamicShapeError: the device does not support the open dimensions.
    """
    given_shapes(graph.inputs, shapes.largest)
    bounded = list(_bounded(graph, shapes))
    for each in bounded:
        known = each.value.shape[each.axis] if each.value.shape and each.axis < len(each.value.shape) else OPEN
        if known != OPEN:
            raise InputError(f"{each.where} is {known} in the model, so it cannot have bounds; give {known}.")
    if not settings.whole or not any(delegate.needs_bounds for delegate in settings.delegates):
        return
    device = settings.whole
    _check_ranks(graph, shapes, device)
    _check_bounds(graph, shapes, device)
    if bounded:
        _check_control_flow(graph, bounded[0], device)
        _check_state(graph, bounded, device)


def _bounded(graph: Graph, shapes: NamedShapes) -> Iterator[OpenDimension]:
    for number, value in enumerate(graph.inputs):
        for axis, (least, most) in enumerate(shapes.bounded.get(value.name, ())):
            if least != most:
                yield OpenDimension(number, value, axis)


def _check_ranks(graph: Graph, shapes: NamedShapes, device: str) -> None:
    for number, value in enumerate(graph.inputs):
        if value.shape is None and is_open(value) and value.name not in shapes.largest:
            raise DynamicShapeError(
                f"Device '{device}': Input {number} '{value.name}': the number of its dimensions is not known "
                f"(RANK_UNKNOWN), so there is none to be bounded; give all: shapes={{'{value.name}': [...]}}.",
                DynamicShapeCode.RANK_UNKNOWN,
            )


def _check_bounds(graph: Graph, shapes: NamedShapes, device: str) -> None:
    for number, value in enumerate(graph.inputs):
        if not is_open(value) or value.name in shapes.largest:
            continue
        dims = value.shape or ()
        axis = dims.index(OPEN)
        suggested = ", ".join("(1, 128)" if dim == OPEN else str(dim) for dim in dims)
        raise DynamicShapeError(
            f"Device '{device}': {OpenDimension(number, value, axis).where} is open (UNBOUNDED), expected a number or "
            f"an upper bound: give its shape, or such as shapes={{'{value.name}': [{suggested}]}}.",
            DynamicShapeCode.UNBOUNDED,
        )


def _check_control_flow(graph: Graph, first: OpenDimension, device: str) -> None:
    found = next((node for node in graph.nodes if node.op_type in CONTROL_FLOW), None)
    if found is not None:
        raise DynamicShapeError(
            f"Device '{device}': {first.where} has bounds, but node '{found.name}' ({found.op_type}) is control flow "
            f"(CONTROL_FLOW), which is planned for one shape; give a number for the dimension, or compile for "
            f"'{with_cpu(device)}'.",
            DynamicShapeCode.CONTROL_FLOW,
        )


def _check_state(graph: Graph, bounded: Sequence[OpenDimension], device: str) -> None:
    batch = next((each for each in bounded if each.axis == 0), None)
    states = find_variables(graph)
    if batch is not None and states:
        raise DynamicShapeError(
            f"Device '{device}': {batch.where} has bounds, but the model has state '{states[0].name}' "
            f"(STATE_AND_BATCH), which is of one batch; give a number for the dimension, or compile for "
            f"'{with_cpu(device)}'.",
            DynamicShapeCode.STATE_AND_BATCH,
        )
