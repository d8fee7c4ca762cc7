"""DetectionPostProcess: one instruction that computes one array, and slices of it."""

from __future__ import annotations

import numpy as np

from ...delegate import Kernel, RejectCode, Rejected
from ...ir.primitives import DetectionPostProcess
from ...ir.types.data_type import to_numpy
from ...semantics.operands import primitive_of, required, shape_of
from ...tensors.tensor import Tensor
from ..device.instructions.detection import ROW, Detect
from ..device.instructions.movement import View
from ..device.instructions.slicing import Slice
from ..ir.builder import Builder
from ..profiles import Profile
from .gate import check_operands, check_range, check_tensors
from .record import NpuOperator
from .rules import SHAPE_OF_RESULT

CORNERS, CLASS, SCORE = (0, 4), (4, 1), (5, 1)
"""The place of values in a row: the first, and their number."""


def check_detection_post_process(kernel: Kernel, profile: Profile) -> Rejected | None:
    """NOTE: ``detection_plain`` stands for a limit of vision NPUs, whose DetectionOutput wants interpolate_orientation
    and num_orient_classes to be 0. This operator has no orientations: ``max_classes_per_detection`` allows a box more
    classes, and ``use_regular_nms`` is the other way of finding boxes.
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
    )


def _check_attributes(primitive: DetectionPostProcess) -> Rejected | None:
    if primitive.scale is None or len(primitive.scale) != 4:
        return Rejected.by_rule(RejectCode.ATTRIBUTE, "scale must be four numbers", f"is {list(primitive.scale or ())}")
    names = ["max_detections", "max_classes_per_detection", "num_classes"]
    for name in names + (["detections_per_class"] if primitive.use_regular_nms else []):
        if getattr(primitive, name) < 1:
            return Rejected.by_rule(
                RejectCode.ATTRIBUTE, f"{name} must be at least 1", f"is {getattr(primitive, name)}"
            )
    return None


def _check_inputs(kernel: Kernel, primitive: DetectionPostProcess) -> Rejected | None:
    boxes, scores, anchors = (required(kernel, position).shape for position in range(3))
    count = boxes[1] if len(boxes) == 3 else 0
    if boxes != [1, count, 4] or anchors != [count, 4] or len(scores) != 3 or scores[:2] != [1, count]:
        reason = f"inputs must have shapes [1, N, 4], [1, N, C], [N, 4], have {boxes}, {scores}, {anchors}"
        return Rejected(RejectCode.SHAPE, reason, "inputs must have shapes [1, N, 4], [1, N, C], [N, 4]")
    if scores[2] < primitive.num_classes:
        reason = f"scores need {primitive.num_classes} classes at least, have {scores[2]}"
        return Rejected(RejectCode.SHAPE, reason, "scores must have all classes")
    return None


def _check_outputs(kernel: Kernel, primitive: DetectionPostProcess) -> Rejected | None:
    rows = rows_of(primitive)
    for position, (out, wanted) in enumerate(
        zip(kernel.outputs, ([1, rows, 4], [1, rows], [1, rows], [1]), strict=True)
    ):
        if out.shape != wanted:
            reason = f"output {position} must have shape {wanted}, has {out.shape}"
            return Rejected(RejectCode.SHAPE, reason, SHAPE_OF_RESULT)
    return None


def _check_exact(primitive: DetectionPostProcess, profile: Profile) -> Rejected | None:
    """Class numbers and the number of rows are real numbers, which hold whole ones up to a limit."""
    limit = 2 ** (np.finfo(to_numpy(profile.storage)).nmant + 1)
    largest = max(primitive.num_classes - 1, rows_of(primitive))
    if largest <= limit:
        return None
    kind = profile.storage.name.lower()
    return Rejected.by_rule(
        RejectCode.LIMIT, f"classes and rows may count {limit} at most (exact in {kind})", f"count {largest}"
    )


def _check_plain(primitive: DetectionPostProcess) -> Rejected | None:
    if primitive.use_regular_nms:
        return Rejected.by_rule(RejectCode.LIMIT, "use_regular_nms must be false", "is true")
    if primitive.max_classes_per_detection != 1:
        found = primitive.max_classes_per_detection
        return Rejected.by_rule(RejectCode.LIMIT, "max_classes_per_detection must be 1", f"is {found}")
    return None


def detection_of(primitive: DetectionPostProcess) -> Detect:
    """The instruction. ``scale`` is given, as the check has seen."""
    height, width, across, down = primitive.scale or ()
    regular = primitive.use_regular_nms
    return Detect(
        scale=(height, width, across, down),
        overlap=primitive.nms_iou_threshold,
        least_score=primitive.nms_score_threshold,
        boxes_kept=primitive.max_detections,
        classes=primitive.num_classes,
        classes_per_box=1 if regular else min(primitive.max_classes_per_detection, primitive.num_classes),
        kept_per_class=primitive.detections_per_class if regular else 0,
        rows=rows_of(primitive),
    )


def rows_of(primitive: DetectionPostProcess) -> int:
    """Rows of each output but the last."""
    return primitive.max_detections * primitive.max_classes_per_detection


def lower_detection_post_process(kernel: Kernel, builder: Builder) -> None:
    """Emits the detection, then a slice and a view for each output."""
    instruction = detection_of(primitive_of(kernel, DetectionPostProcess))
    rows = instruction.rows
    operands = [builder.read(required(kernel, position)) for position in range(3)]
    found = builder.emit(instruction, operands, (rows + 1, ROW))
    for out, (first, count) in zip(kernel.outputs, (CORNERS, CLASS, SCORE), strict=False):
        _slice(builder, out, found, Slice((0, first), (rows, count), (1, 1)))
    _slice(builder, kernel.outputs[3], found, Slice((rows, 0), (1, 1), (1, 1)))


def _slice(builder: Builder, out: Tensor, found: int, part: Slice) -> None:
    builder.define(out, View(shape_of(out)), [builder.emit(part, [found], part.counts)])


OPERATOR = NpuOperator(
    "DetectionPostProcess",
    check_detection_post_process,
    lower_detection_post_process,
    takes="real",
    condition=(
        "with four outputs, with both ways of suppression, for classes and rows that the device's "
        "real numbers count exactly (2048 in float16)"
    ),
    limits=("detection_plain",),
)
