"""Layers that may set a property, of which the higher layer wins; and explanations of a property's value."""

from __future__ import annotations

from enum import Enum

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from .shown import as_text


class Layer(Enum):
    """The origin of a property's value, from the strongest to the weakest."""

    RUNTIME = "run time"
    NESTED = "compile call, for the device"
    FLAT = "compile call"
    DEVICE = "device"
    CORE = "core"
    ENVIRONMENT = "environment"
    HINT = "implied by other properties"
    PROFILE = "device profile"
    DEFAULT = "default"


GIVEN = (Layer.RUNTIME, Layer.NESTED, Layer.FLAT, Layer.DEVICE, Layer.CORE)
"""Layers that users set, from the strongest to the weakest."""


@dataclass(frozen=True, slots=True)
class Opinion(Brief):
    """A value that a layer has for a property.

    Attributes:
        layer: the layer that has the value.
        value: the value.
        reason: the origin of the value in words; "" without details.
    """

    layer: Layer
    value: object
    reason: str = ""

    def __str__(self) -> str:
        return f"{as_text(self.value) or 'empty'} ({self.layer.value}{self.reason and f': {self.reason}'})"


@dataclass(frozen=True, slots=True)
class Explanation(Brief):
    """Why a property has its value.

    Attributes:
        name: the property.
        winner: the value that counts.
        losers: the values of the other layers, from the strongest to the weakest.
    """

    name: str
    winner: Opinion
    losers: tuple[Opinion, ...] = ()

    @property
    def value(self) -> object:
        """The value that counts."""
        return self.winner.value

    @property
    def layer(self) -> Layer:
        """The origin of the value."""
        return self.winner.layer

    def __str__(self) -> str:
        over = f" over {', '.join(map(str, self.losers))}" if self.losers else ""
        return f"{self.name} = {self.winner}{over}"
