"""PlannedGraph: a graph with its plan and its ports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, BinaryIO

from ...delegate import Delegate
from ...delegate.calls.log import DelegateLog
from ...errors import ShapeError
from ...formats.input_shapes import ClosedShapes, ways_to_say
from ...ir import Graph
from ...partition.placement import KernelTimes
from ...runtime.settings import Settings
from ...tensors.tensor import Tensor
from ..tensors.port import Bounds, Port, find_port, ports_of
from ..tensors.results import Key
from ..tensors.snapshot import StateInfo, states_of
from .signatures import aliases

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


class PlannedGraph:
    """A graph with its plan, its ports and its settings, which no run changes.

    Args:
        parts: the graph, its plan and its shapes.
    """

    def __init__(self, parts: ModelParts) -> None:
        scheduled, graph = parts.scheduled, parts.graph
        self._parts = parts
        self._graph = graph
        self._closed_shapes = parts.closed_shapes
        self._shape_error = parts.shape_error
        self._scheduled = scheduled
        self._settings = scheduled.settings
        self._plan = scheduled.plan
        self._inputs, self._outputs = (
            ports_of(tensors, is_input=is_input, aliases=aliases(graph, values, is_input=is_input))
            for tensors, values, is_input in (
                (scheduled.plan.inputs, graph.inputs, True),
                (scheduled.plan.outputs, graph.outputs, False),
            )
        )

    @property
    def graph(self) -> Graph:
        """The graph of the plan. Not to be changed."""
        return self._graph

    @property
    def log(self) -> DelegateLog:
        """The log of the compiled model."""
        return self._scheduled.log

    @property
    def closed_shapes(self) -> ClosedShapes:
        """The shapes that were chosen for inputs with open dimensions, because the user gave none."""
        return self._closed_shapes

    @property
    def shape_error(self) -> ShapeError | None:
        """Why the model waits for shapes: the error for ``closed_shapes``. None for a planned model."""
        return self._shape_error

    @property
    def bounds(self) -> Bounds | None:
        """The bounds of the inputs, for a model that is planned for the shapes of each run; else None."""
        return self._parts.bounds

    @property
    def settings(self) -> Settings:
        """The settings of the compilation."""
        return self._settings

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs in API order."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The outputs in API order."""
        return self._outputs

    def input(self, key: Key = 0) -> Port:
        """An input by index or name.

        Raises:
            InputError: there is no such input; the message names the inputs.
        """
        return find_port(key, self._inputs, "input")

    def output(self, key: Key = 0) -> Port:
        """An output by index or name.

        Raises:
            InputError: there is no such output; the message names the outputs.
        """
        return find_port(key, self._outputs, "output")

    def declared_outputs(self) -> tuple[Tensor, ...]:
        """The outputs for all input shapes that the graph takes; -1 for a dimension that depends on them."""
        from ...runtime.planning.shapes.inferring import InferredModel

        try:
            return InferredModel(self._graph, {}, self._settings).bind()[0].outputs
        except ShapeError:  # the outputs can be inferred for the planned shapes only
            return self._plan.outputs

    @property
    def delegates(self) -> Mapping[str, Delegate]:
        """The delegates by name, in order of preference."""
        return {delegate.name: delegate for delegate in self._settings.delegates}

    @property
    def versions(self) -> Mapping[str, str]:
        """``Delegate.version`` of each delegate by name, at the time of planning."""
        return self._scheduled.versions

    @property
    def states(self) -> tuple[StateInfo, ...]:
        """The states of requests: the variables of the graph, in the order of the file."""
        return states_of(self._plan)

    def calibrate(self, runs: int, settings: Settings | None = None, warnings: list[str] | None = None) -> KernelTimes:
        """The times of the kernels for the planned shapes; see ``Model.calibrate``.

        Args:
            runs: the number of measured predictions; the median counts.
            settings: the delegate and the threads; None: the settings of the compilation.
            warnings: gets the warnings for the user.

        Raises:
            InputError, DelegateUnavailable: as ``Model.calibrate``.
        """
        from .kernel_calibration import calibrated

        parts, settings = self.parts(), self._settings if settings is None else settings
        _check_planned(parts, "be calibrated")
        return calibrated(parts, runs, settings, [] if warnings is None else warnings)

    def export_model(self, path: str | os.PathLike[str] | BinaryIO | None = None) -> bytes:
        """The compiled model as bytes: graph, plan and graph kernels; an import executes no code of the file.

        ``import_model`` makes an equal compiled model from the bytes, also in another process, without claims of
        delegates and without a compilation. Equal compilations give equal bytes.

        Args:
            path: also write the bytes to this file, whole or not at all, or to this open binary stream.

        Raises:
            ModelClosed: the model has been closed.
            DelegateBuildError: a delegate, which the message names, cannot export (``Delegate.export_kernel``); no file
                is written.
            ShapeError: the user has given no shapes for a model that waits for shapes, or that is read again for them
                (``Graph.reading``).
            LiteDelegateError: the model was only planned.
            InputError: the folder of the file does not exist, the path is a folder, or a file that constants of the
                model lie in; or the stream takes text.
        """
        from ..model_file.exported_sections import sections_of
        from ..model_file.files import check_place, written

        parts = self.parts()
        check_place(path, parts.graph)
        parts.scheduled.lease.check()
        _check_planned(parts, "be exported")
        if parts.graph.reading is not None and (parts.closed_shapes.shapes or parts.bounds is not None):
            raise ShapeError(
                "The model depends on the shapes of its inputs, and a file has one set of shapes: say which before "
                f"it is exported: {ways_to_say(parts.graph.inputs)}."
            )
        return written(*sections_of(parts), path)

    def parts(self) -> ModelParts:
        """The parts of the model. Not to be changed."""
        return self._parts


def _check_planned(parts: ModelParts, what: str) -> None:
    """Raises ShapeError for a model that waits for shapes, see ``unplanned_model``."""
    if parts.shape_error is not None:
        from .unplanned_model import not_planned

        raise not_planned(parts.graph, parts.closed_shapes, parts.shape_error, what)
