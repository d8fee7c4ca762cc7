"""Options: the user's values of the NPU's properties, checked against a device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ...basics.data_class import dataclass
from ...properties import Layer, Registry, Values, as_text
from ..ir.target import Target
from ..profiles import Profile
from .custom_layers import CustomLayers
from .resolve import check, check_there, max_tiles, target_of, why_absent_of
from .specs import registry_of


@dataclass(frozen=True)
class Options:
    """The properties of a device that were set; other properties have the device's defaults. Immutable.

    Attributes:
        profile: the device, which decides the allowed values.
        values: the values that were set.
        away: why the device is not there, whatever is set; "" where only the profile and the options decide.
    """

    profile: Profile
    values: Values
    away: str = ""

    @classmethod
    def of(cls, profile: Profile, away: str = "") -> Options:
        """No options."""
        return cls(profile, Values(registry_of(profile)), away)

    @property
    def registry(self) -> Registry:
        """The registry of all properties."""
        return self.values.registry

    def changed(self, changes: Mapping[str, object]) -> Options:
        """These options with changes, all of them or none.

        Args:
            changes: names, in capitals or not, and values, as text or Python values.

        Raises:
            PropertyError: an unknown name, a read-only property, a value that is not allowed, or values that do not fit
                together or the device; the message has the allowed values.
        """
        changed = Options(self.profile, self.values.with_layer(Layer.DEVICE, changes), self.away)
        if not changed.why_absent:
            check_there(changed.profile, changed.values)
        check(changed.profile, changed.values)
        return changed

    @cached_property
    def target(self) -> Target:
        """The target that runs are compiled for: the profile with the options applied."""
        return target_of(self.profile, self.values)

    @cached_property
    def claiming(self) -> Profile:
        """The profile as the operators' checks take it, see ``Target.claiming``."""
        return self.target.claiming

    @property
    def why_absent(self) -> str:
        """The reason why the device is not there, "" where it is."""
        return self.away or why_absent_of(self.profile, self.values)

    @property
    def is_off_device(self) -> bool:
        """Whether models are compiled though the device is not there: NPU_MAX_TILES says how many tiles it has."""
        return bool(self.why_absent) and bool(self.values.given.get("NPU_MAX_TILES"))

    def value(self, name: str) -> object:
        """The value of an option that can be set, or the device's default."""
        return self.values.value(name)

    def is_on(self, name: str) -> bool:
        """The value of an option that is YES or NO."""
        return self.value(name) is True

    @property
    def max_tiles(self) -> int:
        """Compute tiles that programs may use at most."""
        return max_tiles(self.profile, self.values)

    def changes(self) -> dict[str, str]:
        """The options that are not at the device's defaults, as text; without LOG_LEVEL, which changes no plan."""
        given = self.values.given
        specs = [spec for spec in self.registry if spec.name in given and spec.name != "LOG_LEVEL"]
        return {spec.name: _told_apart(given[spec.name]) for spec in specs if given[spec.name] != spec.default}

    def identity(self) -> dict[str, str]:
        """The identity of compiled programs, for caches and blobs: the value of each caching property, as text.

        A read-only property is left out: it follows from the profile.
        """
        names = self.value("CACHING_PROPERTIES")
        assert isinstance(names, tuple)
        return {name: as_text(self.value(name)) for name in names if not self.registry.find(name).read_only}

    def key(self) -> dict[str, str]:
        """``identity`` as a key of compilations: a file counts by its contents, not by its path."""
        names = self.identity()
        values = {name: self.value(name) for name in names}
        return {name: v.digest if isinstance(v, CustomLayers) else names[name] for name, v in values.items()}


def _told_apart(value: object) -> str:
    """A value as text that differs for another value: a file counts by its contents."""
    return f"{value} ({value.digest})" if isinstance(value, CustomLayers) else as_text(value)
