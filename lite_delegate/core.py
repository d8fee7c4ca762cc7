"""Core: devices by name, and models compiled for them; the door for those who come from OpenVINO."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from .delegate import Delegate, Telemetry
from .devices import DeviceInfo, DeviceRegistry, Hetero, Physical, parse_device
from .devices.choosing import candidates, choose
from .devices.doors import settings_for
from .devices.installed import Made
from .devices.names import Auto
from .devices.part_options import RUNTIME_FALLBACK, STARTUP_FALLBACK, PartOptions, is_on, part_options
from .errors import InputError, UnsupportedOperatorError
from .forking import free, free_in_children
from .inference import CompiledModel, compile_graph
from .ir import Graph, verify
from .partition import PartitionOptions
from .runtime.settings import Settings
from .warned import Warnings

if TYPE_CHECKING:
    from .inference.model_file import Compatibility
    from .inference.query import Query

ModelSource = str | os.PathLike[str] | bytes | bytearray | memoryview | Graph
"""A model: the path of its file, the bytes of one, or a graph in memory."""
NOTHING: Mapping[str, object] = MappingProxyType({})
USUAL = PartitionOptions()
NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})


class Core:
    """Devices, and models compiled for them. Safe for several threads.

    A device is a name: ``CPU``, ``NPU``, ``NPU.4000``, that of an installed or registered delegate, ``HETERO:NPU,CPU``,
    ``AUTO``; see ``devices.names.parse_device``. All that one core compiles for a device shares that device.
    """

    def __init__(self) -> None:
        self._registry = DeviceRegistry()
        self._properties: dict[tuple[str, str], dict[str, object]] = {}
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @property
    def available_devices(self) -> list[str]:
        """The names of the devices that are there now, the CPU first."""
        return [device.name for device in self.devices() if device.available]

    def devices(self) -> list[DeviceInfo]:
        """All devices that are known, also those that are not there, with the reason.

        Whether a device is there is asked once (``Delegate.probe``, or ``init`` where a delegate has no such), until
        ``rescan``.
        """
        return self._registry.infos()

    def register_device(self, name: str, factory: Made) -> None:
        """Makes a device known to this core.

        Args:
            name: letters, digits, "_" and "-".
            factory: makes its delegate from options by name; or a class derived from ``Delegate``.

        Raises:
            InputError: (a ValueError) no such name, or one that a device has that is built in or installed.
            TypeError: the factory cannot be called.
        """
        self._registry.register(name, factory)

    def rescan(self) -> None:
        """Finds out anew which devices there are."""
        self._registry.rescan()

    def set_property(self, device: str, properties: Mapping[str, object]) -> None:
        """Sets properties of a device, all of them or none, for what is compiled from now on.

        Args:
            device: a device that is not made of others.
            properties: values by name.

        Raises:
            InputError: there is no such device, property or value.
        """
        part = self._physical(device)
        with self._lock:
            given = {str(name).upper(): value for name, value in properties.items()}
            changed = {**self._properties.get(part.key, NOTHING), **given}
            if part.is_cpu and changed:
                raise InputError(f"The CPU has no property '{next(iter(changed))}'.")
            if not part.is_cpu:
                self._registry.delegate(part, changed)
            self._properties[part.key] = changed

    def get_property(self, device: str, key: str) -> object:
        """The value of a property of a device, which need not be there.

        Raises:
            InputError: there is no such device or property.
        """
        part = self._physical(device)
        delegate = None if part.is_cpu else self._delegate(part, NOTHING)
        getter = getattr(delegate, "get_property", None)
        if getter is None:
            raise InputError(f"Device '{part}' has no property '{key}'.")
        found: object = getter(key)
        return found

    def telemetry(self, device: str) -> Telemetry:
        """What a device is doing, and what its memory is taken for.

        Raises:
            InputError: there is no such device, or it does not tell.
        """
        part = self._physical(device)
        found = None if part.is_cpu else self._delegate(part, NOTHING).telemetry()
        if found is None:
            raise InputError(f"Device '{part}' does not tell what it is doing.")
        return found

    def read_model(self, model: ModelSource) -> Graph:
        """The graph of a model: of a file, or of the bytes of one.

        Raises:
            TypeError: neither a path nor bytes nor a graph.
            LiteDelegateError: it cannot be read.
        """
        if isinstance(model, Graph):
            verify(model)
            return model
        from .inference.preparing import imported_graph

        if isinstance(model, bytes | bytearray | memoryview):
            return imported_graph(model)
        if isinstance(model, str | os.PathLike):
            return imported_graph(Path(model))
        raise TypeError(f"model must be a path, the bytes of a file or a Graph, but got {type(model).__name__}.")

    def compile_model(
        self,
        model: ModelSource,
        device: str = "AUTO",
        properties: Mapping[str, object] = NOTHING,
        *,
        shapes: Mapping[str, Sequence[int]] = NO_SHAPES,
        partition: PartitionOptions = USUAL,
    ) -> CompiledModel:
        """A model compiled for a device. The given model stays as it is.

        1. One device takes the whole model, or this is an error that names what it leaves.
        2. ``HETERO:A,B,CPU``: each takes what those before it leave.
        3. ``AUTO``: the first device that takes the whole model, the CPU last. The CPU serves at once, while the model
           is compiled for the others in the background; runs that begin after that go over (``AutoModel``, which has
           ``auto`` and ``wait_ready``). With ENABLE_STARTUP_FALLBACK=NO this waits for the device instead. Devices that
           do not take the model are told of in a warning and in the notes of the partition.

        Args:
            model: a path, the bytes of a file, or a graph.
            device: its name.
            properties: of the device; of the parts of one that is made of others by the key DEVICE_PROPERTIES, a
                mapping of names of devices to properties. ENABLE_STARTUP_FALLBACK: whether HETERO leaves out a device
                that is not there.
            shapes: of inputs, by name, where they are not those of the model.
            partition: how HETERO splits the model; its ``affinity`` gives nodes to devices, by their names.

        Raises:
            InputError: there is no such device, property, value or input.
            PlacementError: a device does not take a node that it was given; the message has its reason.
            FallbackError: the device does not take all of the model; the message has the first nodes with reasons.
            DelegateUnavailable: a device is not there.
            LiteDelegateError: the model cannot be read or compiled.
        """
        with Warnings() as said:
            return self._compiled(model, device, properties, shapes, partition, said)

    def query_model(
        self,
        model: ModelSource,
        device: str,
        properties: Mapping[str, object] = NOTHING,
        *,
        partition: PartitionOptions = USUAL,
    ) -> Query:
        """Where the nodes of a model would run, in the names of its file, and why not elsewhere.

        It is what ``compile_model`` does with the model; nothing is compiled to run or loaded. A single device has the
        nodes that it takes, others have a rejection only.

        Raises:
            InputError, DelegateUnavailable, LiteDelegateError: as ``compile_model``.
        """
        from .inference.preparing import prepared_graph
        from .inference.query import query_of

        name = parse_device(device)
        if not isinstance(name, Physical | Hetero):
            raise InputError(f"query_model asks one device, or 'HETERO:A,B,CPU', got '{device}'.")
        settings = self._settings(name, properties, part_options(name, properties, self._registry))
        planned = replace(settings, plan_only=True, strict=False, partition=partition)
        with Warnings() as said:
            compiled = compile_graph(prepared_graph(self.read_model(model)), planned, said)
        compiled.close()
        return query_of(compiled.partition, has_cpu=not settings.strict)

    def import_model(
        self,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview,
        device: str,
        properties: Mapping[str, object] = NOTHING,
        *,
        weights: ModelSource | None = None,
    ) -> CompiledModel:
        """The compiled model in a file that ``CompiledModel.export_model`` wrote. Nothing is compiled.

        Args:
            source: the path of the file, or its bytes.
            device: that it was compiled for.
            properties: as for ``compile_model``.
            weights: the model that it was compiled from, for a file without weights.

        Raises:
            InputError: as ``compile_model``.
            ModelFormatError: no such file, one that was cut or altered, or one of another version.
            DelegateBuildError: it was compiled for another device.
            DelegateUnavailable: the device is not there.
        """
        from .inference.import_model import import_model
        from .inference.preparing import prepared_graph

        graph = None if weights is None else prepared_graph(self.read_model(weights))
        return import_model(source, self._imports_with(device, properties), graph)

    def check_compatibility(
        self, source: str | os.PathLike[str] | bytes | bytearray | memoryview, device: str
    ) -> Compatibility:
        """Whether ``import_model`` takes a file for a device, and if not, why. Nothing is loaded.

        Raises:
            InputError: there is no such device.
        """
        from .inference.model_file import check_compatibility

        return check_compatibility(source, self._imports_with(device, NOTHING).delegates)

    def _imports_with(self, device: str, properties: Mapping[str, object]) -> Settings:
        """The settings of a device that a compiled model is imported for."""
        name = parse_device(device)
        if not isinstance(name, Physical | Hetero):
            raise InputError(f"Compiled models are for one device, or for 'HETERO:A,B,CPU', got '{device}'.")
        return self._settings(name, properties, part_options(name, properties, self._registry))

    def _compiled(
        self,
        model: ModelSource,
        device: str,
        properties: Mapping[str, object],
        shapes: Mapping[str, Sequence[int]],
        partition: PartitionOptions,
        said: list[str],
    ) -> CompiledModel:
        from .inference.preparing import prepared_graph

        name = parse_device(device)
        if not isinstance(name, Physical | Hetero | Auto):
            raise InputError(f"Models cannot be compiled for '{device}'.")
        options = part_options(name, properties, self._registry)
        if not isinstance(name, Auto):
            settings = replace(self._settings(name, properties, options), partition=partition)
            return compile_graph(prepared_graph(self.read_model(model)), settings, said, shapes)
        parts = candidates(name, self._registry)
        graph = prepared_graph(self.read_model(model))

        def settings_of(part: Physical) -> Settings:
            return replace(self._settings(part, properties, options), partition=partition)

        def compiled(part: Physical, passed: Sequence[str]) -> CompiledModel:
            heard: list[str] = []
            found = compile_graph(graph, settings_of(part), heard, shapes, passed)
            said.extend((*passed, *heard))
            return found

        by_name = {str(part): part for part in parts}
        first = [name for name, part in by_name.items() if not part.is_cpu]
        waits = not is_on(properties, STARTUP_FALLBACK, default=True)
        if waits or not first or not parts[-1].is_cpu:
            return choose(parts, compiled)
        from .devices.auto import AutoModel, HandOver

        try:
            on_cpu = compiled(parts[-1], ())
        except UnsupportedOperatorError:  # nobody can stand in
            return choose(parts, compiled)
        hand_over = HandOver(first, falls_back=is_on(properties, RUNTIME_FALLBACK, default=True))
        found = AutoModel(on_cpu, hand_over)
        hand_over.start(lambda name: compile_graph(graph, settings_of(by_name[name]), [], shapes))
        return found

    def _settings(self, device: Physical | Hetero, properties: Mapping[str, object], options: PartOptions) -> Settings:
        def opener(part: Physical) -> Delegate:
            return self._delegate(part, options.get(part.key, NOTHING))

        return settings_for(device, opener, needs_all=not is_on(properties, STARTUP_FALLBACK, default=False))

    def _delegate(self, part: Physical, options: Mapping[str, object]) -> Delegate:
        """The delegate of a device with the options of a call over those of the device."""
        with self._lock:
            given = {**self._properties.get(part.key, NOTHING), **options}
        delegate = self._registry.delegate(part, given)
        delegate.name = self._registry.name_of(part)
        return delegate

    def _physical(self, text: str) -> Physical:
        """A device that properties are set on.

        Raises:
            InputError: it is made of others, or is not there.
        """
        device = parse_device(text)
        if not isinstance(device, Physical):
            raise InputError(
                f"Device '{text}' is made of others: set properties of these, or give them when compiling."
            )
        self._registry.name_of(device)
        return device
