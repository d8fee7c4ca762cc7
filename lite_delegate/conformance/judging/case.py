"""ConformanceCase: one node, its inputs and the outputs it must give. It knows no runtime."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np
from lite_delegate_kernels import NodeQuantization

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ...ir.traits import traits_of
from ...numerics.tolerance import ATOL, RTOL

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class ConformanceCase(Brief):
    """One node with inputs and expected outputs.

    Attributes:
        name: unique within its operator, says what is exercised (``"pad_same_stride_2_dilation_2"``).
        op_type: the schema's name of the operator.
        inputs: arrays in the schema's input order; None for an absent optional input.
        outputs: the expected arrays, in output order. Their dtype is part of the expectation.
        attributes: attribute values under their schema names (``global`` is spelled ``global_``); enum values
            as their schema names (``"SAME"``).
        constants: positions of the inputs that are constants of the model (weights, axes, shapes).
        rtol: relative tolerance of ``numpy.allclose``; NaN equals NaN, infinities must match. Where the case states
            none (NaN), it is 0 for exact results, else ``RTOL``.
        atol: absolute tolerance, stated or not like ``rtol``; both 0 means bit for bit.
        source: where the expected values come from: ``"loop"`` (a direct loop in the case file),
            ``"onnx"`` (ONNX's reference evaluator), ``"litert"``, ``"farmhash"`` (Google's), ``"hand"`` (written down).
        quantization: for a node that runs on integers: what they stand for; None for any other node.
    """

    name: str
    op_type: str
    inputs: tuple[Array | None, ...]
    outputs: tuple[Array, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: frozenset[int] = frozenset()
    rtol: float = math.nan
    atol: float = math.nan
    source: str = "loop"
    quantization: NodeQuantization | None = None

    def __post_init__(self) -> None:
        for array in (*self.inputs, *self.outputs):
            if array is not None and not isinstance(array, np.ndarray):
                raise TypeError(f"Case '{self.name}' of {self.op_type}: expected arrays, got {type(array).__name__}.")
        rtol, atol = (0.0, 0.0) if self._is_exact() else (RTOL, ATOL)
        object.__setattr__(self, "rtol", rtol if math.isnan(self.rtol) else self.rtol)
        object.__setattr__(self, "atol", atol if math.isnan(self.atol) else self.atol)

    def _is_exact(self) -> bool:
        """Whether no result is rounded: by the operator's traits, or because no output holds real numbers."""
        return traits_of(self.op_type).is_exact or all(y.dtype.kind not in "fc" for y in self.outputs)
