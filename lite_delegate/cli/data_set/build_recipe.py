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
        self._rows_are_open: bool | None = None  # rows may have several shapes; None: the file was not read yet
        wanted = {THREADS: 1, **{name: value for name, value in building.wanted.items() if value}}
        self._path = path.resolve()
        self._building = replace(
            building,
            wanted=with_whole_path({**building.wanted, **wanted}),
            options=dict(building.options),
            shapes=dict(building.shapes),
        )

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
        found = replace(self._building, shapes={}).read(self._path)
        first = 0 if self._has_whole_inputs else 1
        self._rows_are_open = any(
            value.name not in self._building.shapes and OPEN in (value.shape or ())[first:] for value in found.inputs
        )
        return found

    def compiled(self, shapes: Shapes) -> CompiledModel:
        """The model, built for these shapes."""
        given = {name: tuple(dims) for name, dims in shapes.items()}
        if self._rows_are_open is None:
            self.graph()
        if self._rows_are_open:
            return self._building.model(self._path, shapes=given).compiled
        return replace(self._building, shapes={**self._building.shapes, **given}).model(self._path).compiled

    def imported(self, file: Path) -> CompiledModel:
        """The compiled model in a file."""
        building = replace(self._building, shapes={}, signature=None, stateful=(), cache_dir=None)
        return building.built_from_file(file).compiled
