"""CoreConfiguration: all that a core was told, of which another process makes an equal core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from ...basics.data_class import dataclass
from ...basics.forking import check_pickles
from ..registry.delegate_source import Made

NAMED = "give it a name in a module, as a function or a class has that is not made inside of a function"


@dataclass(frozen=True, slots=True)
class CoreConfiguration:
    """All that a core was told. Not to be changed.

    Attributes:
        factories: the makers of the registered devices' delegates, by the devices' names.
        core: the values that were set on the core, by property.
        devices: the values that were set on devices, by the devices' keys and by property.
    """

    factories: Mapping[str, Made]
    core: Mapping[str, object]
    devices: Mapping[tuple[str, str], Mapping[str, object]]

    def __reduce__(self) -> tuple[Any, ...]:
        """The plain mappings.

        Raises:
            TypeError: the factory of a device, or a value, does not pickle; the message has the name.
        """
        for name, factory in self.factories.items():
            check_pickles(factory, f"The factory of device '{name}'", NAMED)
        check_values(self.core, "the core")
        for (name, place), values in self.devices.items():
            check_values(values, f"device '{name}{place and f'.{place}'}'")
        return CoreConfiguration, (self.factories, self.core, self.devices)

    def __deepcopy__(self, memo: object) -> Self:
        """The object itself, which does not change."""
        return self


def check_values(values: Mapping[str, object], owner: str) -> None:
    """Checks that the values of properties can go to another process.

    Args:
        values: by property.
        owner: the owner of the properties, in words.

    Raises:
        TypeError: a value does not pickle; the message has the property.
    """
    for name, value in values.items():
        check_pickles(value, f"The value of {name} of {owner}", NAMED)
