"""Detections: boxes decoded from their anchors, then non-maximum suppression."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

from ....basics.data_class import dataclass
from ..programs.instruction import Array, Instruction, Shape, Work, widen
from ..programs.shapes import unfit

ROW = 6
"""Values of a row of the result: ymin, xmin, ymax, xmax, class, score."""
PASSES = 16
"""Element operations to decode a box, and to compare two."""


@dataclass(frozen=True, slots=True)
class Detect(Instruction):
    """The detections of one image in rows of (ymin, xmin, ymax, xmax, class, score), best first, then zeros.

    Operands: boxes (1, N, 4), scores (1, N, C), of which the last ``classes`` count, anchors (N, 4). The result is
    (``rows`` + 1, 6); its last row begins with the number of rows that are in use.

    A box (dy, dx, dh, dw) on the anchor (y, x, h, w) has the center ``dy / ys * h + y`` and the height
    ``exp(dh / hs) * h``, and likewise across. Of equal scores the lower index comes first.

    Attributes:
        scale: (hs, ws, xs, ys).
        overlap: a box goes whose intersection over union with a better one is above it.
        least_score: scores below it do not take part.
        boxes_kept: boxes at most.
        classes: without background.
        classes_per_box: how many classes each box is given with; 1 where ``kept_per_class`` is not 0.
        kept_per_class: boxes at most of each class, each class suppressed by itself; 0: all boxes are suppressed
            together, each by the score of its best class.
        rows: rows of the result before the last one, at least as many as are in use.
    """

    arity: ClassVar[Collection[int]] = (3,)
    reads_format: ClassVar[bool] = False
    scale: tuple[float, float, float, float]
    overlap: float
    least_score: float
    boxes_kept: int
    classes: int
    classes_per_box: int
    kept_per_class: int
    rows: int

    def run(self, operands: Sequence[Array]) -> Array:
        boxes, scores, anchors = map(widen, operands)
        corners = self._corners(boxes[0], anchors)
        per_class = scores[0][:, scores.shape[2] - self.classes :]
        found = self._of_each_class(corners, per_class) if self.kept_per_class else self._of_all(corners, per_class)
        result = np.zeros((self.rows + 1, ROW), np.float32)
        for row, (box, class_) in enumerate(found):
            result[row] = (*corners[box], class_, per_class[box, class_])
        result[-1, 0] = len(found)
        return result

    def result_shape(self, operands: Sequence[Shape]) -> Shape:
        boxes, scores, anchors = operands
        fit = len(boxes) == len(scores) == 3 and boxes == (1, *anchors) and anchors[1:] == (4,)
        if not fit or scores[:2] != boxes[:2] or not 1 <= self.classes <= scores[2] or self.rows < 0:
            raise unfit(f"boxes (1, N, 4), scores (1, N, {self.classes} or more) and anchors (N, 4)", tuple(operands))
        return (self.rows + 1, ROW)

    def work(self, operands: Sequence[Shape], output: Shape) -> Work:
        count, classes = operands[1][1], operands[1][2]
        kept = self.kept_per_class * self.classes if self.kept_per_class else self.boxes_kept
        sorting = math.ceil(math.log2(max(count, 2)))
        return Work(vector=count * (PASSES * (1 + kept) + classes * sorting))

    def _corners(self, boxes: Array, anchors: Array) -> Array:
        """(N, 4): ymin, xmin, ymax, xmax."""
        height, width, across, down = map(np.float32, self.scale)
        middle = boxes[:, :2] / np.array([down, across]) * anchors[:, 2:] + anchors[:, :2]
        half = np.exp(boxes[:, 2:] / np.array([height, width])) * anchors[:, 2:] / np.float32(2.0)
        return np.concatenate([middle - half, middle + half], axis=1)

    def _of_each_class(self, corners: Array, scores: Array) -> list[tuple[int, int]]:
        kept = [
            (box, class_)
            for class_ in range(self.classes)
            for box in self._suppressed(corners, scores[:, class_], self.kept_per_class)
        ]
        kept.sort(key=lambda found: -scores[found])  # stable: of equal scores the lower class stays first
        return kept[: self.boxes_kept]

    def _of_all(self, corners: Array, scores: Array) -> list[tuple[int, int]]:
        kept = self._suppressed(corners, scores.max(axis=1), self.boxes_kept)
        best = np.argsort(-scores, axis=1, kind="stable")[:, : self.classes_per_box]
        return [(box, int(class_)) for box in kept for class_ in best[box]]

    def _suppressed(self, corners: Array, scores: Array, limit: int) -> list[int]:
        """The boxes that stay, best first: each box removes the later boxes that overlap it too much."""
        order = np.argsort(-scores, kind="stable")
        left = order[scores[order] >= np.float32(self.least_score)]
        kept: list[int] = []
        while left.size and len(kept) < limit:
            kept.append(int(left[0]))
            left = left[1:][~(overlaps(corners[left[0]], corners[left[1:]]) > np.float32(self.overlap))]
        return kept


def overlaps(box: Array, others: Array) -> Array:
    """Intersection over union of ``box`` (4,) with each box of ``others`` (N, 4): (N,); 0 where a box has no area."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), axis=1)
    area, areas = np.prod(box[2:] - box[:2]), np.prod(others[:, 2:] - others[:, :2], axis=1)
    covered = area + areas - shared
    solid = (area > 0) & (areas > 0)
    return np.asarray(np.divide(shared, covered, out=np.zeros_like(shared), where=solid))
