"""ModelParts: what a compiled model is made of, and what its file holds."""

from __future__ import annotations

from collections.abc import Mapping

from ...basics.data_class import dataclass
from ...delegate import Delegate
from ...errors import ShapeError
from ...formats.input_shapes import ClosedShapes
from ...ir import Graph, Value
from ...runtime.planning.scheduled import Scheduled
from ..tensors.port import Bounds


@dataclass(frozen=True, slots=True, eq=False)
class ModelParts:
    """The arguments of a ``CompiledModel``, see there."""

    graph: Graph
    scheduled: Scheduled
    closed_shapes: ClosedShapes
    shape_error: ShapeError | None
    bounds: Bounds | None = None

    @property
    def delegates(self) -> Mapping[str, Delegate]:
        """The delegates by name, in order of preference."""
        return {delegate.name: delegate for delegate in self.scheduled.settings.delegates}

    def known_shapes(self) -> dict[Value, tuple[int, ...]]:
        """The shapes of the inputs that it was planned for, where their rank is known."""
        pairs = zip(self.graph.inputs, self.scheduled.plan.inputs, strict=True)
        return {value: tensor.extents for value, tensor in pairs if tensor.extents is not None}
