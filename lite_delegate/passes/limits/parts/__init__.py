"""Parts: operators that several simpler operators compute, for delegates that have only the simpler ones."""

from __future__ import annotations

from .activations import activation_parts
from .clamps import clamp_parts
from .layer_norm import layer_norm_parts
from .parts import PartsOf
from .repetition import gather_parts, repetition_parts

PARTS: dict[str, PartsOf] = {
    "Activation": activation_parts,
    "BroadcastTo": repetition_parts,
    "Clip": clamp_parts,
    "Gather": gather_parts,
    "LayerNormFusion": layer_norm_parts,
    "TileFusion": repetition_parts,
}
"""By operator."""

__all__ = ["PARTS", "PartsOf"]
