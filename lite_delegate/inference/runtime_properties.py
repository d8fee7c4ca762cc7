"""Properties that the runtime itself sees to, whichever device a model is compiled for."""

from __future__ import annotations

from collections.abc import Mapping

from ..properties import Registry
from .cache_properties import CACHE_PROPERTIES

RUNTIME_PROPERTIES = (*CACHE_PROPERTIES,)
RUNTIME = Registry("The runtime", RUNTIME_PROPERTIES)


def of_runtime(properties: Mapping[str, object]) -> dict[str, object]:
    """Those of some properties that the runtime sees to."""
    return {name: value for name, value in properties.items() if name in RUNTIME}


def not_of_runtime(properties: Mapping[str, object]) -> dict[str, object]:
    """Those of some properties that are of a device."""
    return {name: value for name, value in properties.items() if name not in RUNTIME}
