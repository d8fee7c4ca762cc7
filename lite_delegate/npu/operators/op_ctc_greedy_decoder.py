"""CTCGreedyDecoder of OpenVINO, a Custom node: one instruction."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.custom import custom_attributes
from ...ir.primitives import Custom
from ...ir.types.data_type import to_numpy
from ...semantics.operands import primitive_of, required
from ..device.instructions.sequence import DecodeClasses
from ..ir.builder import Builder
from ..profiles import Profile
from ..profiles.operators import CTC_GREEDY_DECODER
from .gate import check_operands, check_output_shape, check_range, check_tensors
from .record import NpuOperator

_MERGE = "ctc_merge_repeated"


def check_ctc_greedy_decoder(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Scores are compared as the device holds them: of two that float16 cannot tell apart the first wins."""
    return (
        check_operands(kernel, 2, 2)
        or check_tensors(kernel, profile)
        or _check_shapes(kernel)
        or _check_merging(kernel, profile)
        or _check_exact(kernel, profile)
        or check_range(kernel, profile)
    )


def _check_shapes(kernel: Kernel) -> Rejected | None:
    scores, mask = (required(kernel, position).shape for position in range(2))
    if len(scores) != 3 or mask != scores[:2]:
        rule = "inputs must have shapes [T, N, C] and [T, N]"
        return Rejected(RejectCode.SHAPE, f"{rule}, have {scores} and {mask}", rule)
    return check_output_shape(kernel, [scores[1], scores[0], 1, 1])


def _check_merging(kernel: Kernel, profile: Profile) -> Rejected | None:
    found = custom_attributes(primitive_of(kernel, Custom)).get(_MERGE, 1)
    if found not in (0, 1):
        return Rejected.by_rule(RejectCode.ATTRIBUTE, f"{_MERGE} must be 0 or 1", f"is {found}")
    if profile.limits.ctc_merge_repeated_only and not found:
        return Rejected.by_rule(RejectCode.LIMIT, f"{_MERGE} must be 1", f"is {found}")
    return None


def _check_exact(kernel: Kernel, profile: Profile) -> Rejected | None:
    """Numbers of classes are real numbers, which hold whole ones up to a limit."""
    limit = 2 ** (np.finfo(to_numpy(profile.storage)).nmant + 1)
    classes = required(kernel, 0).shape[2]
    if classes - 2 <= limit:
        return None
    kind = profile.storage.name.lower()
    return Rejected.by_rule(
        RejectCode.LIMIT, f"classes may count {limit + 2} at most (exact in {kind})", f"count {classes}"
    )


def lower_ctc_greedy_decoder(kernel: Kernel, builder: Builder) -> None:
    merge = bool(custom_attributes(primitive_of(kernel, Custom)).get(_MERGE, 1))
    operands = [builder.read(required(kernel, position)) for position in range(2)]
    builder.define(kernel.outputs[0], DecodeClasses(merge), operands)


OPERATOR = NpuOperator(
    CTC_GREEDY_DECODER,
    check_ctc_greedy_decoder,
    lower_ctc_greedy_decoder,
    takes="real",
    condition="for classes that the device's real numbers count exactly (2050 with the blank in float16)",
    limits=("ctc_merge_repeated_only",),
)
