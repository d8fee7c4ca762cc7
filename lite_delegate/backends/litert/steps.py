"""The steps that integers of LiteRT may be off."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..lowering.steps import STEPS

_MOVING = ("BatchToSpace", "BatchToSpaceND", "DepthToSpace", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth")
LITERT_STEPS: Mapping[str, int] = MappingProxyType({**STEPS, **dict.fromkeys(_MOVING, 1)})
"""The steps of all runtimes, and those of operators that move integers to another scale, which LiteRT does with its
operator QUANTIZE.
"""
