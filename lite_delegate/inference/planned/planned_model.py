"""PlannedModel: one plan, with how its graph kernels do."""

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
    """A graph planned for settings and one set of input shapes: its partition, and what it holds.

    Args:
        parts: the graph, its plan, and what stands beside them.
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
        """Who runs what, and why, and which graph kernels failed in the predictions so far."""
        record = self._fallbacks.record(self._plan.record)
        is_said = self._closed_shapes.shapes or self._shape_error is not None
        closed = (_text(self._closed_shapes, self._shape_error),) if is_said else ()
        first = (*closed, *self._settings.notes)
        return replace(record, notes=(*first, *record.notes)) if first else record

    @property
    def fallbacks(self) -> Fallbacks:
        """How its graph kernels do."""
        return self._fallbacks

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel was lost: the model has to be compiled anew to use it again."""
        return self._fallbacks.has_lost_device

    @property
    def is_closed(self) -> bool:
        """True once it was closed, or its graph kernels went over to a model for other shapes."""
        return self._scheduled.lease.is_closed

    def check_open(self) -> None:
        """Raises ModelClosed once it was closed."""
        self._scheduled.lease.check()

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """Gives back what it holds, after the predictions that are under way; none can begin any more.

        Its graph kernels are released, but for what models reshaped from it share, and the delegates are closed with
        the last of these. Closing twice is the same as once.

        Args:
            reason: what later predictions raise.
        """
        self._scheduled.lease.close(reason)

    def take_warnings(self) -> list[str]:
        """Warnings for the user on the predictions so far, each thing once."""
        return self._fallbacks.take_warnings()

    def change(self, properties: ModelProperties, *, falls_back: bool | None) -> None:
        """As ``Plans.change``; the delegates have been told of the properties."""
        if falls_back is not None:
            self._fallbacks.switch(is_on=falls_back)

    def release(self) -> int:
        """As ``Plans.release``: there is no other plan."""
        return 0


def _text(closed: ClosedShapes, error: ShapeError | None) -> str:
    return closed.text if error is None else f"{closed.text}; not planned before shapes are known because of: {error}"
