"""ModelRecipe: what a model is made from, so that each worker can make it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...basics.words.one_line import exact
from ...devices import Physical, parse_device
from ...errors import PropertyError
from ...formats.external_files import files_of_model
from ...inference.properties.cpu_properties import THREADS
from ...inference.properties.runtime_properties import SAMPLES
from ...sections.digest import digest_of, digest_of_file

if TYPE_CHECKING:
    from ...devices.core import Core
    from ...inference import CompiledModel
    from ...ir import Graph

Shapes = Mapping[str, Sequence[Any]]


class ModelRecipe(ABC):
    """What a model is made from: a file, delegates, properties. Can be pickled."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the model for people."""

    @property
    @abstractmethod
    def device(self) -> str:
        """The device or the delegates, for people."""

    @property
    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """Plain data that tells this model from one that computes something else, without paths and times."""

    @property
    @abstractmethod
    def threads(self) -> int:
        """The threads of a run."""

    @abstractmethod
    def graph(self) -> Graph:
        """The graph as the file has it.

        Raises:
            LiteDelegateError: the model cannot be read.
        """

    @abstractmethod
    def compiled(self, shapes: Shapes) -> CompiledModel:
        """The model, compiled for these shapes of inputs whose dimensions the file leaves open.

        Raises:
            LiteDelegateError: the model cannot be compiled.
        """

    @abstractmethod
    def imported(self, file: Path) -> CompiledModel:
        """The model out of the file of a compiled model, compiled by this recipe on any machine.

        Raises:
            LiteDelegateError: the file is of no use on this machine.
        """


class CoreRecipe(ModelRecipe):
    """A model that ``Core`` compiles for a device.

    Args:
        model: a path, or the bytes of a model's file.
        device: as for ``Core.compile_model``.
        properties: of the device. Where nothing is said of threads, a worker has one.
    """

    def __init__(self, model: str | Path | bytes, device: str, properties: Mapping[str, object]) -> None:
        self._model = model if isinstance(model, bytes) else Path(model).resolve()
        self._device = device
        self._properties = with_whole_path(properties)

    @property
    def name(self) -> str:
        """The file's name."""
        return self._model.name if isinstance(self._model, Path) else "model"

    @property
    def device(self) -> str:
        """The device's name."""
        return self._device

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The digest of the file, the device and the properties."""
        return {
            "content": content_digest(self._model),
            "device": self._device,
            "properties": {name: exact(value) for name, value in sorted(with_digest(self._properties).items())},
        }

    @property
    def threads(self) -> int:
        """By the properties; 0, as many as there are processors, counts as 1."""
        return max(1, int(str(self._properties.get(THREADS, 1))))

    def graph(self) -> Graph:
        """The graph as the file has it."""
        from ...devices.core import Core

        return Core().read_model(self._model)

    def compiled(self, shapes: Shapes) -> CompiledModel:
        """The model, compiled for these shapes."""
        return self._core().compile_model(self._model, self._device, self._properties, shapes=shapes)

    def imported(self, file: Path) -> CompiledModel:
        """The compiled model in a file."""
        return self._core().import_model(str(file), None, self._properties)

    def _core(self) -> Core:
        from ...devices.core import Core

        core = Core()
        for part in parts_of(self._device):
            with suppress(PropertyError):  # a device without threads
                core.set_property(part, {THREADS: 1})
        return core


def parts_of(device: str) -> list[str]:
    """The devices that a device is made of; itself where it is a single device, and none where AUTO chooses."""
    name = parse_device(device)
    return [str(part) for part in getattr(name, "parts", [name] if isinstance(name, Physical) else [])]


def with_whole_path(properties: Mapping[str, object]) -> dict[str, object]:
    """The properties with the whole path of the file of samples: workers may have another working folder."""
    path = properties.get(SAMPLES)
    return {**properties, SAMPLES: os.path.abspath(str(path))} if path else dict(properties)


def with_digest(properties: Mapping[str, object]) -> dict[str, object]:
    """The properties with the digest of the file of samples in place of its path.

    Raises:
        OSError: the file cannot be read.
    """
    path = properties.get(SAMPLES)
    return {**properties, SAMPLES: digest_of_file(Path(str(path)))[0]} if path else dict(properties)


def content_digest(model: Path | bytes) -> str:
    """The digest of a model's file and of the files beside it that hold its weights, in hexadecimal.

    Raises:
        OSError: a file cannot be read.
    """
    if isinstance(model, bytes):
        return digest_of(model)
    each = [digest_of_file(path)[0] for path in files_of_model(model)]
    return each[0] if len(each) == 1 else digest_of("".join(each).encode())
