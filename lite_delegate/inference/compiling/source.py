"""Source: a model that is compiled for one or several devices, read when needed, through the cache if there is one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...basics.warned import warn
from ...cache import CacheStatus
from ...errors import CacheWarning
from ...flatbuffer.mapping import copying_files
from ...ir import Graph
from ...runtime.settings import Settings
from ..model.compiled_model import CompiledModel
from ..properties.cache_properties import cache_options
from ..properties.runtime_properties import copies_files
from ..shapes.given_shapes import NO_SHAPES, InputShapes, shapes_of
from .opening import opened

if TYPE_CHECKING:
    from .recipe import Recipe


class Source:
    """A model as a user gives it.

    Args:
        model: the path of its file, the bytes of one, or a graph.
        shapes: of inputs, by name, where they are not those of the model; also with ranges.
        signature: which part of its file; None: the first.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | bytes | bytearray | memoryview | Graph,
        shapes: InputShapes = NO_SHAPES,
        signature: str | None = None,
    ) -> None:
        self._model = model
        self._path = Path(model) if isinstance(model, str | os.PathLike) else None
        self._shapes = shapes_of(shapes)
        self._signature = signature
        self._graphs: dict[str, Graph] = {}
        self._told: set[str] = set()

    def graph(self, level: str) -> Graph:
        """The graph that is compiled; read once for each level of optimization.

        Raises:
            TypeError: it is no model.
            LiteDelegateError: it cannot be read.
        """
        if level not in self._graphs:
            from .preparing import graph_of, prepared_graph  # what is in the cache is not read

            self._graphs[level] = prepared_graph(graph_of(self._model, level, self._signature))
        return self._graphs[level]

    def compiled(self, settings: Settings, said: list[str]) -> CompiledModel:
        """The compiled model.

        Args:
            settings: what the user asks for, with the cache in the runtime's properties.
            said: gets what the user is to be warned of.

        Raises:
            CacheMiss: it is not in the cache, and must be.
            LiteDelegateError: it cannot be read or compiled.
        """
        with copying_files(copies_files(settings)):
            return self._compiled(settings, said)

    def _compiled(self, settings: Settings, said: list[str]) -> CompiledModel:
        """See ``compiled``."""
        cache = None if settings.runtime is None else cache_options(settings.runtime)
        if cache is None:
            return self._opened(self._made(settings, said))
        recipe = self._recipe(settings, said)
        from .caching import compiled_through_cache  # the model's file is hashed meanwhile

        return self._opened(compiled_through_cache(recipe, settings, cache, self._warn))

    def _warn(self, text: str) -> None:
        """Warns in the line of the user who compiled the model; once, also where it is compiled for several devices."""
        if text not in self._told:
            self._told.add(text)
            warn(CacheWarning(text))

    def _opened(self, found: CompiledModel) -> CompiledModel:
        return opened(found, self._shapes.named(found.graph.inputs).bounded)

    def _made(self, settings: Settings, said: list[str]) -> CompiledModel:
        """Compiled without the cache, for the largest shapes."""
        from ..shapes.dimensions import check_dimensions
        from .compiling import compile_graph

        graph = self.graph(level_of(settings))
        shapes = self._shapes.named(graph.inputs)
        check_dimensions(graph, shapes, settings)
        return compile_graph(graph, settings, said, shapes.largest)

    def is_cached(self, settings: Settings) -> bool:
        """Whether there is an entry in the cache for it."""
        cache = None if settings.runtime is None else cache_options(settings.runtime)
        if cache is None:
            return False
        from .caching import explain

        return explain(self._recipe(settings, []), settings, cache).status is CacheStatus.HIT

    def _recipe(self, settings: Settings, said: list[str]) -> Recipe:
        from .recipe import recipe_of_bytes, recipe_of_file, recipe_of_graph

        level = level_of(settings)

        def make() -> CompiledModel:
            return self._made(settings, said)

        loading: dict[str, object] = {}
        loading |= self._shapes.to_dict()
        if self._signature is not None:
            loading["signature"] = self._signature
        if self._path is None and isinstance(self._model, bytes | bytearray | memoryview):
            return recipe_of_bytes(self._model, level, lambda: self.graph(level), make, loading)
        if self._path is None:
            return recipe_of_graph(self.graph(level), make, loading)
        return recipe_of_file(self._path, level, lambda: self.graph(level), make, loading)


def level_of(settings: Settings) -> str:
    """The level at which an imported model is optimized."""
    return "general" if settings.folds else "none"
