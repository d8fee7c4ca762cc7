"""CompiledRecipe: a model that the user has compiled, as the call of ``Core`` that made it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...basics.words.one_line import exact
from ...devices.compilation.core_calls import CompileCall, ImportCall
from ...devices.settings.configured_devices import ConfiguredDevices
from ...errors import InputError, PropertyError
from ...inference import CompiledModel
from ...inference.compiling.kept_source import kept_source
from ...inference.compiling.prepared_graph import graph_of
from ...inference.model_file import device_of
from ...inference.properties.cpu_properties import THREADS
from ...ir import Graph
from .recipe import CoreRecipe, ModelRecipe, Shapes, content_digest, parts_of

ModelSource = str | os.PathLike[str] | bytes | CompiledModel | ModelRecipe
"""A model as a user gives it."""

ADVICE = "give the path of the model's file, with device= and properties="


class CompiledRecipe(ModelRecipe):
    """A compiled model, as the call of ``Core.compile_model`` that made it: its core's devices and properties count.

    Args:
        compiled: by ``Core.compile_model``, from a file or from bytes. A worker has one thread where the call said
            nothing of threads.

    Raises:
        InputError: the model was made in another way.
    """

    def __init__(self, compiled: CompiledModel) -> None:
        call = compiled.origin.call
        if not isinstance(call, CompileCall):
            raise InputError(f"A job takes a model that Core.compile_model has compiled: {ADVICE}.")
        source = call.source.model
        if isinstance(source, Graph):
            raise InputError(f"A job cannot tell a graph in memory from another one: {ADVICE}.")
        self._content = bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else Path(source).resolve()
        self._call = _with_one_thread(call)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._content.name if isinstance(self._content, Path) else "model"

    @property
    def device(self) -> str:
        """The device's name."""
        return self._call.device

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The digest of the file, and all that the core and the call were told."""
        return {
            "content": content_digest(self._content),
            "device": self._call.device,
            "properties": {name: exact(value) for name, value in sorted(self._call.properties.items())},
            "core": [exact(self._call.told.core), exact(self._call.told.devices), sorted(self._call.told.factories)],
            "partition": exact(self._call.partition),
            "shapes": {name: exact(dims) for name, dims in self._call.shapes.items()},
        }

    @property
    def threads(self) -> int:
        """By the call or its core; 0, as many as there are processors, counts as 1."""
        of_devices = (values[THREADS] for values in self._call.told.devices.values() if THREADS in values)
        return max(1, int(str(self._call.properties.get(THREADS, next(of_devices, 1)))))

    def graph(self) -> Graph:
        """The graph as the file has it."""
        return graph_of(self._call.source.model)

    def compiled(self, shapes: Shapes) -> CompiledModel:
        """The model, compiled by the call for these shapes."""
        return replace(self._call, shapes={**self._call.shapes, **shapes}).repeated()

    def imported(self, file: Path) -> CompiledModel:
        """The compiled model in a file, on the call's devices."""
        call = self._call
        device = device_of(str(file))
        return ImportCall(call.devices, call.told, kept_source(str(file)), device, call.properties, None).repeated()


def _with_one_thread(call: CompileCall) -> CompileCall:
    """The call on devices that have one thread, where its core was told nothing of threads."""
    devices = ConfiguredDevices.of(call.told)
    if any(THREADS in values for values in (call.properties, call.told.core, *call.told.devices.values())):
        return replace(call, devices=devices)
    for part in parts_of(call.device):
        with suppress(PropertyError):  # a device without threads
            devices.set_device(devices.physical(part), {THREADS: 1})
    return replace(call, devices=devices, told=devices.told)


def recipe_of(model: ModelSource, device: str, properties: Mapping[str, object]) -> ModelRecipe:
    """The recipe of a model as a user gives it.

    Args:
        model: the path of a model's file, its bytes, a model that ``Core.compile_model`` has compiled, or a recipe.
        device, properties: of a path or bytes; as for ``CoreRecipe``.

    Raises:
        InputError: a compiled model was made in another way.
    """
    if isinstance(model, ModelRecipe):
        return model
    if isinstance(model, CompiledModel):
        return CompiledRecipe(model)
    return CoreRecipe(model if isinstance(model, bytes) else Path(model), device, properties)
