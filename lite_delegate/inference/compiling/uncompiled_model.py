"""UncompiledModel: a model as a user gives it, read on demand, and compiled through the cache if there is one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...basics.warned import warn
from ...cache import CacheOptions, CacheOutcome
from ...cache.outcome import DISABLED
from ...errors import CacheWarning
from ...flatbuffer.mapping import copying_files
from ...ir import Graph
from ...runtime.settings import Settings
from ..model.compiled_model import CompiledModel, of_parts
from ..model_file.parts import ModelParts
from ..planned.origin import ModelCall, Origin
from ..planned.signatures import OtherSignatures
from ..properties.cache_properties import cache_options
from ..properties.runtime_properties import copies_files
from ..shapes.given_shapes import NO_SHAPES, InputShapes, NamedShapes, shapes_of
from .shape_bounds import opened

if TYPE_CHECKING:
    from .recipe import Recipe

ModelSource = str | os.PathLike[str] | bytes | bytearray | memoryview | Graph
"""The path of a model's file, its bytes, or a graph."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadOptions:
    """The options for reading a model.

    Attributes:
        shapes: other shapes than the model's own, also with ranges, by name or position of the input.
        usual_shapes: shapes of inputs that ``shapes`` does not have.
        signature: the part of the file that is read; None: the first.
        shared: gives the graph with the constants that the model shares with other models; None: the model shares none.
        opens_all: whether open dimensions without bounds may have another size in each run.
        call: the call that the model is compiled for, see ``Origin``; None: the model cannot be made once more, and
            other signatures of its file are not compiled.
    """

    shapes: InputShapes = field(default_factory=lambda: NO_SHAPES)
    usual_shapes: InputShapes = field(default_factory=lambda: NO_SHAPES)
    signature: str | None = None
    shared: Callable[[Graph], Graph] | None = None
    opens_all: bool = True
    call: ModelCall | None = None


AS_IT_IS = ReadOptions()


@dataclass(frozen=True, slots=True, eq=False)
class FileOptions:
    """The options for the use of files in a compilation.

    Attributes:
        cache: of compiled models; None: no cache.
        copies: whether the model's files are read into memory in place of being mapped.
    """

    cache: CacheOptions | None = None
    copies: bool = False


def file_options(settings: Settings) -> FileOptions:
    """The use of files that the properties of the runtime ask for.

    Raises:
        PropertyError: the model must be in a cache, and no cache is set.
    """
    cache = None if settings.runtime is None else cache_options(settings.runtime)
    return FileOptions(cache, copies_files(settings))


class UncompiledModel:
    """A model as a user gives it: the only way from files, bytes and graphs to compiled models.

    Args:
        model: the path of its file, the bytes of a file, or a graph, which must not be changed afterwards.
        reading: the options for reading the model.
    """

    def __init__(self, model: ModelSource, reading: ReadOptions = AS_IT_IS) -> None:
        self._model = model
        self._path = Path(model) if isinstance(model, str | os.PathLike) else None
        self._reading = reading
        self._shapes, self._usual = shapes_of(reading.shapes), shapes_of(reading.usual_shapes)
        self._graphs: dict[str, Graph] = {}
        self._told: set[str] = set()

    def graph(self, level: str) -> Graph:
        """The graph of the compilation, read once for each level of optimization.

        Raises:
            TypeError: the user gave no model.
            LiteDelegateError: the model cannot be read.
        """
        if level not in self._graphs:
            from .prepared_graph import graph_of, prepared_graph  # a model from the cache needs no reader

            graph = prepared_graph(graph_of(self._model, level, self._reading.signature))
            self._graphs[level] = graph if self._reading.shared is None else self._reading.shared(graph)
        return self._graphs[level]

    def compiled(
        self, settings: Settings, files: FileOptions, said: list[str], devices: tuple[str, ...] = ()
    ) -> CompiledModel:
        """The compiled model.

        Args:
            settings: of the user.
            files: the options for the use of files.
            said: gets the warnings for the user.
            devices: see ``Origin``.

        Raises:
            CacheMiss: the model is not in the cache, and must be.
            LiteDelegateError: the model cannot be read or compiled.
        """
        with copying_files(files.copies):
            parts, outcome = self._parts(settings, files, said)
            bounded = self._named_shapes(parts.graph).bounded
            if bounded or self._reading.opens_all:
                parts = opened(parts, bounded)
            return of_parts(parts, Origin(outcome, devices, self._others(parts.graph), self._reading.call))

    def outcome(self, settings: Settings, cache: CacheOptions) -> CacheOutcome:
        """The outcome that the cache would have for a compilation of the model. Nothing is compiled; only headers are
        read.

        Raises:
            LiteDelegateError: the parts of the model that the key needs cannot be read.
        """
        from .model_cache import explain

        return explain(self._recipe(settings, []), settings, cache)

    def _warn(self, text: str) -> None:
        """Warns in the user's line that compiled the model; once, also in a compilation for several devices."""
        if text not in self._told:
            self._told.add(text)
            warn(CacheWarning(text))

    def _named_shapes(self, graph: Graph) -> NamedShapes:
        """The given shapes of inputs, and the usual shapes of all other inputs."""
        given, usual = self._shapes.named(graph.inputs), self._usual.named(graph.inputs)
        rest = {name: pairs for name, pairs in usual.bounded.items() if name not in given.largest}
        return NamedShapes({**usual.largest, **given.largest}, {**rest, **given.bounded})

    def _others(self, graph: Graph) -> OtherSignatures[CompiledModel] | None:
        call, has_others = self._reading.call, len({each.key for each in graph.signatures}) > 1
        if call is None or not has_others or self._reading.signature is not None or isinstance(self._model, Graph):
            return None
        return OtherSignatures(call.for_signature)

    def _parts(self, settings: Settings, files: FileOptions, said: list[str]) -> tuple[ModelParts, CacheOutcome]:
        if files.cache is None:
            return self._made(settings, said), DISABLED
        recipe = self._recipe(settings, said)
        from .model_cache import parts_through_cache  # other threads hash the model's file meanwhile

        return parts_through_cache(recipe, settings, files.cache, self._warn)

    def _made(self, settings: Settings, said: list[str]) -> ModelParts:
        """Compiles the model without the cache, for the largest shapes."""
        from ..shapes.dimensions import check_dimensions
        from .compilation import graph_parts

        graph = self.graph(level_of(settings))
        shapes = self._named_shapes(graph)
        check_dimensions(graph, shapes, settings)
        return graph_parts(graph, settings, said, shapes.largest)

    def _recipe(self, settings: Settings, said: list[str]) -> Recipe:
        """The recipe of the model's compilation."""
        from .recipe import recipe_of_bytes, recipe_of_file, recipe_of_graph

        level, reading = level_of(settings), self._reading

        def make() -> ModelParts:
            return self._made(settings, said)

        loading: dict[str, object] = {**self._usual.to_dict(), **self._shapes.to_dict()}
        if self._usual.largest and self._shapes.largest:  # only the graph can match names with positions
            loading = self._named_shapes(self.graph(level)).to_dict()
        if reading.signature is not None:
            loading["signature"] = reading.signature
        if self._path is not None:
            return recipe_of_file(self._path, level, lambda: self.graph(level), make, loading)
        if isinstance(self._model, bytes | bytearray | memoryview):
            return recipe_of_bytes(self._model, level, lambda: self.graph(level), make, loading)
        return recipe_of_graph(self.graph(level), make, loading)


def level_of(settings: Settings) -> str:
    """The level at which an imported model is optimized."""
    return "general" if settings.folds else "none"
