"""Operators that are left to the CPU for good, and why."""

from __future__ import annotations

from ...ir.traits import RANDOM

DRAWN = "draws the numbers of the CPU kernel's own generator"
TEXT = "reads and gives text, or what is found in tables"
TOGETHER = "is computed by several processes together"
COUNTED = "gives as many results as it finds"
LEFT_OUT = {
    "DynamicQuant": "gives integers that bring their scales along, which only CPU kernels read",
    "ROIPooling": "divides regions into bins exactly, runtimes in float32, which moves the borders of some",
    "Assert": "ends the run where it does not hold",
    "AllGather": TOGETHER,
    "ReduceScatter": TOGETHER,
    **dict.fromkeys((*RANDOM, "ai.onnx.Dropout"), DRAWN),
    **dict.fromkeys(("CustomExtractFeatures", "CustomNormalize", "CustomPredict", "HashtableLookup"), TEXT),
    **dict.fromkeys(("LshProjection", "SkipGram"), TEXT),
    **dict.fromkeys(("NonMaxSuppression", "NonZero", "Unique", "ai.onnx.Unique", "SparseFillEmptyRows"), COUNTED),
    "DetectionPostProcess": "suppresses boxes one after the other, in a way of its own",
}
"""By operator: the feature that runtimes' operators do not have."""
