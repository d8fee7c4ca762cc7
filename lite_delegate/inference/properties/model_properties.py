"""Properties of a compiled model: facts about the model, and the values of its devices at compilation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace
from typing import Protocol

from ...basics.data_class import dataclass
from ...delegate import Delegate, Kernel
from ...errors import PropertyError
from ...properties import Explanation, Layer, Opinion, PropertySpec, Registry, Values
from ...runtime.records.records import CPU
from ...runtime.settings import Settings
from .cpu_properties import STREAMS

ON_ERROR = "ON_DEVICE_ERROR"
PRIORITIES = "MULTI_DEVICE_PRIORITIES"

FACTS = (
    PropertySpec(
        "SUPPORTED_PROPERTIES",
        "the names of all properties of the compiled model",
        scope="c",
        aliases=("SUPPORTED_METRICS", "SUPPORTED_CONFIG_KEYS"),
    ),
    PropertySpec("NETWORK_NAME", "the name of the model", scope="c"),
    PropertySpec("EXECUTION_DEVICES", "the devices that have kernels of it", scope="c"),
    PropertySpec(
        PRIORITIES,
        "the devices that it was compiled for with HETERO, AUTO or MULTI, the first choice first, those that are not "
        "used as well; empty for one device",
        scope="c",
        instead="the name of the device, such as HETERO:NPU,CPU",
    ),
    PropertySpec(
        "OPTIMAL_NUMBER_OF_INFER_REQUESTS",
        "requests that an application had best keep going, and that run at once",
        scope="c",
    ),
    PropertySpec("LOADED_FROM_CACHE", "whether it came from the cache", scope="c", instead="CACHE_DIR"),
)
"""The properties of every compiled model."""


class PropertyOwner(Protocol):
    """The receiver of properties that are set at run time: a delegate, or a device composed of several devices."""

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties, all of them or none."""


@dataclass(frozen=True, slots=True)
class KernelsOwner:
    """A delegate with its graph kernels in one compiled model.

    Attributes:
        delegate: of the device.
        kernels: the delegate's graph kernels in the model.
    """

    delegate: Delegate
    kernels: tuple[Kernel, ...]

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of the graph kernels, see ``Delegate.set_run_time_properties``."""
        self.delegate.set_run_time_properties(self.kernels, properties)


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """The properties of one device of a compiled model at compilation.

    Attributes:
        owner: the receiver of changes; None for properties of the runtime.
        values: of the properties that can be set.
        facts: the values of read-only properties.
    """

    owner: PropertyOwner | None
    values: Values
    facts: Mapping[str, object] = field(default_factory=dict)

    def can_change(self, name: str) -> bool:
        """Whether the device has a property that can be changed at run time."""
        return name in self.values.registry and "R" in self.values.registry.find(name).when

    def of(self, names: Iterable[str]) -> dict[str, object]:
        """The device's values of properties that can be changed at run time."""
        return {name: self.values.effective(name) for name in names if self.can_change(name)}

    def changed(self, changes: Mapping[str, object]) -> DeviceProperties:
        """The properties with run-time changes; the owner is not told."""
        mine = {name: value for name, value in changes.items() if self.can_change(name)}
        return replace(self, values=self.values.with_layer(Layer.RUNTIME, mine))


def device_properties(settings: Settings, makers: Mapping[Kernel, str]) -> tuple[DeviceProperties, ...]:
    """The present properties of the runtime, of delegates and of the CPU, with the origins of their values.

    Args:
        settings: of the model.
        makers: the delegate's name for each graph kernel of the model.
    """
    layered = settings.properties
    found = [] if settings.runtime is None else [DeviceProperties(None, settings.runtime)]
    for delegate in settings.delegates:
        specs = [spec for spec in delegate.properties() if "c" in spec.scope or "R" in spec.when]
        if specs:
            registry = Registry(f"Device {delegate.name}", delegate.properties())
            values = layered.get(delegate.name) or delegate.property_values() or Values(registry)
            facts = {spec.name: delegate.get_property(spec.name) for spec in specs if spec.read_only}
            kernels = tuple(kernel for kernel, name in makers.items() if name == delegate.name)
            found.append(DeviceProperties(KernelsOwner(delegate, kernels), values, facts))
    if CPU in layered:
        found.append(DeviceProperties(None, layered[CPU]))
    return tuple(found)


class ModelProperties:
    """The properties of one compiled model: its own, and its devices' properties with the scope of compiled models.

    Where several devices have a property, the first device on which it can be changed at run time counts, or else the
    first device. For NUM_STREAMS the first device with a set value counts.

    Args:
        devices: their properties at compilation.
    """

    def __init__(self, devices: Sequence[DeviceProperties]) -> None:
        self._devices = tuple(devices)
        names = {spec.name for spec in FACTS}
        more = [spec for each in devices for spec in each.values.registry if "c" in spec.scope or "R" in spec.when]
        specs: dict[str, PropertySpec] = {}
        for spec in more:
            known = specs.setdefault(spec.name, spec)
            if "R" in spec.when and "R" not in known.when:
                specs[spec.name] = spec
        own = [spec for name, spec in specs.items() if name not in names]
        self._registry = Registry("The compiled model", (*FACTS, *own), when="R")

    def with_first(self, device: DeviceProperties) -> ModelProperties:
        """The properties with one more device in the first place."""
        return ModelProperties((device, *self._devices))

    @property
    def registry(self) -> Registry:
        """The registry of the model's properties."""
        return self._registry

    @property
    def at_run_time(self) -> dict[str, object]:
        """The values that were set at run time."""
        layers = [each.values.layers.get(Layer.RUNTIME, {}) for each in self._devices]
        return {name: value for layer in reversed(layers) for name, value in layer.items()}

    def number(self, name: str) -> int:
        """The value of a device property that is a number; 0 for other values, or a property that no device has."""
        if name not in self._registry:
            return 0
        value = self._device_of(name).values.effective(name)
        return value if isinstance(value, int) else 0

    def explain(self, name: str, facts: Mapping[str, object]) -> Explanation:
        """The value of a property, its origin, and the values that were overridden.

        Args:
            name: the property.
            facts: the present values of ``FACTS``, except SUPPORTED_PROPERTIES.

        Raises:
            PropertyError: there is no such property, or the property can only be set.
        """
        spec = self._registry.readable(name)
        if spec.name == FACTS[0].name:
            return _fact(spec.name, self._registry.names)
        if spec.name in facts:
            return _fact(spec.name, facts[spec.name])
        device = self._device_of(spec.name)
        if spec.read_only:
            return _fact(spec.name, device.facts[spec.name])
        return device.values.explain(spec.name)

    def changed(self, changes: Mapping[str, object]) -> ModelProperties:
        """The properties with run-time changes, which are also set on the devices, all of them or none.

        Raises:
            PropertyError: a property is unknown or fixed, or a value is not allowed.
            LiteDelegateError: a device rejects a value; the devices before it have their earlier values again.
        """
        checked = self._registry.checked(changes)
        for name in checked:
            if "R" not in self._registry.find(name).when:
                raise PropertyError(
                    f"Property {name} is fixed when a model is compiled; compile it again with {name}="
                    f"{checked[name]} in the properties."
                )
        changed = [device.changed(checked) for device in self._devices]
        with ExitStack() as undo:
            for device, new in zip(self._devices, changed, strict=True):
                if new.owner is not None and (mine := new.of(checked)):
                    new.owner.set_property(mine)
                    undo.callback(new.owner.set_property, device.of(checked))
            undo.pop_all()
        return ModelProperties(changed)

    def tell(self, makers: Mapping[Kernel, str]) -> None:
        """Sets the run-time properties on graph kernels that were made later.

        Args:
            makers: the delegate's name for each of these graph kernels.
        """
        for device in self._devices:
            owner, mine = device.owner, device.values.layers.get(Layer.RUNTIME)
            if isinstance(owner, KernelsOwner) and mine:
                kernels = tuple(kernel for kernel, name in makers.items() if name == owner.delegate.name)
                KernelsOwner(owner.delegate, kernels).set_property(device.of(mine))

    def _device_of(self, name: str) -> DeviceProperties:
        having = [each for each in self._devices if name in each.values.registry]
        if name == STREAMS:
            return next((each for each in having if name in each.values.given), having[0])
        return next((each for each in having if each.can_change(name)), having[0])


def _fact(name: str, value: object) -> Explanation:
    return Explanation(name, Opinion(Layer.PROFILE, value))
