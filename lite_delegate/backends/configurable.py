"""ConfigurableDelegate: the common part of runtimes' delegates: a registry of properties, their values, a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import count
from types import MappingProxyType
from typing import Any, Self

from ..delegate import Delegate
from ..properties import Layer, PropertySpec, Registry, Values
from .pairs import Pairs

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})
DEVICE_ID = "DEVICE_ID"


class ConfigurableDelegate(Delegate):
    """A delegate whose properties are values of a registry.

    Args:
        registry: the properties.
        device: the runtime's device, by its name there.
        options: values by name, checked against the registry.
    """

    def __init__(self, registry: Registry, device: str, options: Mapping[str, object]) -> None:
        self.values = Values(registry).with_layer(Layer.DEVICE, {DEVICE_ID: device, **options})
        self._numbers = count()

    def __reduce__(self) -> tuple[Any, ...]:
        """The class and the properties that were set: another process makes an equal delegate of them."""
        return _with_options, (type(self), dict(self.values.given))

    @property
    def device(self) -> str:
        """The runtime's device that runs are compiled for."""
        return str(self.values.value(DEVICE_ID))

    def properties(self) -> Sequence[PropertySpec]:
        """The specs of all properties."""
        return tuple(self.values.registry)

    def property_values(self) -> Values:
        """The properties of the delegate with the values that were set."""
        return self.values

    def get_property(self, name: str) -> object:
        """The value of a property.

        Raises:
            PropertyError: there is no such property.
            DelegateUnavailable: only the runtime knows the property, and is not there.
        """
        spec = self.values.registry.readable(name)
        if spec.read_only:
            return self.fact(spec.name)
        value = self.values.effective(spec.name)
        return str(value) if isinstance(value, Pairs) else value

    def fact(self, name: str) -> object:
        """The value of a property that can only be read."""
        raise NotImplementedError(name)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties, all of them or none, for later builds.

        Raises:
            PropertyError: there is no such property or value.
        """
        self.values = self.values.with_layer(Layer.DEVICE, properties)

    def configured(self, options: Mapping[str, object]) -> Self:
        """A delegate with these options in addition to its present ones.

        Raises:
            PropertyError: there is no such property or value.
        """
        other = copy(self)
        other.set_property(options)
        return other

    def pairs(self, name: str) -> dict[str, str]:
        """The options that a property holds."""
        value = self.values.value(name)
        assert isinstance(value, Pairs)
        return dict(value.items)

    def number(self, name: str) -> int:
        """A property that is an integer."""
        value = self.values.value(name)
        assert isinstance(value, int)
        return value

    def next_name(self, word: str) -> str:
        """The name of the next graph kernel."""
        return f"{word}{next(self._numbers)}"


def _with_options(kind: Any, options: Mapping[str, object]) -> ConfigurableDelegate:
    """A delegate of a class whose properties are these."""
    made: ConfigurableDelegate = kind(options=options)
    return made
