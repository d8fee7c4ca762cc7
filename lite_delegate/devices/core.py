"""Core: devices by name, and models compiled for the devices, under OpenVINO's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..basics.counted import counted
from ..basics.warned import Warnings
from ..basics.words.one_line import OneLine, quoted, some
from ..delegate import Telemetry
from ..errors import InputError, PropertyError
from ..inference import CompiledModel, CompileJob
from ..inference.compiling.kept_source import kept_source
from ..inference.shapes.given_shapes import NO_SHAPES, InputShapes
from ..ir import Graph
from ..partition import PartitionOptions
from ..properties import Explanation, PropertySpec, mapping_of
from . import DeviceInfo, DeviceName, Hetero, Physical, parse_device
from .compilation.core_calls import CompileCall, ImportCall, counting, import_settings
from .registry.delegate_source import Made
from .settings.configured_devices import NOTHING, ConfiguredDevices
from .settings.contexts import Contexts
from .settings.part_options import part_options

if TYPE_CHECKING:
    from ..inference.compiling.query import Query
    from ..inference.compiling.uncompiled_model import ModelSource
    from ..inference.model_file import Compatibility, Content
    from ..remote import RemoteContext

USUAL = PartitionOptions()
CORE_NAME = "core"
OF_ONE = "contexts and telemetry belong to a single device: name one of its devices"


class Core(OneLine):
    """Devices, and models compiled for the devices. Safe for several threads.

    A device is a name: ``CPU``, ``NPU``, ``NPU.4000``, the name of an installed or registered delegate,
    ``HETERO:NPU,CPU``, ``AUTO``; see ``devices.parse_device``. All models that one core compiles for a device share
    that device.

    A core pickles as all that it was told: registered devices and properties. ``copy.copy`` shares the devices and
    their properties, and ``copy.deepcopy`` makes a core of its own that was told the same.
    """

    def __init__(self) -> None:
        self._devices = ConfiguredDevices()
        self._contexts = Contexts(self._devices)

    @property
    def available_devices(self) -> list[str]:
        """The names of the devices that are there now, the CPU first."""
        return [device.name for device in self.devices() if device.available]

    def devices(self) -> list[DeviceInfo]:
        """All known devices; a device that is not there has the reason.

        A device is asked once whether it is there (``Delegate.probe``, or ``init`` where a delegate has no ``probe``),
        until ``rescan``. A device on which properties are set is asked each time.
        """
        return self._devices.infos()

    def register_device(self, name: str, factory: Made, *, replace: bool = False) -> None:
        """Makes a device known to this core.

        Args:
            name: letters, digits, "_" and "-".
            factory: makes the device's delegate from options by name; or a class derived from ``Delegate``.
            replace: whether the device takes the place of a device that was registered under the name before.

        Raises:
            InputError: (a ValueError) the name is no device name, or a built-in or installed device has the name; or
                the name was registered before, and ``replace`` is False.
            TypeError: the factory cannot be called.
        """
        self._devices.registry.register(name, factory, replace=replace)

    def rescan(self) -> None:
        """Finds out anew which devices there are."""
        self._devices.registry.rescan()

    def set_property(
        self, device_or_properties: str | Mapping[str, object], properties: Mapping[str, object] | None = None
    ) -> None:
        """Sets properties of a device, or of the core, all of them or none, for models that are compiled from now on.

        Args:
            device_or_properties: a device that is not made of other devices; or properties of the core, which count
                for all devices that have these properties.
            properties: values by name.

        Raises:
            PropertyError: there is no such property or value.
            InputError: there is no such device.
        """
        if not isinstance(device_or_properties, str):
            self._devices.set_core(device_or_properties)
            return
        part = self._devices.physical(device_or_properties)
        if properties is None:
            raise PropertyError(
                f"core.set_property('{part}', properties) needs a mapping of names to values, got None."
            )
        self._devices.set_device(part, properties)

    def get_property(self, device_or_key: str, key: str | None = None) -> object:
        """The value of a property of a device, which need not be there, or of the core.

        Raises:
            PropertyError: there is no such property.
            InputError: there is no such device.
        """
        if key is None:
            return self._devices.core_property(device_or_key)
        return self._devices.property_of(self._devices.physical(device_or_key), key)

    def properties(self, device: str) -> tuple[PropertySpec, ...]:
        """The specification of each property of a device, or of "core". An absent device has its properties, too.

        Raises:
            InputError: there is no such device.
        """
        if device == CORE_NAME:
            return tuple(self._devices.core.registry)
        return self._devices.specs(self._devices.physical(device))

    def explain_property(self, device: str, key: str) -> Explanation:
        """Why a property of a device, or of "core", has its value: who set it, and the values that lost.

        Raises:
            PropertyError: there is no such property, or the property can only be read.
            InputError: there is no such device.
        """
        if device == CORE_NAME:
            return self._devices.core.explain(key)
        return self._devices.explain(self._devices.physical(device), key)

    def telemetry(self, device: str) -> Telemetry:
        """The activity of a device, and the use of its memory.

        Raises:
            InputError: there is no such device, or the device has no telemetry.
        """
        return self._devices.telemetry(self._devices.physical(device, OF_ONE))

    def reset_peak_memory(self, device: str) -> None:
        """Sets ``telemetry(device).peak_bytes`` to the bytes that are taken now; the peak grows from there.

        Raises:
            InputError: there is no such device, or the device has no telemetry.
        """
        part = self._devices.physical(device, OF_ONE)
        if part.is_cpu:
            raise InputError(f"Device '{part}' does not tell its activity.")
        self._devices.delegate(part).reset_peak_memory()

    def create_context(self, device: str, **parameters: object) -> RemoteContext:
        """A context that makes tensors in the memory of a device. Models that this core compiles for it read them.

        Args:
            device: the name of the device; "CPU" for plain memory.
            parameters: properties of the device, such as DEVICE_ID.

        Raises:
            InputError: there is no such device or property, or the device is made of other devices.
            RemoteError: the device offers no contexts.
            DelegateUnavailable: the device is not there.
        """
        return self._contexts.create(self._devices.physical(device, OF_ONE), **parameters)

    def default_context(self, device: str) -> RemoteContext:
        """The shared context of a device, made when it is first asked for, and made anew after the device was lost.

        Raises:
            InputError, RemoteError, DelegateUnavailable: as ``create_context``.
        """
        return self._contexts.default(self._devices.physical(device, OF_ONE))

    get_default_context = default_context  # OpenVINO's name

    def read_model(self, model: ModelSource) -> Graph:
        """The graph of a model, read from a file or from the bytes of a file.

        Raises:
            TypeError: the model is neither a path nor bytes nor a graph.
            LiteDelegateError: the model cannot be read.
        """
        from ..inference.compiling.prepared_graph import graph_of

        return graph_of(model)

    def compile_model(
        self,
        model: ModelSource,
        device: str = "AUTO",
        properties: Mapping[str, object] = NOTHING,
        *,
        shapes: InputShapes = NO_SHAPES,
        partition: PartitionOptions = USUAL,
        context: RemoteContext | None = None,
    ) -> CompiledModel:
        """A model compiled for a device. The given model stays as it is.

        1. One device takes the whole model, or the call raises an error that names the nodes the device leaves.
        2. ``HETERO:A,B,CPU``: each device takes nodes that the devices before it leave.
        3. ``AUTO``: the first device that takes the whole model, the CPU last. The CPU serves at once, while the model
           is compiled for the other devices in the background; later runs go over to the device (see ``auto`` and
           ``wait_ready``). With ENABLE_STARTUP_FALLBACK=NO the call waits for the device instead. A warning and the
           notes of the partition name the devices that do not take the model. Where ``AUTO`` lists no devices, the CPU
           keeps a model that it is expected to run at least twice as fast as the device (``auto.estimates``). With
           PERFORMANCE_HINT=CUMULATIVE_THROUGHPUT the model is compiled for MULTI of the devices that take it.
        4. ``MULTI:A,B,CPU``: each device has the whole model, and every run goes to a device with room (see ``multi``):
           the first device in order, or the next in turn with SCHEDULE_POLICY=ROUND_ROBIN. A run that fails is repeated
           on another device, unless ENABLE_RUNTIME_FALLBACK=NO.
        5. ``BATCH:A(4)``: runs of any requests that wait at the same time are computed together (see ``batch``), up to
           four runs, or as many runs as the device is fast with; a run waits AUTO_BATCH_TIMEOUT milliseconds for other
           runs. A model whose runs cannot be joined is compiled for the device as it is, and a warning says why.

        Args:
            model: a path, the bytes of a file, or a graph.
            device: the name of the device.
            properties: the properties of the device. For a device made of other devices, the key DEVICE_PROPERTIES
                maps names of devices to properties; hints are for each part that has them.
                ENABLE_STARTUP_FALLBACK: whether HETERO leaves out a device that is not there.
            shapes: shapes of inputs, by name, which replace the model's shapes; a pair for a dimension is the least
                and the largest size in a run, ``{"x": [1, (1, 128)]}``.
            partition: how HETERO splits the model; its ``affinity`` gives nodes to devices, by the devices' names.
            context: the context of the device, whose tensors the model is to read.

        Raises:
            InputError: there is no such device, property, value or input.
            PlacementError: a device does not take a node that it was given; the message has its reason.
            FallbackError: the device does not take all of the model; the message has the first nodes with reasons.
            DynamicShapeError: the device does not take the model's open dimensions; the error's ``code`` names the
                rule.
            RemoteError: the context is of another device.
            DelegateUnavailable: a device is not there.
            LiteDelegateError: the model cannot be read or compiled.
        """
        if context is not None:
            self._check_context(context, device, properties)
        devices, given = self._devices, dict(mapping_of(properties))
        return CompileCall(devices, devices.told, kept_source(model), device, given, shapes, partition).repeated()

    def compile_model_async(
        self,
        model: ModelSource,
        device: str = "AUTO",
        properties: Mapping[str, object] = NOTHING,
        *,
        shapes: InputShapes = NO_SHAPES,
        partition: PartitionOptions = USUAL,
        context: RemoteContext | None = None,
    ) -> CompileJob[CompiledModel]:
        """``compile_model`` in a thread of its own; returns at once.

        Args: as for ``compile_model``. A model in memory must not be changed before the job is done.

        Returns:
            The job, which tells its progress, can be cancelled and awaited, and has the compiled model or the error.
        """
        given, sizes = dict(mapping_of(properties)), dict(shapes)
        return CompileJob(
            lambda: self.compile_model(model, device, given, shapes=sizes, partition=partition, context=context),
            CompiledModel.close,
        )

    def query_model(
        self,
        model: ModelSource,
        device: str,
        properties: Mapping[str, object] = NOTHING,
        *,
        partition: PartitionOptions = USUAL,
    ) -> Query:
        """Where the nodes of a model would run, by the names in its file, and why other devices do not take them.

        The model is planned as ``compile_model`` plans it; nothing is compiled to run or loaded. A single device has
        the nodes that it takes; every other node has a rejection only. A node whose parts run on several devices has
        no entry: ``Query.nodes`` has its parts.

        Raises:
            InputError, DelegateUnavailable, LiteDelegateError: as ``compile_model``.
        """
        from ..inference.compiling.uncompiled_model import UncompiledModel
        from .compilation.query_call import query_for

        name, call = self._called(device, properties)
        if not isinstance(name, Physical | Hetero):
            raise InputError(f"query_model asks one device, or 'HETERO:A,B,CPU', got '{device}'.")
        with Warnings() as said:
            return query_for(name, self._devices, UncompiledModel(model), call, partition, said)

    def import_model(
        self,
        source: Content,
        device: str | None = None,
        properties: Mapping[str, object] = NOTHING,
        *,
        weights: ModelSource | None = None,
        context: RemoteContext | None = None,
    ) -> CompiledModel:
        """The compiled model in a file that ``CompiledModel.export_model`` wrote. Nothing is compiled.

        Args:
            source: the path of the file, its bytes, or an open binary stream.
            device: the device that the model was compiled for; None: the device that the file names, with the CPU
                where the model was compiled for both.
            properties: as for ``compile_model``.
            weights: the original model, for a compiled model's file without weights.
            context: as for ``compile_model``.

        Raises:
            InputError: as ``compile_model``.
            ModelFormatError: there is no such file, or the file was cut, was altered, or has another version.
            DelegateBuildError: the model was compiled for another device.
            RemoteError: the context is of another device; nothing is loaded.
            DelegateUnavailable: the device is not there.
        """
        from ..inference.model_file import content_of, device_of

        source = content_of(source)
        device = device_of(source) if device is None else device
        if context is not None:
            self._check_context(context, device, properties)
        devices, given = self._devices, dict(mapping_of(properties))
        original = None if weights is None else kept_source(weights)
        return ImportCall(devices, devices.told, kept_source(source), device, given, original).repeated()

    def check_compatibility(self, source: Content, device: str) -> Compatibility:
        """Whether ``import_model`` takes a file for a device, and if not, why. Nothing is loaded.

        Raises:
            InputError: there is no such device.
        """
        from ..inference.model_file import check_compatibility, content_of

        settings = import_settings(self._devices, device, NOTHING)
        return check_compatibility(content_of(source), settings.delegates, strict=settings.strict)

    def _called(self, device: str, properties: Mapping[str, object]) -> tuple[DeviceName, dict[str, object]]:
        """The device of a call, and the properties that count for it."""
        return counting(self._devices, parse_device(device), properties)

    def _check_context(self, context: RemoteContext, device: str, properties: Mapping[str, object]) -> None:
        name, call = self._called(device, properties)
        self._contexts.check(context, name, part_options(name, call, self._devices.registry))

    def _line(self) -> str:
        told = self._devices.told
        known = [f"with {some(map(quoted, told.factories))}"] if told.factories else []
        return ", ".join([*known, *([counted(len(told.core), "property")] if told.core else [])])
