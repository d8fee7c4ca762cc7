"""DetectionPostProcess: claimed with both ways of suppression, as long as class numbers and counts are exact."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected, Supported, SupportResult
from ...ir.data_type import to_numpy
from ...ir.primitives import DetectionPostProcess
from ..ops.op_detection_post_process import rows_of
from ..profiles import Profile
from ..semantics.operands import primitive_of, required
from ._check import SupportCheck
from .gate import check_operands, check_range, check_tensors


def check_detection_post_process(kernel: Kernel, profile: Profile) -> SupportResult:
    """The claim for one kernel.

    NOTE: ``detection_plain`` stands for a limit of vision NPUs, whose DetectionOutput wants interpolate_orientation
    and num_orient_classes to be 0. This operator has no orientations: what a box may have beyond one class is
    ``max_classes_per_detection``, and the other way of finding boxes is ``use_regular_nms``.
    """
    primitive = primitive_of(kernel, DetectionPostProcess)
    return (
        check_operands(kernel, 3, 3, outputs=4)
        or check_tensors(kernel, profile)
        or _check_attributes(primitive)
        or _check_inputs(kernel, primitive)
        or _check_outputs(kernel, primitive)
        or _check_exact(primitive, profile)
        or (_check_plain(primitive) if profile.limits.detection_plain else None)
        or check_range(kernel, profile)
        or Supported()
    )


def _check_attributes(primitive: DetectionPostProcess) -> Rejected | None:
    if primitive.scale is None or len(primitive.scale) != 4:
        return Rejected(RejectCode.ATTRIBUTE, f"scale must be four numbers, is {list(primitive.scale or ())}")
    names = ["max_detections", "max_classes_per_detection", "num_classes"]
    for name in names + (["detections_per_class"] if primitive.use_regular_nms else []):
        if getattr(primitive, name) < 1:
            return Rejected(RejectCode.ATTRIBUTE, f"{name} must be at least 1, is {getattr(primitive, name)}")
    return None


def _check_inputs(kernel: Kernel, primitive: DetectionPostProcess) -> Rejected | None:
    boxes, scores, anchors = (required(kernel, position).shape for position in range(3))
    count = boxes[1] if len(boxes) == 3 else 0
    if boxes != [1, count, 4] or anchors != [count, 4] or len(scores) != 3 or scores[:2] != [1, count]:
        reason = f"inputs must have shapes [1, N, 4], [1, N, C], [N, 4], have {boxes}, {scores}, {anchors}"
        return Rejected(RejectCode.SHAPE, reason)
    if scores[2] < primitive.num_classes:
        return Rejected(RejectCode.SHAPE, f"scores need {primitive.num_classes} classes at least, have {scores[2]}")
    return None


def _check_outputs(kernel: Kernel, primitive: DetectionPostProcess) -> Rejected | None:
    rows = rows_of(primitive)
    for position, (out, wanted) in enumerate(
        zip(kernel.outputs, ([1, rows, 4], [1, rows], [1, rows], [1]), strict=True)
    ):
        if out.shape != wanted:
            return Rejected(RejectCode.SHAPE, f"output {position} must have shape {wanted}, has {out.shape}")
    return None


def _check_exact(primitive: DetectionPostProcess, profile: Profile) -> Rejected | None:
    """Class numbers and the number of rows are real numbers, which hold whole ones up to a limit."""
    limit = 2 ** (np.finfo(to_numpy(profile.storage)).nmant + 1)
    largest = max(primitive.num_classes - 1, rows_of(primitive))
    if largest <= limit:
        return None
    kind = profile.storage.name.lower()
    return Rejected(RejectCode.LIMIT, f"classes and rows may count {limit} at most (exact in {kind}), count {largest}")


def _check_plain(primitive: DetectionPostProcess) -> Rejected | None:
    if primitive.use_regular_nms:
        return Rejected(RejectCode.LIMIT, "use_regular_nms must be false, is true")
    if primitive.max_classes_per_detection != 1:
        found = primitive.max_classes_per_detection
        return Rejected(RejectCode.LIMIT, f"max_classes_per_detection must be 1, is {found}")
    return None


CHECK = SupportCheck("DetectionPostProcess", check_detection_post_process)
