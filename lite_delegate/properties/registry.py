"""Registry: the properties of an owner, found by name; values are checked before a property is set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from ..basics.counted import counted
from ..basics.similar import did_you_mean
from ..basics.warned import warn
from ..basics.words.one_line import OneLine
from ..errors import PropertyError, PropertyWarning
from .kinds import parsed
from .name import PropertyName
from .shown import shown
from .spec import Access, PropertySpec

PREFIX = "KEY_"
"""The prefix that a name may begin with, as the names of vision processors once did."""


class Registry(OneLine):
    """Properties by name. Immutable.

    Args:
        owner: the owner of the properties in messages: "Device NPU", "The core".
        specs: the specifications of the properties, in the order of lists.
        pointers: the advice for names that users may try and that are no properties here.
        when: R where only properties of the run time can be set; "" where all properties can be set.
    """

    def __init__(
        self,
        owner: str,
        specs: Iterable[PropertySpec],
        pointers: Mapping[str, str] = MappingProxyType({}),
        when: str = "",
    ) -> None:
        self.owner = owner
        self._when = when
        self._pointers = pointers
        self._specs = {spec.name: spec for spec in specs}
        self._names = {alias: spec.name for spec in self._specs.values() for alias in (spec.name, *spec.aliases)}

    def __iter__(self) -> Iterator[PropertySpec]:
        return iter(self._specs.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name.upper() in self._names or _plain(name) in self._names)

    @property
    def names(self) -> tuple[PropertyName, ...]:
        """The names of the properties, each with its access; without aliases and internal properties."""
        return tuple(PropertyName(spec, can_be_set=self._when in spec.when) for spec in self if not spec.internal)

    @property
    def compiled(self) -> tuple[str, ...]:
        """The names of the properties that change the compiled program."""
        return tuple(spec.name for spec in self if spec.compiled)

    def find(self, name: object) -> PropertySpec:
        """The property with a name, in capitals or not.

        Raises:
            PropertyError: there is no such property; the message has similar names, or all names.
        """
        known = self._names.get(name.upper()) if isinstance(name, str) else None
        if known is not None:
            return self._specs[known]
        if isinstance(name, str) and _plain(name) in self._names:
            spec = self._specs[self._names[_plain(name)]]
            text = f"Property {name.upper()[:100]} is called {spec.name}: leave out the prefix {PREFIX}."
            warn(PropertyWarning(text))
            return spec
        raise PropertyError(f"{self.owner} has no property {shown(name)}{self._hint(name)}")

    def settable(self, name: object) -> PropertySpec:
        """The property with a name, which can be set.

        Raises:
            PropertyError: there is no such property, or the property can only be read.
        """
        spec = self.find(name)
        if spec.read_only:
            raise PropertyError(f"Property {spec.name} can only be read. {self._advice(spec)}")
        return spec

    def readable(self, name: object) -> PropertySpec:
        """The property with a name, which can be read.

        Raises:
            PropertyError: there is no such property, or the property can only be set.
        """
        spec = self.find(name)
        if spec.may is Access.WO:
            raise PropertyError(f"Property {spec.name} can only be set: it holds functions.")
        return spec

    def checked(self, changes: object) -> dict[str, object]:
        """The checked values, by the proper names of the properties.

        Raises:
            PropertyError: a property is unknown, can only be read, is given twice or has a value that is not allowed.
        """
        found: dict[str, object] = {}
        for name, value in mapping_of(changes).items():
            spec = self.settable(name)
            assert spec.kind is not None
            if spec.name in found:
                raise PropertyError(f"Property {spec.name} is given twice, once as {shown(name)}.")
            found[spec.name] = parsed(spec.name, spec.kind, value)
        return found

    def _advice(self, spec: PropertySpec) -> str:
        """Advice on the property to set where a property can only be read."""
        if spec.instead:
            return f"Set {spec.instead} instead."
        others = [each.name for each in self if not each.read_only and self._when in each.when]
        return f"Properties that can be set: {', '.join(others)}." if others else "There are none that can be set."

    def _hint(self, name: object) -> str:
        if not isinstance(name, str):
            return f". Properties: {', '.join(self.names)}."
        pointer = self._pointers.get(_plain(name))
        if pointer is not None:
            return f": {pointer}."
        return did_you_mean(name, self._names) or f". Properties: {', '.join(self.names)}."

    def _line(self) -> str:
        return f"of {self.owner}: {counted(len(self._specs), 'property')}"


def mapping_of(properties: object) -> Mapping[str, object]:
    """The mapping of properties that a user gives.

    Raises:
        PropertyError: the object is no mapping.
    """
    if not isinstance(properties, Mapping):
        raise PropertyError(f"Properties must be a mapping of names to values, got {shown(properties)}.")
    return properties


def _plain(name: str) -> str:
    return name.upper().removeprefix(PREFIX)
