"""DetectionPostProcess: one instruction that computes one array, and slices of it."""

from __future__ import annotations

from ...delegate import Kernel
from ...ir.primitives import DetectionPostProcess
from ...tensor import Tensor
from ..device.detection import ROW, Detect
from ..device.movement import View
from ..device.slicing import Slice
from ..ir.builder import Builder
from ..ir.lowering import Lowering
from ..semantics.operands import primitive_of, required, shape_of

CORNERS, CLASS, SCORE = (0, 4), (4, 1), (5, 1)
"""Where values begin in a row, and how many there are."""


def detection_of(primitive: DetectionPostProcess) -> Detect:
    """The instruction. ``scale`` is given, as the support check has seen."""
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


LOWERING = Lowering("DetectionPostProcess", lower_detection_post_process)
