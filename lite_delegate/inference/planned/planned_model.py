"""PlannedModel: one plan, with the state of its graph kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ...delegate import Kernel
from ...errors import ShapeError
from ...formats.input_shapes import ClosedShapes
from ...runtime.execution.fallback import Fallbacks
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.records.records import PartitionRecord
from ..properties.model_properties import ModelProperties
from .planned_graph import PlannedGraph

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


class PlannedModel(PlannedGraph):
    """A graph planned for settings and one set of input shapes, with its partition and its graph kernels.

    Args:
        parts: the graph, its plan and its shapes.
    """

    def __init__(self, parts: ModelParts) -> None:
        super().__init__(parts)
        self._fallbacks = Fallbacks(self._plan, self.log)

    @property
    def plan(self) -> ExecutionPlan:
        """The plan that each prediction executes."""
        return self._plan

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels that delegates made, in execution order, with the names of the nodes they stand for."""
        return self._plan.graph_kernels

    @property
    def partition(self) -> PartitionRecord:
        """The device of each node with its reason, and the graph kernels that failed in predictions so far."""
        record = self._fallbacks.record(self._plan.record)
        is_said = self._closed_shapes.shapes or self._shape_error is not None
        closed = (_text(self._closed_shapes, self._shape_error),) if is_said else ()
        first = (*closed, *self._settings.notes)
        return replace(record, notes=(*first, *record.notes)) if first else record

    @property
    def fallbacks(self) -> Fallbacks:
        """The state of the graph kernels: failures and lost devices."""
        return self._fallbacks

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._fallbacks.has_lost_device

    @property
    def is_closed(self) -> bool:
        """True once the model was closed, or its graph kernels moved to a model for other shapes."""
        return self._scheduled.lease.is_closed

    def check_open(self) -> None:
        """Raises ModelClosed after ``close``."""
        self._scheduled.lease.check()

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Closes the model after the predictions under way; later predictions raise ModelClosed.

        Graph kernels are released once no reshaped model shares them, and the delegates are closed with the last model.
        A second call has no effect.

        Args:
            reason: the message that later predictions raise.
        """
        self._scheduled.lease.close(reason)

    def take_warnings(self) -> list[str]:
        """Warnings for the user about predictions so far, each warning once."""
        return self._fallbacks.take_warnings()

    def change(self, properties: ModelProperties, *, falls_back: bool | None) -> None:
        """As ``Plans.change``; the caller has set the properties on the delegates."""
        if falls_back is not None:
            self._fallbacks.switch(is_on=falls_back)

    def release(self) -> int:
        """As ``Plans.release``: the only plan stays."""
        return 0


def _text(closed: ClosedShapes, error: ShapeError | None) -> str:
    return closed.text if error is None else f"{closed.text}; not planned before shapes are known because of: {error}"
