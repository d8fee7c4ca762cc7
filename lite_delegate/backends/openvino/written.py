"""Written: what an emitter wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...data_class import dataclass
from ...tensor import Array
from ..lowering import Spec


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """An OpenVINO model, and what is given beside it.

    Attributes:
        model: OpenVINO's; None where it would compute nothing, or is compiled already.
        outputs: element types and shapes of what it computes.
        direct: outputs that are an input, by its position, or a constant, each with its place among all outputs, in
            order. OpenVINO's devices leave the memory that is offered for such a result as it is.
        fixed: positions among the computed outputs of those that depend on no input. OpenVINO computes them when it
            compiles, and has memory of its own for them.
        kept: arrays whose memory the model uses; they have to live as long as it.
        keeps_roundings: whether it is quantized, and not all its weights are integers. OpenVINO's passes for integer
            kernels would only move its roundings.
    """

    model: Any
    outputs: Sequence[Spec]
    direct: Sequence[tuple[int, int | Array]] = ()
    kept: Sequence[Array] = ()
    fixed: frozenset[int] = frozenset()
    keeps_roundings: bool = False
