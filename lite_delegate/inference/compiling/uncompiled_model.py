"""Source: a model as a user gives it, read when needed, and compiled through the cache if there is one."""

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
from ..planned.origin import Origin
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
    """How a source is read.

    Attributes:
        shapes: of inputs, by name or position, where they are not the model's own; also with ranges.
        usual_shapes: of inputs that ``shapes`` does not have.
        signature: the part of the file that is read; None: the first.
        shared: gives the graph with the constants that it shares with other models; None: it shares none.
        opens_all: whether dimensions that the model leaves open may be others in each run, without bounds for them.
        others: compiles other parts of the file, by signature; None: nobody asks for them.
    """

    shapes: InputShapes = field(default_factory=lambda: NO_SHAPES)
    usual_shapes: InputShapes = field(default_factory=lambda: NO_SHAPES)
    signature: str | None = None
    shared: Callable[[Graph], Graph] | None = None
    opens_all: bool = True
    others: Callable[[str], CompiledModel] | None = None


AS_IT_IS = ReadOptions()


@dataclass(frozen=True, slots=True, eq=False)
class FileOptions:
    """How files are used when a model is compiled.

    Attributes:
        cache: where compiled models are kept; None: nowhere.
        copies: whether the model's files are read into memory in place of being mapped.
    """

    cache: CacheOptions | None = None
    copies: bool = False


def file_options(settings: Settings) -> FileOptions:
    """The use of files that the properties of the runtime ask for.

    Raises:
        PropertyError: the model must be in a cache, and there is none.
    """
    cache = None if settings.runtime is None else cache_options(settings.runtime)
    return FileOptions(cache, copies_files(settings))


class UncompiledModel:
    """A model as a user gives it: the only way from files, bytes and graphs to compiled models.

    Args:
        model: the path of its file, the bytes of one, or a graph, which must not be changed afterwards.
        reading: how it is read.
    """

    def __init__(self, model: ModelSource, reading: ReadOptions = AS_IT_IS) -> None:
        self._model = model
        self._path = Path(model) if isinstance(model, str | os.PathLike) else None
        self._reading = reading
        self._shapes, self._usual = shapes_of(reading.shapes), shapes_of(reading.usual_shapes)
        self._graphs: dict[str, Graph] = {}
        self._told: set[str] = set()

    def graph(self, level: str) -> Graph:
        """The graph that is compiled; read once for each level of optimization.

        Raises:
            TypeError: it is no model.
            LiteDelegateError: it cannot be read.
        """
        if level not in self._graphs:
            from .prepared_graph import graph_of, prepared_graph  # what is in the cache is not read

            graph = prepared_graph(graph_of(self._model, level, self._reading.signature))
            self._graphs[level] = graph if self._reading.shared is None else self._reading.shared(graph)
        return self._graphs[level]

    def compiled(
        self, settings: Settings, files: FileOptions, said: list[str], devices: tuple[str, ...] = ()
    ) -> CompiledModel:
        """The compiled model.

        Args:
            settings: what the user asks for.
            files: how files are used.
            said: gets what the user is to be warned of.
            devices: see ``Origin``.

        Raises:
            CacheMiss: it is not in the cache, and must be.
            LiteDelegateError: it cannot be read or compiled.
        """
        with copying_files(files.copies):
            parts, outcome = self._parts(settings, files, said)
            bounded = self._named_shapes(parts.graph).bounded
            if bounded or self._reading.opens_all:
                parts = opened(parts, bounded)
            return of_parts(parts, Origin(outcome, devices, self._others(parts.graph)))

    def outcome(self, settings: Settings, cache: CacheOptions) -> CacheOutcome:
        """What the cache would do if the model were compiled. Nothing is compiled, and nothing of it read but headers.

        Raises:
            LiteDelegateError: the model cannot be read, as far as it must be for this.
        """
        from .model_cache import explain

        return explain(self._recipe(settings, []), settings, cache)

    def _warn(self, text: str) -> None:
        """Warns in the line of the user who compiled the model; once, also where it is compiled for several devices."""
        if text not in self._told:
            self._told.add(text)
            warn(CacheWarning(text))

    def _named_shapes(self, graph: Graph) -> NamedShapes:
        """The shapes that are given for inputs, and the usual ones of others."""
        given, usual = self._shapes.named(graph.inputs), self._usual.named(graph.inputs)
        rest = {name: pairs for name, pairs in usual.bounded.items() if name not in given.largest}
        return NamedShapes({**usual.largest, **given.largest}, {**rest, **given.bounded})

    def _others(self, graph: Graph) -> OtherSignatures[CompiledModel] | None:
        make = self._reading.others
        return None if make is None or len({each.key for each in graph.signatures}) < 2 else OtherSignatures(make)

    def _parts(self, settings: Settings, files: FileOptions, said: list[str]) -> tuple[ModelParts, CacheOutcome]:
        if files.cache is None:
            return self._made(settings, said), DISABLED
        recipe = self._recipe(settings, said)
        from .model_cache import parts_through_cache  # the model's file is hashed meanwhile

        return parts_through_cache(recipe, settings, files.cache, self._warn)

    def _made(self, settings: Settings, said: list[str]) -> ModelParts:
        """Compiled without the cache, for the largest shapes."""
        from ..shapes.dimensions import check_dimensions
        from .compilation import graph_parts

        graph = self.graph(level_of(settings))
        shapes = self._named_shapes(graph)
        check_dimensions(graph, shapes, settings)
        return graph_parts(graph, settings, said, shapes.largest)

    def _recipe(self, settings: Settings, said: list[str]) -> Recipe:
        """How the model is compiled, as its key in the cache has it."""
        from .recipe import recipe_of_bytes, recipe_of_file, recipe_of_graph

        level, reading = level_of(settings), self._reading

        def make() -> ModelParts:
            return self._made(settings, said)

        loading: dict[str, object] = {**self._usual.to_dict(), **self._shapes.to_dict()}
        if self._usual.largest and self._shapes.largest:  # which of them is of one input shows in the graph alone
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
