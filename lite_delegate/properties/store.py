"""PropertyStore: the properties that users set on a core, and the values that follow for a device."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..basics.counted import counted
from ..basics.words.one_line import OneLine
from ..errors import PropertyError
from .explain import Layer
from .registry import Registry, mapping_of
from .values import Values

NOTHING: Mapping[str, object] = MappingProxyType({})


class PropertyStore(OneLine):
    """The properties of a core. Threads that change the store hold a lock.

    Args:
        core: the registry of the core's properties.
    """

    def __init__(self, core: Registry) -> None:
        self._core = Values(core)

    @property
    def core(self) -> Values:
        """The values set on the core."""
        return self._core

    def set_core(self, changes: Mapping[str, object]) -> None:
        """Sets properties of the core, all of them or none.

        Raises:
            PropertyError: the core has no such property; the message says how to set a property of a device.
        """
        try:
            self._core = self._core.with_layer(Layer.CORE, mapping_of(changes))
        except PropertyError as e:
            strange = (
                [name for name in changes if name not in self._core.registry] if isinstance(changes, Mapping) else []
            )
            if not strange:
                raise
            call = f"core.set_property(DEVICE, {{'{str(strange[0])[:100]}': ...}})"
            raise PropertyError(f"{str(e).rstrip('?.')}. {call} sets one of a device.") from None

    def for_device(self, registry: Registry, changes: Mapping[str, object] = NOTHING) -> Values:
        """The values valid for a device: the core's, as far as the device has the properties, and the device's own.

        Args:
            registry: the properties of the device.
            changes: the properties set on the device.

        Raises:
            PropertyError: the device does not take a property or its value.
        """
        cores = {name: value for name, value in self._core.given.items() if name in registry}
        return Values(registry).with_layer(Layer.CORE, cores).with_layer(Layer.DEVICE, changes)

    def for_call(
        self,
        registry: Registry,
        changes: Mapping[str, object] = NOTHING,
        flat: Mapping[str, object] = NOTHING,
        nested: Mapping[str, object] = NOTHING,
    ) -> Values:
        """The values valid for a device in a compile call.

        Args:
            registry: the properties of the device.
            changes: the properties set on the device.
            flat: the call's properties for all devices.
            nested: the call's properties for this device.

        Raises:
            PropertyError: the device does not take a property or its value.
        """
        values = self.for_device(registry, changes)
        return values.with_layer(Layer.FLAT, flat).with_layer(Layer.NESTED, nested)

    def _line(self) -> str:
        return counted(len(self._core.given), "property")
