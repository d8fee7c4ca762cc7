"""Origin: where a compiled model comes from."""

from __future__ import annotations

from typing import Any

from ...basics.data_class import dataclass
from ...cache.outcome import DISABLED, CacheOutcome, CacheStatus
from ..properties.model_properties import PRIORITIES
from .signatures import OtherSignatures


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Where a compiled model comes from, which no run depends on.

    Attributes:
        cache: what the cache did when it was compiled, and why.
        devices: the names of the devices that it was compiled for with HETERO, AUTO or MULTI, the first choice first.
        signatures: compiles the other signatures of its file; None: they cannot be compiled.
    """

    cache: CacheOutcome = DISABLED
    devices: tuple[str, ...] = ()
    signatures: OtherSignatures[Any] | None = None

    def facts(self) -> dict[str, object]:
        """The properties of the compiled model that follow from it."""
        return {PRIORITIES: self.devices, "LOADED_FROM_CACHE": self.cache.status is CacheStatus.HIT}


UNKNOWN = Origin()
"""The origin of a model that was compiled from a graph for one device, without a cache."""
