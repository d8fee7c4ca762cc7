"""PropertySpec: what is known of one property, for checks, documents, help and JSON alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import Any

from ..basics.data_class import dataclass
from ..basics.warned import warn
from ..errors import PropertyError, PropertyWarning
from .kinds import Kind, parsed

SCOPES = {"k": "core", "d": "device", "c": "compiled model", "q": "request"}
WHENS = {"": "at any time", "C": "when compiling", "L": "when loading", "R": "at run time"}


class Access(Enum):
    """The access to a property: RO read, RW read and set, WO set (functions)."""

    RO = "RO"
    RW = "RW"
    WO = "WO"


@dataclass(frozen=True, slots=True)
class PropertySpec:
    """An entry of a registry of properties.

    Attributes:
        name: in capitals.
        effect: what it does here, one sentence; ``none: REASON`` where it does nothing.
        kind: of the values that it can be set to; None: it can only be read.
        default: its value when nobody sets it.
        scope: where it can be asked for, of the letters k (core), d (device), c (compiled model), q (request).
        when: C what is compiled depends on it, L it counts when a compiled model is loaded, R it can be changed on
            compiled models too; "" for what can only be read.
        access: what may be done with it; None: follows from the kind.
        aliases: other names, which are read and set as this one, and not listed.
        environment: environment variables that have the value when nobody sets it, the first that is set counts.
        by_profile: the default is the device's own.
        implied: what other ``Values`` make of it when it is not set: the value and the reason; None for nothing.
        automatic: values that mean that it is as if it was not set, where something is implied.
        instead: what to set where this can only be read.
        internal: for other components, listed in INTERNAL_SUPPORTED_PROPERTIES alone.
        values: what it can be set to, for documents, where that depends on the device.
        usual: the default, for documents, where it depends on the device or the machine.
        since: the first release that had it.
    """

    name: str
    effect: str
    kind: Kind | None = None
    default: object = ""
    scope: str = "d"
    when: str = ""
    access: Access | None = None
    aliases: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    by_profile: bool = False
    implied: Callable[[Any], tuple[object, str] | None] | None = None
    automatic: tuple[object, ...] = ()
    instead: str = ""
    internal: bool = False
    values: str = ""
    usual: str = ""
    since: str = "0.1"

    @property
    def may(self) -> Access:
        """The access to the property."""
        return self.access or (Access.RO if self.kind is None else Access.RW)

    @property
    def read_only(self) -> bool:
        """True for what can only be read."""
        return self.may is Access.RO

    @property
    def compiled(self) -> bool:
        """True for what changes the program that a run becomes."""
        return "C" in self.when

    @property
    def allowed(self) -> str:
        """The values that it takes, for people; "" where it can only be read."""
        return self.values or ("" if self.kind is None else self.kind.allowed)

    def from_environment(self) -> tuple[str, object] | None:
        """The environment variable that has a value for it, and that value.

        A variable is nobody's call: one whose value is not allowed is left out with a ``PropertyWarning``.
        """
        name = next((each for each in self.environment if each in os.environ), None)
        if name is None or self.kind is None:
            return None
        try:
            return name, parsed(f"{self.name} (environment variable {name})", self.kind, os.environ[name])
        except PropertyError as e:
            warn(PropertyWarning(f"{e} The variable is ignored."))
            return None
