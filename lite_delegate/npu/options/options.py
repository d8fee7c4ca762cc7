"""Options: what a user set, checked against a device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...errors import InputError
from ..profiles import Profile
from ..profiles.schema import shown
from .custom_layers import CustomLayers
from .kinds import did_you_mean, parsed
from .option import Option
from .table import OPTIONS


@dataclass(frozen=True, slots=True)
class Options:
    """The options that were set; the others have the device's defaults. Immutable.

    Attributes:
        given: the values that were set, as their kinds made them.
    """

    given: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def changed(self, profile: Profile, changes: Mapping[str, object]) -> Options:
        """These options with some set anew, all of them or none.

        Args:
            profile: the device, which decides what is allowed.
            changes: names, in capitals or not, and values, as text or Python values.

        Raises:
            InputError: an unknown name, one that can only be read, a value that is not allowed, or values that do not
                fit together; the message says what is allowed.
        """
        if not isinstance(changes, Mapping):
            raise InputError(f"Options must be a mapping of names to values, got {shown(changes)}.")
        given = dict(self.given)
        for name, value in changes.items():
            option = _writable(name)
            assert option.kind is not None
            given[option.name] = parsed(option.name, option.kind(profile), value)
        result = Options(MappingProxyType(given))
        result.check(profile)
        return result

    def check(self, profile: Profile) -> None:
        """Values that have to fit together do.

        Raises:
            InputError: more tiles than there may be.
        """
        tiles, most = self.number("NPU_TILES", profile), self.max_tiles(profile)
        if tiles > most:
            raise InputError(f"Option NPU_TILES may be {most} at most (NPU_MAX_TILES), got {tiles}.")

    def value(self, name: str, profile: Profile) -> object:
        """The value of an option that can be set, or the device's default."""
        return self.given[name] if name in self.given else OPTIONS[name].default(profile)

    def number(self, name: str, profile: Profile) -> int:
        """The value of an option that is an integer."""
        value = self.value(name, profile)
        assert isinstance(value, int)
        return value

    def is_on(self, name: str, profile: Profile) -> bool:
        """The value of an option that is YES or NO."""
        return self.value(name, profile) is True

    def max_tiles(self, profile: Profile) -> int:
        """Compute tiles that programs may use at most."""
        return self.number("NPU_MAX_TILES", profile) or profile.compute.tiles

    def changes(self, profile: Profile) -> dict[str, str]:
        """The options that are not at the device's defaults, as text; without LOG_LEVEL, which changes no plan."""
        given = {name: value for name, value in self.given.items() if name != "LOG_LEVEL"}
        changed = {name: value for name, value in given.items() if value != OPTIONS[name].default(profile)}
        return {name: _told_apart(changed[name]) for name in OPTIONS if name in changed}

    def identity(self, profile: Profile) -> dict[str, str]:
        """The identity of what is compiled, for caches and blobs: the value of each of ``CACHING_PROPERTIES``, as text.

        A property that can only be read is left out: it follows from the profile.
        """
        names = self.value("CACHING_PROPERTIES", profile)
        assert isinstance(names, tuple)
        return {name: as_text(self.value(name, profile)) for name in names if not OPTIONS[name].read_only}

    def key(self, profile: Profile) -> dict[str, str]:
        """``identity`` for telling compilations apart: of a file, what it holds counts, and not where it is."""
        names = self.identity(profile)
        values = {name: self.value(name, profile) for name in names}
        return {name: v.digest if isinstance(v, CustomLayers) else names[name] for name, v in values.items()}


def as_text(value: object) -> str:
    """A value as a user would write it."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value)


def _told_apart(value: object) -> str:
    """A value as text that is different for another value: of a file, what it holds counts."""
    return f"{value} ({value.digest})" if isinstance(value, CustomLayers) else as_text(value)


def known_option(name: object) -> Option:
    """The option of that name, in capitals or not.

    Raises:
        InputError: there is none; the message has those that are close, or all.
    """
    if isinstance(name, str) and name.upper() in OPTIONS:
        return OPTIONS[name.upper()]
    close = did_you_mean(name, OPTIONS) if isinstance(name, str) else ""
    raise InputError(f"The NPU has no option {shown(name)}{close or f'. Options: {_listed(OPTIONS)}.'}")


def _writable(name: object) -> Option:
    option = known_option(name)
    if option.read_only:
        settable = _listed(o.name for o in OPTIONS.values() if not o.read_only)
        raise InputError(f"Option {option.name} can only be read. Options that can be set: {settable}.")
    return option


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
