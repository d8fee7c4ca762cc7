"""The options of a command about building its model, and the model built by them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, fields, replace
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from ...basics.data_class import dataclass
from ...cache import CacheOptions, CacheOutcome, CacheStatus
from ...devices.registry.delegate_spec import NO_OPTIONS, is_auto, isolated_spec, resolve_delegates
from ...errors import DelegateUnavailable, InputError, ShapeError
from ...flatbuffer.mapping import copying_files
from ...formats import is_ms, read_facts, read_model
from ...formats.input_shapes import follow_shapes
from ...inference import CompiledModel
from ...inference.compiling.uncompiled_model import ReadOptions, UncompiledModel
from ...inference.compiling.usual_shapes import has_misfits, settle_shapes
from ...inference.model_file.imported_parts import graph_in
from ...inference.properties.build_properties import OPTIMIZE
from ...inference.properties.from_values import budget_of
from ...inference.properties.runtime_properties import MMAP
from ...ir import Graph
from ...mindspore.context.context import Context
from ...mindspore.context.context_settings import settings_of
from ...mindspore.model import Model
from ...partition import PartitionOptions
from ...partition.options import COST, FASTEST
from ...passes.optimize import optimize
from ...properties import Layer, Values
from ...runtime.array_files import FileArray
from ...runtime.budget import Budget
from ...sections.sections import is_model_file, open_sections
from ..frame.loudness import note, progress
from .options import Dims, add_options, input_shape_option, numbers_only, signature_option, times_option
from .partition_options import partition_options
from .placement import placement_options
from .property_options import (
    PROPERTIES,
    copy_weights_option,
    memory_limit_option,
    optimize_option,
    rewrite_option,
    samples_option,
    step_limit_option,
)
from .steps import with_states

Given = np.ndarray[Any, Any] | FileArray
EMPTY: Mapping[str, Any] = MappingProxyType({})
_F = TypeVar("_F", bound=Callable[..., Any])
_Option = Callable[[Callable[..., Any]], Callable[..., Any]]
READING: tuple[_Option, ...] = (
    signature_option,
    input_shape_option,
    optimize_option,
    rewrite_option,
    copy_weights_option,
    memory_limit_option,
    step_limit_option,
    samples_option,
)
"""Options that say how a file is read, in which form delegates are asked about it, and what its model may take."""
SPLITTING: tuple[_Option, ...] = (partition_options, times_option, placement_options)
"""Options that say how a model is split between delegates and the CPU."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of a command about the model that it builds.

    Attributes:
        spec: the SPEC of a delegate, or the SPECs of several delegates in order of preference.
        options: of the delegates.
        partition: how the model is split.
        times: a file with the times of kernels, for placement by gain.
        wanted: values of properties, by name, which the options stand for.
        signature: of a file that has several.
        shapes: of inputs whose dimensions the file leaves open.
        cache_dir: the folder of a cache of compiled models.
        try_first: seconds that each subgraph is tried for in a helper process first; None: it is not.
        isolation: whether delegates that are not of this package run in processes of their own.
        stateful: pairs of an input and an output that become states.
        allow_fallback: whether the CPU may run everything where the device of a delegate is not there; else that is an
            error. Commands with ``allow_fallback_option`` leave it to the user.
    """

    spec: str | tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=lambda: NO_OPTIONS)
    partition: PartitionOptions = field(default_factory=PartitionOptions)
    times: Path | None = None
    wanted: Mapping[str, object] = field(default_factory=dict)
    signature: str | None = None
    shapes: Mapping[str, Dims] = field(default_factory=dict)
    cache_dir: Path | None = None
    stateful: tuple[str, ...] = ()
    allow_fallback: bool = True
    try_first: float | None = None
    isolation: bool = False

    @property
    def specs(self) -> tuple[str, ...]:
        """The SPEC of each delegate."""
        return (self.spec,) if isinstance(self.spec, str) else self.spec

    @property
    def values(self) -> Values:
        """The values of all properties that the options may stand for."""
        return Values(PROPERTIES).with_layer(Layer.FLAT, self.wanted)

    @property
    def ranged_shapes(self) -> Mapping[str, Dims]:
        """The shapes with ranges: the built model takes all shapes in the ranges."""
        return {name: dims for name, dims in self.shapes.items() if not all(isinstance(dim, int) for dim in dims)}

    @property
    def closed_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shapes without ranges, which the graph that is read has."""
        ranged = self.ranged_shapes
        return numbers_only({name: dims for name, dims in self.shapes.items() if name not in ranged})

    def read(self, path: Path) -> Graph:
        """The graph in a file, with the dimensions that the user gives.

        Raises:
            InputError: there is a file of times, but nothing is placed by gain; or the dimensions do not fit.
            LiteDelegateError: the model cannot be read.
        """
        if self.times is not None and self.partition.placement != COST:
            raise InputError("--times is of use only with --placement cost.")
        with copying_files(not self.values.value(MMAP)), progress(f"reading {path.name}"):
            if self.check_compiled(path):
                return graph_in(open_sections(path))
            return read_model(path, self.closed_shapes, self.signature)

    def build(
        self,
        graph: Graph,
        path: Path,
        given: Mapping[str, Given] = EMPTY,
        *,
        plan_only: bool = False,
        shapes: Mapping[str, Dims] = EMPTY,
    ) -> Model:
        """A model built from the graph that was read.

        Args:
            graph: as ``read`` gives it; open dimensions become those of ``given``.
            path: the file; a compiled model's is imported.
            given: data of inputs.
            plan_only: the model is for its report, and cannot predict.
            shapes: of inputs that stay open in the graph: the model is planned for them, and may be reshaped.

        Raises:
            InputError: there are to be states, and the file is a compiled model.
            ShapeError: the model does not take the shapes that open dimensions are taken to have.
            InputError: a delegate is not there, and ``allow_fallback`` is not set.
            LiteDelegateError: the model cannot be built.
        """
        is_as_in_file = not shapes and self.is_as_in_file(given)
        if self.check_compiled(path) or (self.cache_dir is not None and is_as_in_file):
            model = self.built_from_file(path, plan_only=plan_only)
            if not has_misfits(model.compiled):
                return model
            model.close()
        ranged = self.ranged_shapes
        follow_shapes(graph.inputs, {name: array.shape for name, array in given.items() if name not in ranged})
        model = self._built(graph, path, plan_only, shapes)
        if has_misfits(model.compiled) and settle_shapes(graph, read_facts(path).metadata):
            model.close()
            model = self._built(graph, path, plan_only, shapes)
        _check_shapes(model.compiled)
        return model

    def _built(self, graph: Graph, path: Path, plan_only: bool, shapes: Mapping[str, Dims]) -> Model:
        model = Model()
        made = self._optimized(graph, path)
        with saying_fallback(self.allow_fallback), progress(f"compiling {path.name}"):
            model.build_from_graph(made, self._context(plan_only), {**self.ranged_shapes, **shapes})
        model.model_path_ = str(path)
        return model

    def built_from_file(self, path: Path, *, plan_only: bool = False) -> Model:
        """The model in a file as it is, out of the cache where the cache has it; raises as ``build`` does."""
        model = Model()
        with saying_fallback(self.allow_fallback), progress(f"compiling {path.name}"):
            model.build_from_file(path, context=self._context(plan_only))
        return model

    @property
    def budget(self) -> Budget:
        """The limits for the model and its inputs."""
        return budget_of(self.values)

    def with_states(self, graph: Graph, given: Mapping[str, FileArray] = EMPTY) -> Graph:
        """The graph with the states that the user asks for.

        Args:
            graph: as ``read`` gives it.
            given: data of inputs; the data of a state is its initial value.

        Raises:
            InputError: a pair does not fit, see ``make_stateful``.
        """
        return with_states(graph, self.stateful, given, self.budget) if self.stateful else graph

    def model(self, path: Path, *, plan_only: bool = False, shapes: Mapping[str, Dims] = EMPTY) -> Model:
        """A model built from a file; takes the arguments of ``read`` and ``build``, and raises as they do."""
        return self.build(self.with_states(self.read(path)), path, plan_only=plan_only, shapes=shapes)

    def is_as_in_file(self, given: Mapping[str, Given] = EMPTY) -> bool:
        """True where no option changes the graph in the file: the cache need not look at the graph then."""
        return not (self.shapes or self.signature is not None or self.stateful or given)

    def cache_outcome(self, path: Path) -> CacheOutcome | None:
        """The outcome that the cache would have for the model in a file; None where there is no cache. Nothing is
        compiled.
        """
        context = self._context(plan_only=False)
        if context.cache is None:
            return None
        if self.is_as_in_file():
            return UncompiledModel(path).outcome(settings_of(context), context.cache)
        graph = self.with_states(self.read(path))
        made = self._optimized(graph, path)
        return UncompiledModel(made, ReadOptions(self.ranged_shapes)).outcome(settings_of(context), context.cache)

    def check_compiled(self, path: Path) -> bool:
        """Whether a file has a compiled model; checks that no option asks for a choice that the file has made.

        Raises:
            InputError: an option asks for a choice that was made when the model was compiled.
        """
        if not is_model_file(path):
            return False
        if self.stateful:
            raise InputError(f"'{path}' is a compiled model: its states were chosen when it was compiled.")
        if self.shapes or self.signature is not None or self.partition != PartitionOptions():
            raise InputError(
                f"'{path}' is a compiled model: its shapes, its signature and how it is split were chosen when it was "
                "compiled; compile it again to choose others."
            )
        return True

    def _optimized(self, graph: Graph, path: Path) -> Graph:
        """The graph that was read, at the level that is asked for where it was imported."""
        return graph if is_ms(path) else optimize(graph, str(self.values.value(OPTIMIZE)).lower()).graph

    def _context(self, plan_only: bool) -> Context:
        context = Context()
        for each in (context, context.cpu):
            each.set_values({name: value for name, value in self.wanted.items() if name in each.registry})
        specs = tuple(map(isolated_spec, self.specs)) if self.isolation else self.specs
        context.set_delegates(resolve_delegates(specs, self.options))
        context.partition = replace(self.partition, placement=FASTEST) if is_auto(self.specs) else self.partition
        context.cache = None if self.cache_dir is None else CacheOptions(self.cache_dir)
        context.kernel_times = self.times
        context.require_delegates = not self.allow_fallback and not is_auto(self.specs)
        context.plan_only = plan_only
        context.try_first = self.try_first
        return context


@contextmanager
def saying_fallback(is_allowed: bool) -> Iterator[None]:
    """Says how to go on where a delegate is not there that the user named, and that is not allowed."""
    try:
        yield
    except DelegateUnavailable as e:
        if is_allowed:
            raise
        raise unavailable(str(e)) from e


def unavailable(reason: str) -> InputError:
    """The error of a command about a delegate that is not there."""
    return InputError(f"{reason.rstrip().rstrip('.')}. Nothing ran in its place; --allow-fallback runs the CPU.")


def _check_shapes(compiled: CompiledModel) -> None:
    """Raises an error where open dimensions had to stay open, so that the command's output would be of no use."""
    error, closed = compiled.shape_error, compiled.closed_shapes
    if error is not None:
        shapes = {**{v: v.shape for v in compiled.graph.inputs}, **closed.shapes}
        asked = ", ".join(f"{v.name} {list(dims or ())}" for v, dims in shapes.items())
        raise ShapeError(
            f"The model cannot take {asked}: {error} The model's open dimensions follow {closed.flags} "
            f"unless --input or --input-shape says more."
        ) from error


def say_shapes(model: Model) -> None:
    """Says on standard error which sizes open dimensions were given, where there are any."""
    closed = model.compiled.closed_shapes
    if closed.shapes:
        note(f"note: {closed.text}")


def say_cache(model: Model) -> None:
    """Says on standard error the outcome of the cache, where there is one and no warning has said it."""
    outcome = model.cache_outcome
    if outcome.status is not CacheStatus.DISABLED and not outcome.is_told:
        note(outcome.text)


def building_options(*more: _Option) -> Callable[[_F], _F]:
    """Adds the options about building a model to a command that has ``delegate_option``.

    The command gets all options as one parameter ``building``, a ``BuildOptions``.

    Args:
        more: options beside those in ``READING``, each of which is an attribute of ``BuildOptions`` or a property.
    """

    def add(command: _F) -> _F:
        @wraps(command)
        def with_building(*args: Any, **kwargs: Any) -> Any:
            given = {each.name: kwargs.pop(each.name) for each in fields(BuildOptions) if each.name in kwargs}
            wanted = {name: kwargs.pop(name) for name in list(kwargs) if name in PROPERTIES}
            wanted = {name.upper(): value for name, value in wanted.items() if value is not None}
            return command(*args, building=BuildOptions(wanted=wanted, **given), **kwargs)

        return cast(_F, add_options(with_building, (*more, *READING)))

    return add
