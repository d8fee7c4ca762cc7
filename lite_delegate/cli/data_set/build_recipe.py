"""BuildRecipe: the model of a batch job, as the options of the command say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...basics.words.one_line import exact
from ...batch.models.recipe import ModelRecipe, Shapes, content_digest, with_digest, with_whole_path
from ...formats.input_shapes import OPEN
from ...inference.properties.cpu_properties import THREADS
from ..options.build_options import BuildOptions

if TYPE_CHECKING:
    from ...inference import CompiledModel
    from ...ir import Graph

NO_EFFECT = ("cache_dir", "allow_fallback", "try_first", "times")
"""Options that do not change what a model computes."""


class BuildRecipe(ModelRecipe):
    """A model that is built as the options of a command say. A worker has one thread where they say nothing of it.

    Args:
        path: of the model's file.
        building: the options.
        has_whole_inputs: whether rows are whole inputs, whose first dimension may be another in each row.
    """

    def __init__(self, path: Path, building: BuildOptions, *, has_whole_inputs: bool = False) -> None:
        self._has_whole_inputs = has_whole_inputs
        wanted = {THREADS: 1, **{name: value for name, value in building.wanted.items() if value}}
        self._path = path.resolve()
        self._building = replace(
            building,
            wanted=with_whole_path({**building.wanted, **wanted}),
            options=dict(building.options),
            shapes=dict(building.shapes),
        )

    def __getstate__(self) -> dict[str, Any]:
        """All but the graph, which workers do not need."""
        return {name: value for name, value in self.__dict__.items() if name != "_graph"}

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    @property
    def device(self) -> str:
        """The SPECs of the delegates."""
        return ", ".join(self._building.specs)

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The digest of the file, and the options that change what the model computes."""
        building = replace(self._building, wanted=with_digest(self._building.wanted))
        said = {
            each.name: exact(getattr(building, each.name))
            for each in fields(BuildOptions)
            if each.name not in NO_EFFECT
        }
        return {"content": content_digest(self._path), **said}

    @property
    def threads(self) -> int:
        """By --threads; 1 where it says nothing."""
        return int(str(self._building.wanted[THREADS]))

    def graph(self) -> Graph:
        """The graph as the file has it."""
        return self._graph

    @cached_property
    def _graph(self) -> Graph:
        return replace(self._building, shapes={}).read(self._path)

    @cached_property
    def _has_open_rows(self) -> bool:
        """Whether rows may have several shapes: the file and the user leave dimensions of a row open."""
        first = 0 if self._has_whole_inputs else 1
        said = self._building.shapes
        return any(OPEN in (value.shape or ())[first:] for value in self._graph.inputs if value.name not in said)

    def compiled(self, shapes: Shapes) -> CompiledModel:
        """The model, built for these shapes."""
        given = {name: tuple(dims) for name, dims in shapes.items()}
        if self._has_open_rows:
            return self._building.model(self._path, shapes=given).compiled
        return replace(self._building, shapes={**self._building.shapes, **given}).model(self._path).compiled

    def imported(self, file: Path) -> CompiledModel:
        """The compiled model in a file."""
        building = replace(self._building, shapes={}, signature=None, stateful=(), cache_dir=None)
        return building.built_from_file(file).compiled
