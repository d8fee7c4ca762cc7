"""ConfiguredDevices: the devices of a core with the properties set on them, and the settings of a compile call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import Any

from ...basics.forking import free, free_in_children
from ...delegate import Delegate, Telemetry
from ...errors import InputError, LiteDelegateError, PropertyError
from ...inference.properties.cpu_properties import (
    CPU_PROPERTIES,
    CPU_REGISTRY,
    LOG,
    check_threads,
    cpu_fact,
)
from ...inference.properties.from_values import with_values
from ...inference.properties.model_properties import ON_ERROR
from ...inference.properties.runtime_properties import RUNTIME, not_of_runtime, of_runtime
from ...properties import Explanation, Layer, PropertySpec, PropertyStore, Registry, Text, Values, mapping_of, words_of
from ...runtime.settings import Settings
from ..registry.info import DeviceInfo
from ..registry.names import CPU, Hetero, Physical, parse_device
from ..registry.presence import why_absent
from ..registry.registry import DEVICE_ID, DeviceRegistry
from .core_configuration import CoreConfiguration
from .core_properties import ADDRESSING, AVAILABLE, CORE_PROPERTIES, LISTS, SUPPORTED, nested_of, of_device
from .cpu_backends import cpu_backends
from .device_settings import settings_for
from .part_options import PartOptions
from .virtual_properties import STARTUP_FALLBACK, own_value

NOTHING: Mapping[str, object] = MappingProxyType({})
ANY_ID = Text("the id of a device", takes_numbers=True)


class ConfiguredDevices:
    """Devices by name, and the properties that were set on them and on the core. Safe for several threads."""

    def __init__(self) -> None:
        self.registry = DeviceRegistry()
        self._properties: dict[tuple[str, str], dict[str, object]] = {}
        self._store = PropertyStore(CORE_PROPERTIES)
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """See ``forking``."""
        free(self._lock)

    @property
    def told(self) -> CoreConfiguration:
        """The registered devices, and the properties that were set."""
        with self._lock:
            values = {key: dict(each) for key, each in self._properties.items()}
            return CoreConfiguration(self.registry.registered, self._store.core.given, values)

    @classmethod
    def of(cls, told: CoreConfiguration) -> ConfiguredDevices:
        """Devices that were told the same."""
        made = cls()
        for name, factory in told.factories.items():
            made.registry.register(name, factory)
        made._store.set_core(told.core)
        made._properties = {key: dict(each) for key, each in told.devices.items()}
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """All that the devices were told; another process finds out by itself which devices are there."""
        return ConfiguredDevices.of, (self.told,)

    @property
    def core(self) -> Values:
        """The values that were set on the core."""
        return self._store.core

    def set_core(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the core, all of them or none.

        Raises:
            PropertyError: there is no such property or value.
        """
        with self._lock:
            self._store.set_core(properties)

    def core_property(self, key: str) -> object:
        """The value of a property of the core.

        Raises:
            PropertyError: there is no such property.
        """
        spec = self.core.registry.readable(key)
        if spec.name == SUPPORTED:
            return self.core.registry.names
        if spec.name == AVAILABLE:
            return tuple(device.name for device in self.infos() if device.available)
        return self.core.value(spec.name)

    def infos(self) -> list[DeviceInfo]:
        """All devices, present or not, with the properties set on them; see ``DeviceRegistry.infos``."""
        return [self._with_what_is_set(info) for info in self.registry.infos()]

    def why_absent(self, part: Physical) -> str:
        """The reason why a device, with the properties set on it, is not present; "" where it is.

        Raises:
            InputError: there is no such device.
        """
        with self._lock:
            is_set = bool(not_of_runtime(self._set_on(part)))
        if part.is_cpu or not is_set:
            return self.registry.why_absent(part)
        try:
            return why_absent(self.delegate(part))
        except LiteDelegateError as e:
            return str(e)

    def _with_what_is_set(self, info: DeviceInfo) -> DeviceInfo:
        part = parse_device(info.name)
        assert isinstance(part, Physical)
        reason = self.why_absent(part)
        return info if reason == info.reason else replace(info, available=not reason, reason=reason)

    def telemetry(self, part: Physical) -> Telemetry:
        """The activity of a device, and the use of its memory.

        Raises:
            InputError: the device has no telemetry.
        """
        found = None if part.is_cpu else self.delegate(part).telemetry()
        if found is None:
            raise InputError(f"Device '{part}' does not tell its activity.")
        return found

    def set_device(self, part: Physical, properties: Mapping[str, object]) -> None:
        """Sets properties of a device, all of them or none. Properties of ``NPU`` count for each ``NPU.ID``, too.

        Raises:
            PropertyError: there is no such property or value.
        """
        given = {str(name).upper(): value for name, value in not_of_runtime(mapping_of(properties)).items()}
        with self._lock:
            changed = {**self._properties.get(part.key, NOTHING), **given, **RUNTIME.checked(of_runtime(properties))}
            own = not_of_runtime({**self._family(part), **changed})
            known = CPU_REGISTRY
            if part.is_cpu:
                check_threads(Values(known).with_layer(Layer.DEVICE, own))
            else:
                known = Registry(part.name, self.registry.delegate(placed(part, own), own).properties())
            changed = {known.find(name).name if name in known else name: each for name, each in changed.items()}
            self._properties[part.key] = changed

    def property_of(self, part: Physical, key: str) -> object:
        """The value of a property of a device, which need not be there.

        Raises:
            PropertyError: there is no such property.
        """
        if str(key).upper() in LISTS:
            return Registry(str(part), self.specs(part)).names
        if key in RUNTIME:
            return self._runtime(part, NOTHING).explain(key).value
        if part.is_cpu:
            spec = CPU_REGISTRY.readable(key)
            return cpu_fact(spec.name) if spec.read_only else self._cpu(NOTHING).effective(spec.name)
        if str(key).upper() == DEVICE_ID:
            return self.explain(part, key).value
        return self.delegate(part).get_property(key)

    def specs(self, part: Physical) -> tuple[PropertySpec, ...]:
        """The specification of each property of a device. An absent device has its properties, too."""
        own = CPU_PROPERTIES if part.is_cpu else map(_with_any_id, self.delegate(part).properties())
        return (*(spec for spec in own if spec.name not in RUNTIME), *RUNTIME)

    def explain(self, part: Physical, key: str) -> Explanation:
        """Why a property of a device has its value: who set it, and the values that lost.

        Raises:
            PropertyError: there is no such property, or the property can only be read.
        """
        if key in RUNTIME:
            return self._runtime(part, NOTHING).explain(key)
        values = self._cpu(NOTHING) if part.is_cpu else self._values(part, self.delegate(part), NOTHING)
        if values is None:
            raise PropertyError(f"Device '{part}' has no property '{key}'.")
        return values.explain(key)

    def settings(self, device: Physical | Hetero, properties: Mapping[str, object], options: PartOptions) -> Settings:
        """The settings that a model is compiled with for a device.

        Args:
            device: one device, or several devices that share the model.
            properties: the properties of the call, see ``with_cores``.
            options: the options of the parts, see ``part_options``.

        Raises:
            InputError: there is no such device, property or value, or a device is named twice.
            DelegateUnavailable: the delegate of a device cannot be imported or made.
        """
        by_name: dict[str, Physical] = {}

        def opener(part: Physical) -> Delegate:
            delegate = self.delegate(part, options.get(part.key, NOTHING))
            if delegate.name in by_name:
                raise InputError(f"Device '{device}': '{delegate.name}' is there twice, as {DEVICE_ID} says.")
            by_name[delegate.name] = part
            return delegate

        settings = settings_for(device, opener, needs_all=not own_value(Hetero, properties, STARTUP_FALLBACK))
        flat = properties if isinstance(device, Physical) else {k: v for k, v in properties.items() if k in ADDRESSING}
        values = {
            each.name: found
            for each in settings.delegates
            if (found := self._values(by_name[each.name], each, flat)) is not None
        }
        parts = device.parts if isinstance(device, Hetero) else (device,)
        cpu = self._cpu(properties, is_all=len(parts) == 1) if parts[-1].is_cpu else None
        runtime = self._runtime(device, properties)
        if settings.strict and is_of_core_alone(runtime):
            runtime = runtime.without(Layer.CORE, ON_ERROR)
        with_level = [name for name, each in values.items() if LOG in each.registry]
        if any(each.name not in with_level for each in settings.delegates):
            settings = replace(settings, log_level=str(self.core.value(LOG)))
        backends = partial(cpu_backends, registry=self.registry)
        return with_values(replace(settings, properties=values), runtime, cpu, backends)

    def notes(self, device: Physical | Hetero, properties: Mapping[str, object]) -> tuple[str, ...]:
        """The notes on properties of the core that do not count for a device in a compile call."""
        has_cpu = (device.parts[-1] if isinstance(device, Hetero) else device).is_cpu
        if has_cpu or not is_of_core_alone(self._runtime(device, properties)):
            return ()
        return (
            f"{ON_ERROR}=FALLBACK of the core does not count for '{device}', which has to take the whole model: there "
            "are no CPU kernels to fall back to",
        )

    def delegate(self, part: Physical, options: Mapping[str, object] = NOTHING) -> Delegate:
        """The delegate of a device, with options over the properties set on the device and on the core."""
        with self._lock:
            given = not_of_runtime({**self._set_on(part), **options})
            cores = not_of_runtime(self._store.core.given)
        which = placed(part, given)
        delegate = self.registry.delegate(which, given)
        known = {spec.name for spec in delegate.properties()}
        more = {name: value for name, value in cores.items() if name in known and name not in given}
        if more:
            delegate = self.registry.delegate(which, {**more, **given})
        delegate.name = self.registry.name_of(which)
        return delegate

    def _set_on(self, part: Physical) -> dict[str, object]:
        """The properties set on a device, over the properties of all devices of its name. Called under the lock."""
        return {**self._family(part), **self._properties.get(part.key, NOTHING)}

    def _family(self, part: Physical) -> dict[str, object]:
        """The properties of all devices of the name, for a device with an id; without DEVICE_ID."""
        if not part.id:
            return {}
        family = self._properties.get(Physical(part.name).key, NOTHING)
        return {name: value for name, value in family.items() if name != DEVICE_ID}

    def physical(
        self, text: str, advice: str = "set properties of its devices, or give them when compiling"
    ) -> Physical:
        """A device on which properties are set.

        Args:
            text: the name of the device.
            advice: the advice to the user where the device is made of other devices.

        Raises:
            InputError: the device is made of other devices, or there is no such device.
        """
        device = parse_device(text)
        if not isinstance(device, Physical):
            raise InputError(f"Device '{text}' is made of other devices: {advice}.")
        self.registry.name_of(device)
        return device

    def _values(self, part: Physical, delegate: Delegate, call: Mapping[str, object]) -> Values | None:
        """The values of a device's properties, with their layers; None where the delegate names no properties."""
        specs = [_with_any_id(spec) for spec in delegate.properties() if spec.name not in RUNTIME]
        if not specs:
            return None
        registry = Registry(f"Device {part}", specs)
        flat, nested = of_device(call), of_device(nested_of(part, call))
        with self._lock:
            mine = of_device(self._set_on(part))
            named = {DEVICE_ID: part.id} if part.id else {}
            layers = [
                {name: value for name, value in each.items() if name.upper() != DEVICE_ID or name in registry}
                for each in ({**mine, **named}, flat, nested)
            ]
            return self._store.for_call(registry, *layers)

    def _cpu(self, call: Mapping[str, object], *, is_all: bool = False) -> Values:
        """The values of the CPU's properties, with their layers.

        Args:
            call: the properties of a compile call.
            is_all: whether the call is for the CPU alone, so that its flat properties are properties of the CPU.
        """
        cpu = Physical(CPU)
        flat = of_device(call) if is_all else NOTHING
        with self._lock:
            mine = not_of_runtime(self._properties.get(cpu.key, NOTHING))
            return self._store.for_call(CPU_REGISTRY, mine, flat, of_device(nested_of(cpu, call)))

    def _runtime(self, device: Physical | Hetero, call: Mapping[str, object]) -> Values:
        """The values of the runtime's own properties, with their layers."""
        nested = nested_of(device, call) if isinstance(device, Physical) else NOTHING
        with self._lock:
            mine = self._set_on(device) if isinstance(device, Physical) else NOTHING
            return self._store.for_call(RUNTIME, of_runtime(mine), of_runtime(call), of_runtime(nested))


def placed(part: Physical, options: Mapping[str, object]) -> Physical:
    """The device that a name and DEVICE_ID stand for: ``NPU`` with 4000 is ``NPU.4000``.

    Raises:
        InputError: the name has another id.
    """
    wanted = "" if options.get(DEVICE_ID) is None else str(options[DEVICE_ID])
    if not wanted or wanted == part.id:
        return part
    if part.id:
        raise InputError(
            f"Device '{part}' has its id in its name, but {DEVICE_ID} is '{wanted}': leave one of them out."
        )
    return Physical(part.name, wanted, part.at)


def is_of_core_alone(runtime: Values) -> bool:
    """Whether the core alone says that the CPU takes over where a device fails; no nearer layer says so."""
    found = runtime.explain(ON_ERROR)
    return found.layer is Layer.CORE and found.value == "FALLBACK"


def _with_any_id(spec: PropertySpec) -> PropertySpec:
    """The property as Core has it: DEVICE_ID takes any id, which the delegate checks."""
    if spec.name != DEVICE_ID or spec.read_only:
        return spec
    return replace(spec, kind=replace(ANY_ID, words=words_of(spec.kind)))
