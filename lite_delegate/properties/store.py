"""PropertyStore: what users set on a core, and what it means for a device."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import PropertyError
from .explain import Layer
from .registry import Registry, mapping_of
from .values import Values

NOTHING: Mapping[str, object] = MappingProxyType({})


class PropertyStore:
    """The properties of a core. Who changes it from several threads holds a lock.

    Args:
        core: the properties that there are.
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
            PropertyError: one is no property of the core; the message says how one of a device is set.
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
            registry: the properties that it has.
            changes: what was set on it.

        Raises:
            PropertyError: the device does not take it.
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
        """The values valid for a device in a call to compile.

        Args:
            registry: the properties that it has.
            changes: what was set on it.
            flat: given to the call, for all devices.
            nested: given to the call, for this device.

        Raises:
            PropertyError: the device does not take it.
        """
        values = self.for_device(registry, changes)
        return values.with_layer(Layer.FLAT, flat).with_layer(Layer.NESTED, nested)
