"""The plans of a model: the current plan for the shapes of its inputs, and kept plans for other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..basics.data_class import dataclass
from ..basics.warned import Warnings
from ..delegate import Delegate
from ..errors import InputError, ModelClosed
from ..formats.input_shapes import is_open
from ..inference.compiling.compilation import compile_graph
from ..inference.model.compiled_model import CompiledModel, of_parts
from ..inference.running.runners import Runners
from ..inference.shapes.plan_cache import PlanCache
from ..inference.tensors.given_inputs import Inputs, checked_inputs
from ..inference.tensors.port import planned_shapes, ranges_of
from ..runtime.execution.inputs import checked_dims, declared_inputs
from ..runtime.lifetimes.session import versions_of
from ..runtime.settings import Settings
from ..tensors.tensor import Tensor, empty_like

Shapes = tuple[tuple[int, ...], ...]
Key = tuple[Shapes, tuple[Delegate, ...], tuple[str, ...]]
"""The key of a plan: shapes of the inputs, delegates, and versions of the delegates (``version``)."""

MAX_IDLE = 8
"""The most idle runners of a plan. Any number of predictions may run at once, each with its own runner."""
CLOSED = "The Model has been closed; make another one."


@dataclass(frozen=True, slots=True, eq=False)
class Current:
    """The state of a model for the current shapes of its inputs, replaced as a whole.

    Attributes:
        compiled: the compiled model for these shapes.
        runners: the runners for predictions.
        inputs: the input tensors to fill; an open dimension is -1.
        shapes: the planned shapes of the inputs.
        is_open: whether the next prediction may have other shapes, because the file leaves dimensions open and the
            model was not resized.
        outputs: the output tensors of a prediction.
    """

    compiled: CompiledModel
    runners: Runners
    inputs: tuple[Tensor, ...]
    shapes: Shapes
    is_open: bool
    outputs: tuple[Tensor, ...]

    @property
    def is_closed(self) -> bool:
        """As ``CompiledModel.is_closed``."""
        return self.compiled.is_closed

    @property
    def has_lost_device(self) -> bool:
        """As ``CompiledModel.has_lost_device``."""
        return self.compiled.has_lost_device


class ModelPlans:
    """The plans of one model. Safe for several threads; only one thread at a time changes a plan.

    Args:
        compiled: the compiled model of the build.
    """

    def __init__(self, compiled: CompiledModel) -> None:
        open_ = _are_open(compiled)
        pairs = zip(open_, declared_inputs(compiled.graph.inputs), compiled.plan.inputs, strict=True)
        inputs = tuple(empty_like(declared if is_open else planned) for is_open, declared, planned in pairs)
        self._now: Current | None = Current(
            compiled, _runners(compiled), inputs, _shapes(compiled), any(open_), _outputs(compiled)
        )
        self._kept: PlanCache[Key, Current] = PlanCache(evicted=_close)
        self._kept.keep(_key(self._now), self._now)

    @property
    def current(self) -> Current:
        """The state for the current shapes of the inputs.

        Raises:
            ModelClosed: the model has been closed.
        """
        if self._now is None:
            raise ModelClosed(CLOSED)
        return self._now

    @property
    def count(self) -> int:
        """The number of kept plans."""
        return len(self._kept)

    def for_inputs(self, inputs: Inputs, said: list[str]) -> Current:
        """The state for the shapes of a prediction's inputs; where dimensions are open, the model is planned if needed.

        Args:
            inputs: the inputs of a prediction.
            said: receives the warnings for the user.

        Raises:
            TypeError, InputError, ModelClosed: as ``Model.predict``.
            LiteDelegateError: the model cannot be planned for these shapes.
        """
        current = self._now or self.current
        if not current.is_open or current.compiled.bounds is not None:
            return current
        shapes = _shapes_given(inputs, current)
        if shapes == current.shapes:
            return current
        with self._kept.planning():
            current = self.current
            if not current.is_open:
                return current
            found = self._planned(current, shapes, current.compiled.settings, said)
            return self._go_over(found, current, is_open=True)

    def wait_for_other(self, current: Current) -> None:
        """Waits until a resize, which closed the state that a prediction was about to use, has a new state.

        Raises:
            ModelClosed: no resize closed the state.
        """
        with self._kept.planning():
            if self._now is current:
                raise ModelClosed("The compiled model of this Model has been closed (CompiledModel.close).")

    def resize(self, inputs: Sequence[Tensor], dims: Sequence[Sequence[int]], settings: Settings) -> None:
        """Goes over to other shapes of the inputs, see ``Model.resize``.

        Args:
            inputs: all inputs of the model, in order.
            dims: the new shape of each input.
            settings: the settings of the context at this time.
        """
        with self._kept.planning():
            current = self.current
            declared = [value.shape for value in current.compiled.graph.inputs]
            shapes = checked_dims(inputs, dims, current.inputs, declared)
            if current.compiled.bounds is not None:
                _check_ranges(current.compiled, shapes)
            with Warnings() as said:
                found = self._planned(current, shapes, settings, said)
                if current.is_closed:  # its graph kernels were resized: a warning that raises cannot undo the resize
                    self._go_over(found, current, is_open=False)
            self._go_over(found, current, is_open=False)

    def update_weights(self, weights: Sequence[Sequence[Tensor]]) -> None:
        """Gives constants other contents, see ``Model.update_weights``."""
        with self._kept.planning():
            current = self.current
            from .weights import with_weights

            graph = with_weights(current.compiled.graph, weights)
            with Warnings() as said:
                compiled = compile_graph(graph, current.compiled.settings, said)
                if _shapes(compiled) != current.shapes:
                    compiled = compiled.reshaped(current.shapes, warnings=said)
            bounds = current.compiled.bounds
            if bounds is not None:
                compiled = of_parts(replace(compiled.parts(), bounds=bounds))
            self._now = now = _with(current, compiled)
            self._kept.keep(_key(now), now)
            for key, each in self._kept.items():
                if each is not now:
                    each.compiled.close()
                    self._kept.remove(key)

    def close(self) -> None:
        """Closes all plans, see ``Model.close``; the next call closes the plans that an interrupted call left."""
        with self._kept.planning():
            self._now = None
        for key, each in self._kept.items():
            each.compiled.close(CLOSED)
            self._kept.remove(key)

    def _go_over(self, found: Current, before: Current, *, is_open: bool) -> Current:
        """Makes a plan the current plan; after a resize the tensors of ``get_inputs`` take its shapes.

        Args:
            found: the plan, which is kept.
            before: the state before, with the tensors of ``get_inputs``.
            is_open: whether the next prediction may have other shapes again.
        """
        self._now = now = replace(found, inputs=before.inputs, is_open=is_open)
        for tensor, planned in zip(before.inputs, found.compiled.plan.inputs, strict=True):
            if not is_open:
                tensor.shape = planned.shape
        self._kept.keep(_key(found), found)
        return now

    def _planned(self, current: Current, shapes: Shapes, settings: Settings, said: list[str]) -> Current:
        """The kept plan for the shapes and settings, or a new plan."""
        key = shapes, settings.delegates, tuple(versions_of(settings.delegates).values())

        def make() -> Current:
            compiled = current.compiled.reshaped(shapes, settings, said)
            return replace(_with(current, compiled), shapes=shapes)

        return self._kept.found_or_made(key, make, lambda kept: settings.equals(kept.compiled.settings))


def _close(evicted: Current) -> None:
    """Closes an evicted plan: predictions under way end properly, and no other prediction begins."""
    evicted.compiled.close()


def _are_open(compiled: CompiledModel) -> list[bool]:
    """Whether each input has open dimensions in the file for which the user gave no numbers."""
    closed, bounds = compiled.closed_shapes.shapes, compiled.bounds
    return [
        is_open(value) and (value in closed or not planned.has_known_shape or bounds is not None)
        for value, planned in zip(compiled.graph.inputs, compiled.plan.inputs, strict=True)
    ]


def _with(current: Current, compiled: CompiledModel) -> Current:
    return replace(current, compiled=compiled, runners=_runners(compiled), outputs=_outputs(compiled))


def _runners(compiled: CompiledModel) -> Runners:
    return Runners(compiled.create_runner, MAX_IDLE)


def _shapes_given(inputs: Inputs, current: Current) -> Shapes:
    """The shapes of the values given for the inputs of a model with open dimensions, without sizes of strings.

    Raises:
        TypeError, InputError: as ``Model.predict``.
    """
    pairs = zip(current.compiled.inputs, current.inputs, strict=True)
    ports = [replace(port, ranges=ranges_of(tensor)) for port, tensor in pairs]
    return planned_shapes(ports, checked_inputs(inputs, ports, strict=True))


def _outputs(compiled: CompiledModel) -> tuple[Tensor, ...]:
    return compiled.plan.outputs if compiled.bounds is None else compiled.declared_outputs()


def _check_ranges(compiled: CompiledModel, shapes: Shapes) -> None:
    for port, shape in zip(compiled.inputs, shapes, strict=True):
        if wrong := port.misfit(shape):
            raise InputError(f"{port.where}: {wrong}.")


def _shapes(compiled: CompiledModel) -> Shapes:
    return tuple(tuple(tensor.shape) for tensor in compiled.plan.inputs)


def _key(current: Current) -> Key:
    compiled = current.compiled
    return current.shapes, compiled.settings.delegates, tuple(compiled.versions.values())
