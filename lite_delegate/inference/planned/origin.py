"""Origin: the cache, the devices and the signatures that a compiled model was made with."""

from __future__ import annotations

from typing import Any, Protocol

from ...basics.data_class import dataclass
from ...cache.outcome import DISABLED, CacheOutcome, CacheStatus
from ..properties.model_properties import PRIORITIES
from .signatures import OtherSignatures


class ModelCall(Protocol):
    """The call that made a compiled model. A call can be pickled, and repeated in another process."""

    def repeated(self) -> Any:
        """Makes the compiled model once more; raises as the call."""

    def for_signature(self, key: str) -> Any:
        """Makes the compiled model of another signature of the model's file."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The origin of a compiled model, which does not change its runs.

    Attributes:
        cache: the outcome of the cache at compilation, with the reason.
        devices: the names of the devices of HETERO, AUTO or MULTI, the first choice first.
        signatures: compiles the other signatures of the file; None: other signatures cannot be compiled.
        call: the call that made the model; None: the model cannot be made once more.
        shapes: of the inputs in order, for a model that was reshaped after the call; else None.
    """

    cache: CacheOutcome = DISABLED
    devices: tuple[str, ...] = ()
    signatures: OtherSignatures[Any] | None = None
    call: ModelCall | None = None
    shapes: tuple[tuple[int, ...], ...] | None = None

    def facts(self) -> dict[str, object]:
        """The properties of the compiled model that follow from its origin."""
        return {PRIORITIES: self.devices, "LOADED_FROM_CACHE": self.cache.status is CacheStatus.HIT}


UNKNOWN = Origin()
"""The origin of a model that was compiled from a graph for one device, without a cache."""
