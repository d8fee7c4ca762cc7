"""WrittenModel: the model that an emitter wrote, and the constants given beside it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from ....basics.data_class import dataclass
from ....tensors.tensor import Array
from ...lowering import Spec
from .checks import Checks


class Arithmetic(StrEnum):
    """The numbers that a model computes with: real numbers; integers; or real numbers rounded to those that integers
    stand for.

    Integers are those of a quantized model all of whose weights stay integers.
    """

    REAL, INTEGER, ROUNDED = "real", "integer", "rounded"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenModel:
    """An OpenVINO model, and the arrays given beside it.

    Attributes:
        model: OpenVINO's model; None where it would compute nothing, or is compiled already.
        outputs: element types and shapes of the computed outputs.
        direct: outputs that are an input, by its position, or a constant, each with its place among all outputs, in
            order. OpenVINO's devices leave the memory that is offered for such a result as it is.
        fixed: positions of the computed outputs that depend on no input. OpenVINO computes them when it compiles, and
            has memory of its own for them.
        kept: arrays whose memory the model uses; they have to live as long as the model.
        arithmetic: the numbers that the model computes with.
        checks: the checks of places and lengths; the flags of computed places are one more output, the last.
    """

    model: Any
    outputs: Sequence[Spec]
    direct: Sequence[tuple[int, int | Array]] = ()
    kept: Sequence[Array] = ()
    fixed: frozenset[int] = frozenset()
    arithmetic: Arithmetic = Arithmetic.REAL
    checks: Checks = Checks()
