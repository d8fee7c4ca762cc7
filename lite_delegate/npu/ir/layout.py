"""Axis orders of device tensors: permutations between the model's order and the order of spatial instructions."""

from __future__ import annotations

from ...ir.axes import Axes

TO_NCHW: Axes = (0, 3, 1, 2)
"""Device axis i of an NCHW tensor is axis TO_NCHW[i] of the model's NHWC tensor."""
TO_NHWC: Axes = (0, 2, 3, 1)
