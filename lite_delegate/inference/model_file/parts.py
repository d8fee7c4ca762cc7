"""ModelParts: the graph, the plan and the shapes of a compiled model, which its file holds."""

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
    """The parts of a compiled model.

    Attributes:
        graph: of the compilation.
        scheduled: the plan with its graph kernels.
        closed_shapes: the sizes that were chosen for open dimensions.
        shape_error: why the model waits for shapes; None for a planned model.
        bounds: of the inputs, for a plan for the shapes of each run; None for one set of shapes.
    """

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
        """The planned shapes of inputs with known extents."""
        pairs = zip(self.graph.inputs, self.scheduled.plan.inputs, strict=True)
        return {value: tensor.extents for value, tensor in pairs if tensor.extents is not None}
