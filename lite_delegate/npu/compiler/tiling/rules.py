"""The rules of tiling by kind of instruction. Instructions without a rule are never split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...device.instructions.quantized_transposed_convolution import QuantizedTransposedConvolution
from ...device.instructions.transposed_convolution import TransposedConvolution
from ...device.programs.instruction import Instruction
from .pointwise import ALONG, POINTWISE, AlongRule, PointwiseRule
from .products import PRODUCTS, ProductRule
from .rule import Rule
from .transposed import TransposedRule
from .windows import CONVOLUTIONS, DEPTHWISE, POOLS, ConvolutionRule, DepthwiseRule, PoolRule

RULES: Mapping[type[Instruction], Rule[Any]] = {
    **dict.fromkeys(CONVOLUTIONS, ConvolutionRule()),
    **dict.fromkeys(DEPTHWISE, DepthwiseRule()),
    **dict.fromkeys(POOLS, PoolRule()),
    **dict.fromkeys(PRODUCTS, ProductRule()),
    **dict.fromkeys(POINTWISE, PointwiseRule()),
    **dict.fromkeys((TransposedConvolution, QuantizedTransposedConvolution), TransposedRule()),
    **{kind: AlongRule(kept) for kind, kept in ALONG.items()},
}
