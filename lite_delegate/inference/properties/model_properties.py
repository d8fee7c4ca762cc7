"""Properties of a compiled model: facts about it, and the values that its devices had when it was compiled."""

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
"""What every compiled model has."""


class PropertyOwner(Protocol):
    """Who is told of properties that are set at run time: a delegate, or a device that is made of others."""

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties, all of them or none."""


@dataclass(frozen=True, slots=True)
class KernelsOwner:
    """A delegate, as far as one compiled model is concerned.

    Attributes:
        delegate: of the device.
        kernels: the graph kernels that it made for the model.
    """

    delegate: Delegate
    kernels: tuple[Kernel, ...]

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties of these graph kernels, see ``Delegate.set_run_time_properties``."""
        self.delegate.set_run_time_properties(self.kernels, properties)


@dataclass(frozen=True, slots=True)
class DeviceProperties:
    """What one device of a compiled model had when it was compiled.

    Attributes:
        owner: who is told of changes; None for what the runtime sees to itself.
        values: what was set.
        facts: what could only be read.
    """

    owner: PropertyOwner | None
    values: Values
    facts: Mapping[str, object] = field(default_factory=dict)

    def can_change(self, name: str) -> bool:
        """Whether it has a property, and that can be changed at run time."""
        return name in self.values.registry and "R" in self.values.registry.find(name).when

    def of(self, names: Iterable[str]) -> dict[str, object]:
        """Its values of those properties that can be changed at run time."""
        return {name: self.values.effective(name) for name in names if self.can_change(name)}

    def changed(self, changes: Mapping[str, object]) -> DeviceProperties:
        """With those set that can be changed at run time; its owner is not told."""
        mine = {name: value for name, value in changes.items() if self.can_change(name)}
        return replace(self, values=self.values.with_layer(Layer.RUNTIME, mine))


def device_properties(settings: Settings, makers: Mapping[Kernel, str]) -> tuple[DeviceProperties, ...]:
    """The properties of the runtime, of delegates and of the CPU as they are now, where it is known who set them.

    Args:
        settings: of the model.
        makers: the name of the delegate that made each graph kernel of it.
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
    """The properties of one compiled model: its own, and of its devices those of the scope of compiled models.

    Where several devices have a property, it is that of the first; of the first on which it can be changed at run time,
    where it is fixed on others; and NUM_STREAMS, which is of the model as a whole, of the first for which it was set.

    Args:
        devices: as they were when it was compiled.
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
        """These and those of one more device, before all others."""
        return ModelProperties((device, *self._devices))

    @property
    def registry(self) -> Registry:
        """The properties that there are."""
        return self._registry

    @property
    def at_run_time(self) -> dict[str, object]:
        """What was changed at run time."""
        layers = [each.values.layers.get(Layer.RUNTIME, {}) for each in self._devices]
        return {name: value for layer in reversed(layers) for name, value in layer.items()}

    def number(self, name: str) -> int:
        """The value of a property of a device where it is a number; 0 where it is none, or no device has it."""
        if name not in self._registry:
            return 0
        value = self._device_of(name).values.effective(name)
        return value if isinstance(value, int) else 0

    def explain(self, name: str, facts: Mapping[str, object]) -> Explanation:
        """The value of a property, who set it, and the values that lost.

        Args:
            name: the property.
            facts: the values of ``FACTS`` but the list, as they are now.

        Raises:
            PropertyError: there is no such property, or it can only be set.
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
        """The properties with some set that can be changed at run time, on the devices too; all of them or none.

        Raises:
            PropertyError: an unknown one, one that is fixed, or a value that is not allowed.
            LiteDelegateError: a device does not take it; those before it have their earlier values again.
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
        """Sets what was set at run time for graph kernels that were made later, too.

        Args:
            makers: the name of the delegate that made each of them.
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
