"""PropertySpec: the specification of one property, for checks, documents, help and JSON alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import Any

from ..basics.data_class import dataclass
from ..basics.warned import warn
from ..basics.words.one_line import Brief
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
class PropertySpec(Brief):
    """An entry of a registry of properties.

    Attributes:
        name: the name, in capitals.
        effect: the effect of the property, one sentence; ``none: REASON`` without effect.
        kind: the kind of the property's values; None: the property can only be read.
        default: the value of the property until it is set.
        scope: the objects that have the property: k (core), d (device), c (compiled model), q (request).
        when: C the compiled program depends on the property, L it counts when a model is loaded, R it can be changed on
            compiled models too; "" for a property that can only be read.
        access: the access to the property; None: the access follows from the kind.
        aliases: other names of the property, which lists leave out.
        environment: environment variables with the value until the property is set; the first set variable counts.
        by_profile: whether the default is the device's own.
        implied: gives the value that other ``Values`` imply, and the reason, until the property is set; or None.
        automatic: the values that count like a property that is not set, where a value is implied.
        instead: the property to set in place of a property that can only be read.
        internal: whether the property is for other components, and listed in INTERNAL_SUPPORTED_PROPERTIES alone.
        values: the allowed values in documents, where they depend on the device.
        usual: the default in documents, where it depends on the device or the machine.
        since: the first release with the property.
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
        """Whether the property can only be read."""
        return self.may is Access.RO

    @property
    def compiled(self) -> bool:
        """Whether the compiled program depends on the property."""
        return "C" in self.when

    @property
    def allowed(self) -> str:
        """The allowed values in words; "" where the property can only be read."""
        return self.values or ("" if self.kind is None else self.kind.allowed)

    def from_environment(self) -> tuple[str, object] | None:
        """The environment variable that has a value for the property, and the value.

        A variable whose value is not allowed is ignored, with a ``PropertyWarning``.
        """
        name = next(filter(os.environ.__contains__, self.environment), None)
        if name is None or self.kind is None:
            return None
        try:
            return name, parsed(f"{self.name} (environment variable {name})", self.kind, os.environ[name])
        except PropertyError as e:
            warn(PropertyWarning(f"{e} The variable is ignored."))
            return None
