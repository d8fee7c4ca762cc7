"""The calls of a core that make compiled models: a call keeps its arguments, and another process repeats the call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...basics.data_class import dataclass
from ...basics.warned import Warnings
from ...errors import InputError
from ...inference.compiling.kept_source import KeptSource
from ...inference.shapes.given_shapes import NO_SHAPES, InputShapes
from ...ir import Graph
from ...partition import PartitionOptions
from ...runtime.settings import Settings
from ..registry.names import DeviceName, Hetero, Physical, parse_device
from ..settings.configured_devices import ConfiguredDevices
from ..settings.core_configuration import CoreConfiguration, check_values
from ..settings.core_properties import batched, with_cores
from ..settings.hints import mode_for, with_hints
from ..settings.part_options import part_options

if TYPE_CHECKING:
    from ...inference.model.compiled_model import CompiledModel


@dataclass(frozen=True, slots=True, eq=False)
class CoreCall(ABC):
    """A call of a core. A pickle has the devices with all that the core had been told at the time of the call.

    Attributes:
        devices: the devices of the core.
        told: all that the core had been told.
        source: the model.
        device: the name of the device.
        properties: of the call.
    """

    devices: ConfiguredDevices
    told: CoreConfiguration
    source: KeptSource
    device: str
    properties: Mapping[str, object]

    def __reduce__(self) -> tuple[Any, ...]:
        """The arguments. Calls that are pickled together share their devices, unless the core was told more meanwhile.

        Raises:
            TypeError: a value does not pickle; the message has its owner.
        """
        check_values(self.properties, "the call")
        devices = self.devices if self.devices.told == self.told else ConfiguredDevices.of(self.told)
        return type(self), (devices, self.told, self.source, self.device, self.properties, *self.arguments())

    @abstractmethod
    def arguments(self) -> tuple[Any, ...]:
        """The further arguments of the call."""

    @abstractmethod
    def repeated(self) -> CompiledModel:
        """Makes the model."""


@dataclass(frozen=True, slots=True, eq=False)
class CompileCall(CoreCall):
    """A call of ``Core.compile_model``.

    Attributes:
        shapes, partition: as for ``Core.compile_model``.
        signature: the part of the model's file; None: the first.
    """

    shapes: InputShapes
    partition: PartitionOptions
    signature: str | None = None

    def arguments(self) -> tuple[Any, ...]:
        """As ``CoreCall.arguments``."""
        return dict(self.shapes), self.partition, self.signature

    def repeated(self) -> CompiledModel:
        """The model, compiled."""
        from ...inference.compiling.uncompiled_model import ReadOptions, UncompiledModel
        from .compile_call import compile_for

        devices, given = self.devices, self.properties
        with Warnings() as said:
            wanted = batched(parse_device(self.device), given, devices.core.given)
            name, call = counting(devices, wanted, given)
            source = UncompiledModel(self.source.model, ReadOptions(self.shapes, signature=self.signature, call=self))
            return compile_for(name, devices, source, call, self.partition, said, mode_for(name, given))

    def for_signature(self, key: str) -> CompiledModel:
        """The model of another signature, with the properties that the devices have now."""
        return replace(self, told=self.devices.told, shapes=NO_SHAPES, signature=key).repeated()


@dataclass(frozen=True, slots=True, eq=False)
class ImportCall(CoreCall):
    """A call of ``Core.import_model``; the source is the file of the compiled model.

    Attributes:
        weights: the original model; None: the file has the weights.
    """

    weights: KeptSource | None

    def arguments(self) -> tuple[Any, ...]:
        """As ``CoreCall.arguments``."""
        return (self.weights,)

    def repeated(self) -> CompiledModel:
        """The model, imported."""
        from ...flatbuffer.mapping import copying_files
        from ...inference.compiling.import_model import import_model
        from ...inference.compiling.prepared_graph import graph_of, prepared_graph
        from ...inference.properties.runtime_properties import copies_files

        graph = None if self.weights is None else prepared_graph(graph_of(self.weights.model))
        settings = import_settings(self.devices, self.device, self.properties)
        name, source = parse_device(self.device), self.source.model
        assert not isinstance(source, Graph)
        parts = name.parts if isinstance(name, Hetero) else ()
        with copying_files(copies_files(settings)):
            return import_model(source, settings, graph, tuple(map(str, parts)), self)

    def for_signature(self, key: str) -> CompiledModel:
        """Rejected: the file of a compiled model has one signature."""
        raise InputError(f"The file of a compiled model has no other signature '{key}'.")


def counting(
    devices: ConfiguredDevices, name: DeviceName, properties: Mapping[str, object]
) -> tuple[DeviceName, dict[str, object]]:
    """The device of a call, and the properties that count for it."""
    return with_hints(name, with_cores(name, properties, devices.core.given), devices)


def import_settings(devices: ConfiguredDevices, device: str, properties: Mapping[str, object]) -> Settings:
    """The settings of a device for which a compiled model is imported.

    Raises:
        InputError: the device is neither a single device nor HETERO.
    """
    name, call = counting(devices, parse_device(device), properties)
    if not isinstance(name, Physical | Hetero):
        raise InputError(f"Compiled models are for one device, or for 'HETERO:A,B,CPU', got '{device}'.")
    return devices.settings(name, call, part_options(name, call, devices.registry))
