"""PropertyStore: what users set on a core and on its devices, all of a call or none of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import PropertyError
from .explain import Layer
from .registry import Registry
from .values import Values

NOTHING: Mapping[str, object] = MappingProxyType({})


class PropertyStore:
    """The properties of a core and of its devices. Who changes it from several threads holds a lock.

    Args:
        core: the properties of the core.
    """

    def __init__(self, core: Registry) -> None:
        self._core = Values(core)
        self._devices: dict[str, Mapping[str, object]] = {}

    @property
    def core(self) -> Values:
        """What was set on the core."""
        return self._core

    def set_core(self, changes: Mapping[str, object]) -> None:
        """Sets properties of the core, all of them or none.

        Raises:
            PropertyError: one is no property of the core; the message says how one of a device is set.
        """
        for name in changes:
            if name not in self._core.registry:
                where = f"core.set_property(DEVICE, {{'{str(name)[:100]}': ...}}) sets one of a device"
                try:
                    self._core.registry.find(name)
                except PropertyError as e:
                    raise PropertyError(f"{str(e).removesuffix('?')} ({where}).") from None
        self._core = self._core.with_layer(Layer.CORE, changes)

    def set_device(self, device: str, registry: Registry, changes: Mapping[str, object]) -> None:
        """Sets properties of a device, all of them or none.

        Args:
            device: what tells it from others.
            registry: the properties that it has.
            changes: values by name.

        Raises:
            PropertyError: see ``Values.with_layer``.
        """
        self._devices[device] = MappingProxyType({**self._devices.get(device, NOTHING), **registry.checked(changes)})

    def values(
        self,
        device: str,
        registry: Registry,
        flat: Mapping[str, object] = NOTHING,
        nested: Mapping[str, object] = NOTHING,
    ) -> Values:
        """What counts for a device: of the core what the device has too, its own, and what a call to compile gives.

        Args:
            device: what tells it from others.
            registry: the properties that it has.
            flat: given to the call, for all devices.
            nested: given to the call, for this device.

        Raises:
            PropertyError: the call gives what the device does not take.
        """
        cores = {name: value for name, value in self._core.given.items() if name in registry}
        values = Values(registry).with_layer(Layer.CORE, cores)
        values = values.with_layer(Layer.DEVICE, self._devices.get(device, NOTHING))
        return values.with_layer(Layer.FLAT, flat).with_layer(Layer.NESTED, nested)
