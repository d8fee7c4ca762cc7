"""Core: devices by name, and models compiled for them; the door for those who come from OpenVINO."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING

from .delegate import Delegate, Telemetry
from .devices import DeviceInfo, DeviceRegistry, Hetero, Physical, parse_device
from .devices.choosing import candidates
from .devices.core_properties import (
    ADDRESSING,
    AVAILABLE,
    CORE_PROPERTIES,
    LISTS,
    SUPPORTED,
    nested_of,
    of_device,
    with_cores,
)
from .devices.doors import settings_for
from .devices.installed import Made
from .devices.names import CPU, Batch, Multi
from .devices.part_options import STARTUP_FALLBACK, PartOptions, is_on, notes_of, part_options
from .errors import InputError, PropertyError
from .forking import free, free_in_children
from .inference import CompiledModel, CompileJob, compile_graph
from .inference.compiling import compile_for_shapes
from .inference.cpu_properties import CPU_PROPERTIES, CPU_REGISTRY, check_threads, cpu_fact, with_cpu
from .inference.runtime_properties import RUNTIME, not_of_runtime, of_runtime, with_runtime
from .ir import Graph, verify
from .partition import PartitionOptions
from .properties import Explanation, Layer, PropertySpec, PropertyStore, Registry, Values
from .runtime.settings import Settings
from .warned import Warnings

if TYPE_CHECKING:
    from .inference.model_file import Compatibility
    from .inference.query import Query

ModelSource = str | os.PathLike[str] | bytes | bytearray | memoryview | Graph
"""A model: the path of its file, the bytes of one, or a graph in memory."""
NOTHING: Mapping[str, object] = MappingProxyType({})
USUAL = PartitionOptions()
CORE_NAME = "core"
NO_SHAPES: Mapping[str, Sequence[int]] = MappingProxyType({})


class Core:
    """Devices, and models compiled for them. Safe for several threads.

    A device is a name: ``CPU``, ``NPU``, ``NPU.4000``, that of an installed or registered delegate, ``HETERO:NPU,CPU``,
    ``AUTO``; see ``devices.names.parse_device``. All that one core compiles for a device shares that device.
    """

    def __init__(self) -> None:
        self._registry = DeviceRegistry()
        self._properties: dict[tuple[str, str], dict[str, object]] = {}
        self._store = PropertyStore(CORE_PROPERTIES)
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

    def set_property(
        self, device_or_properties: str | Mapping[str, object], properties: Mapping[str, object] | None = None
    ) -> None:
        """Sets properties of a device, or of the core, all of them or none, for what is compiled from now on.

        Args:
            device_or_properties: a device that is not made of others; or properties of the core, which count for all
                devices that have them.
            properties: values by name.

        Raises:
            PropertyError: there is no such property or value.
            InputError: there is no such device.
        """
        if not isinstance(device_or_properties, str):
            with self._lock:
                self._store.set_core(device_or_properties)
            return
        part = self._physical(device_or_properties)
        if properties is None:
            raise PropertyError(
                f"core.set_property('{part}', properties) needs a mapping of names to values, got None."
            )
        given = {str(name).upper(): value for name, value in not_of_runtime(properties).items()}
        with self._lock:
            changed = {**self._properties.get(part.key, NOTHING), **given, **RUNTIME.checked(of_runtime(properties))}
            own = not_of_runtime(changed)
            if part.is_cpu:
                check_threads(Values(CPU_REGISTRY).with_layer(Layer.DEVICE, own))
            else:
                self._registry.delegate(part, own)
            self._properties[part.key] = changed

    def get_property(self, device_or_key: str, key: str | None = None) -> object:
        """The value of a property of a device, which need not be there, or of the core.

        Raises:
            PropertyError: there is no such property.
            InputError: there is no such device.
        """
        if key is None:
            return self._core_property(device_or_key)
        part = self._physical(device_or_key)
        if str(key).upper() in LISTS:
            return tuple(spec.name for spec in self.properties(device_or_key) if not spec.internal)
        if key in RUNTIME:
            return self._runtime(part, NOTHING).explain(key).value
        if part.is_cpu:
            spec = CPU_REGISTRY.readable(key)
            return cpu_fact(spec.name) if spec.read_only else self._cpu(NOTHING).value(spec.name)
        return self._delegate(part, NOTHING).get_property(key)

    def properties(self, device: str) -> tuple[PropertySpec, ...]:
        """What is known of each property of a device, or of "core"; that of an absent device, too.

        Raises:
            InputError: there is no such device.
        """
        if device == CORE_NAME:
            return tuple(self._store.core.registry)
        part = self._physical(device)
        own = CPU_PROPERTIES if part.is_cpu else self._delegate(part, NOTHING).properties()
        return (*(spec for spec in own if spec.name not in RUNTIME), *RUNTIME)

    def explain_property(self, device: str, key: str) -> Explanation:
        """Why a property of a device, or of "core", has its value: who set it, and the values that lost.

        Raises:
            PropertyError: there is no such property, or it can only be read.
            InputError: there is no such device.
        """
        if device == CORE_NAME:
            return self._store.core.explain(key)
        part = self._physical(device)
        if key in RUNTIME:
            return self._runtime(part, NOTHING).explain(key)
        values = self._cpu(NOTHING) if part.is_cpu else self._values(part, self._delegate(part, NOTHING), NOTHING)
        if values is None:
            raise PropertyError(f"Device '{part}' has no property '{key}'.")
        return values.explain(key)

    def _core_property(self, key: str) -> object:
        spec = self._store.core.registry.readable(key)
        if spec.name == SUPPORTED:
            return self._store.core.registry.names
        if spec.name == AVAILABLE:
            return tuple(self.available_devices)
        return self._store.core.value(spec.name)

    def _values(self, part: Physical, delegate: Delegate, call: Mapping[str, object]) -> Values | None:
        """What counts for a device, with who set it; None where the delegate does not say what properties it has."""
        specs = [spec for spec in delegate.properties() if spec.name not in RUNTIME]
        if not specs:
            return None
        registry = Registry(f"Device {part}", specs)
        nested = of_device(nested_of(part, call))
        with self._lock:
            mine = self._properties.get(part.key, NOTHING)
            return self._store.for_call(registry, of_device(mine), of_device(call), nested)

    def _cpu(self, call: Mapping[str, object], *, is_all: bool = False) -> Values:
        """What counts of the properties of the CPU, with who set it.

        Args:
            call: the properties of a call to compile.
            is_all: whether it is for the CPU alone, so that those that are not nested are of the CPU.
        """
        cpu = Physical(CPU)
        flat = of_device(call) if is_all else NOTHING
        with self._lock:
            mine = not_of_runtime(self._properties.get(cpu.key, NOTHING))
            return self._store.for_call(CPU_REGISTRY, mine, flat, of_device(nested_of(cpu, call)))

    def _runtime(self, device: Physical | Hetero, call: Mapping[str, object]) -> Values:
        """What counts of the properties that the runtime sees to, with who set it."""
        nested = nested_of(device, call) if isinstance(device, Physical) else NOTHING
        with self._lock:
            mine = self._properties.get(device.key, NOTHING) if isinstance(device, Physical) else NOTHING
            return self._store.for_call(RUNTIME, of_runtime(mine), of_runtime(call), of_runtime(nested))

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
        return self._read(model, "general")

    @staticmethod
    def _read(model: ModelSource, level: str, signature: str | None = None) -> Graph:
        if isinstance(model, Graph):
            verify(model)
            return model
        from .inference.preparing import imported_graph

        if isinstance(model, bytes | bytearray | memoryview):
            return imported_graph(model, level, signature)
        if isinstance(model, str | os.PathLike):
            return imported_graph(Path(model), level, signature)
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
        4. ``MULTI:A,B,CPU``: each has the whole model, and every run goes to one that has room (``MultiModel``): the
           first in order, or in turn with SCHEDULE_POLICY=ROUND_ROBIN. A run that fails is repeated on another, unless
           ENABLE_RUNTIME_FALLBACK=NO.
        5. ``BATCH:A(4)``: runs of any requests that wait at the same time are computed together (``BatchModel``), up to
           four, or as many as the device is fast with; a run waits AUTO_BATCH_TIMEOUT milliseconds for others. A model
           whose runs cannot be joined is compiled for the device as it is, with a warning that says why.

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
            compiled = self._compiled(model, device, properties, shapes, partition, said)
        if not isinstance(model, Graph) and len(compiled.signatures) > 1:
            compiled.with_signatures(partial(self._for_signature, model, device, dict(properties), partition))
        return compiled

    def _for_signature(
        self,
        model: ModelSource,
        device: str,
        properties: Mapping[str, object],
        partition: PartitionOptions,
        signature: str,
    ) -> CompiledModel:
        """Another part of a model's file; as it is then, with the properties that devices have then."""
        with Warnings() as said:
            return self._compiled(model, device, properties, NO_SHAPES, partition, said, signature)

    def compile_model_async(
        self,
        model: ModelSource,
        device: str = "AUTO",
        properties: Mapping[str, object] = NOTHING,
        *,
        shapes: Mapping[str, Sequence[int]] = NO_SHAPES,
        partition: PartitionOptions = USUAL,
    ) -> CompileJob[CompiledModel]:
        """``compile_model`` in a thread of its own; returns at once.

        Args: as for ``compile_model``. A model in memory must not be changed before the job is done.

        Returns:
            The job: it tells how far it is, can be cancelled and awaited, and has the compiled model or the error.
        """
        given, sizes = dict(properties), dict(shapes)
        return CompileJob(
            lambda: self.compile_model(model, device, given, shapes=sizes, partition=partition), CompiledModel.close
        )

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
        from .inference.source import level_of

        name = parse_device(device)
        if not isinstance(name, Physical | Hetero):
            raise InputError(f"query_model asks one device, or 'HETERO:A,B,CPU', got '{device}'.")
        call = with_cores(name, properties, self._store.core.given)
        settings = self._settings(name, call, part_options(name, call, self._registry))
        planned = replace(settings, plan_only=True, strict=False, partition=partition)
        notes = notes_of(name, properties, self._registry)
        with Warnings() as said:
            graph = prepared_graph(self._read(model, level_of(planned)))
            compiled = compile_graph(graph, planned, said, notes=notes)
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
        call = with_cores(name, properties, self._store.core.given)
        return self._settings(name, call, part_options(name, call, self._registry))

    def _compiled(
        self,
        model: ModelSource,
        device: str,
        properties: Mapping[str, object],
        shapes: Mapping[str, Sequence[int]],
        partition: PartitionOptions,
        said: list[str],
        signature: str | None = None,
    ) -> CompiledModel:
        from .inference.source import Source

        name = parse_device(device)
        properties = with_cores(name, properties, self._store.core.given)
        options = part_options(name, properties, self._registry)
        path = Path(model) if isinstance(model, str | os.PathLike) else None
        notes = notes_of(name, properties, self._registry)
        source = Source(partial(self._read, model, signature=signature), path, shapes, signature, notes)

        def settings_of(part: Physical | Hetero) -> Settings:
            return replace(self._settings(part, properties, options), partition=partition)

        if isinstance(name, Physical | Hetero):
            return source.compiled(settings_of(name), said)
        if isinstance(name, Multi):
            from .devices.multi import compile_for_all

            def whole(part: Physical) -> CompiledModel:
                return source.compiled(settings_of(part), said)

            return compile_for_all(name.parts, whole, properties, said)
        if isinstance(name, Batch):
            from .devices.batch import compile_batched

            part = name.part

            def batched(graph: Graph, sizes: Sequence[Sequence[int]]) -> CompiledModel:
                return compile_for_shapes(graph, sizes, settings_of(part), [])

            return compile_batched(source.compiled(settings_of(part), said), batched, name.size, properties, said)
        from .devices.auto import compile_auto

        def compiled(part: Physical, heard: list[str], passed: Sequence[str]) -> CompiledModel:
            return source.compiled(settings_of(part), heard, passed)

        def is_cached(part: Physical) -> bool:
            return source.is_cached(settings_of(part))

        return compile_auto(candidates(name, self._registry), compiled, is_cached, properties, said)

    def _settings(self, device: Physical | Hetero, properties: Mapping[str, object], options: PartOptions) -> Settings:
        def opener(part: Physical) -> Delegate:
            return self._delegate(part, options.get(part.key, NOTHING))

        settings = settings_for(device, opener, needs_all=not is_on(properties, STARTUP_FALLBACK, default=False))
        flat = properties if isinstance(device, Physical) else {k: v for k, v in properties.items() if k in ADDRESSING}
        values = {
            each.name: found
            for each in settings.delegates
            if (found := self._values(self._physical(each.name), each, flat)) is not None
        }
        parts = device.parts if isinstance(device, Hetero) else (device,)
        if parts[-1].is_cpu:
            values[CPU] = self._cpu(properties, is_all=len(parts) == 1)
            settings = with_cpu(settings, values[CPU])
        return with_runtime(replace(settings, properties=values), self._runtime(device, properties))

    def _delegate(self, part: Physical, options: Mapping[str, object]) -> Delegate:
        """The delegate of a device with the options of a call over those of the device."""
        with self._lock:
            given = not_of_runtime({**self._properties.get(part.key, NOTHING), **options})
            cores = not_of_runtime(self._store.core.given)
        delegate = self._registry.delegate(part, given)
        known = {spec.name for spec in delegate.properties()}
        more = {name: value for name, value in cores.items() if name in known and name not in given}
        if more:
            delegate = self._registry.delegate(part, {**more, **given})
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
