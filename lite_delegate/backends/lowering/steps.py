"""Steps: the distance that quantized results may have from the definition's."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_WEIGHTED = ("Conv2DFusion", "Conv2dTransposeFusion", "FullConnection", "MatMulFusion")
_OTHERS = ("AddFusion", "SubFusion", "MulFusion", "AvgPoolFusion", "Concat", "QuantDTypeCast")

STEPS: Mapping[str, int] = MappingProxyType(dict.fromkeys((*_WEIGHTED, *_OTHERS), 1))
"""Operators whose integers may be one off. The definition multiplies by 31-bit fixed-point factors and rounds twice, to
a whole number and after the shift: -70.499 becomes -70.5 and then -71. Runtimes' kernels round once, to -70; and halves
to even, where the definition rounds away from zero.
"""
