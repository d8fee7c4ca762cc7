"""ComparedModel: the distances between the outputs of two models, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from lite_delegate_kernels import Array

from ...basics.data_class import dataclass
from ...errors import InputError
from ...inference.tensors.port import Port
from ...numerics.errors import snr_db
from ..parts.output_columns import OutputColumn
from .row_model import RowModel

DISTANCES = ("max_abs", "rms", "snr_db")
"""The distances of each output: the largest absolute difference, the root of the mean square of differences, and the
signal-to-noise ratio in dB, 20 log10(|want| / |got - want|)."""
BEST, WANTED_BEST = "best", "reference_best"
"""The best class of an output, by both models."""


@dataclass(frozen=True, slots=True)
class ComparedOutput:
    """An output whose distances are computed.

    Attributes:
        index: of the output.
        name: of the output.
        has_classes: whether a row is a list of scores, of which the best is a class.
    """

    index: int
    name: str
    has_classes: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        best = (BEST, WANTED_BEST) if self.has_classes else ()
        return tuple(f"{self.name}.{each}" for each in (*DISTANCES, *best))


def compared_outputs(ports: Sequence[Port], rows: int) -> tuple[ComparedOutput, ...]:
    """The outputs of numbers. One axis of 2 or more real numbers for a row are scores of classes.

    Raises:
        InputError: the model has no such outputs.
    """
    found = tuple(
        ComparedOutput(port.index, port.name, _has_classes(port, rows))
        for port in ports
        if port.element is not None and port.element.kind in "biuf"
    )
    if not found:
        raise InputError("The model has no outputs of numbers that could be compared.")
    return found


def _has_classes(port: Port, rows: int) -> bool:
    extents = port.extents or ()
    row = extents[1:] if extents and extents[0] == rows else extents
    long = [size for size in row if size > 1]
    return len(long) == 1 and port.element is not None and port.element.kind == "f"


def compared_columns(outputs: Sequence[ComparedOutput]) -> tuple[OutputColumn, ...]:
    """The columns of the distances."""
    names = [name for output in outputs for name in output.columns]
    kinds = [np.int64 if name.endswith((f".{BEST}", f".{WANTED_BEST}")) else np.float64 for name in names]
    return tuple(
        OutputColumn(index, name, np.dtype(kind), ())
        for index, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )


class ComparedModel:
    """The distances between the outputs of two models, row by row.

    Args:
        model: which is judged.
        reference: whose outputs are right.
        outputs: that are compared.
    """

    def __init__(self, model: RowModel, reference: RowModel, outputs: Sequence[ComparedOutput]) -> None:
        self._model, self._reference, self._outputs = model, reference, tuple(outputs)

    def run(self, arrays: Mapping[str, Array]) -> Sequence[Any]:
        """The distances of at most one batch of rows; the arguments are those of ``RowModel.run``.

        Raises:
            InputError: the outputs have different shapes.
            LiteDelegateError: one of the models cannot compute the rows.
        """
        got, want = self._model.run(arrays), self._reference.run(arrays)
        columns: list[Array] = []
        for output in self._outputs:
            pairs = list(zip(got[output.index], want[output.index], strict=True))
            columns += _columns(output, pairs)
        return columns


def _columns(output: ComparedOutput, pairs: Sequence[tuple[Any, Any]]) -> list[Array]:
    differing = next((pair for pair in pairs if np.shape(pair[0]) != np.shape(pair[1])), None)
    if differing is not None:
        shapes = " and ".join(str(list(np.shape(each))) for each in differing)
        raise InputError(f"Output '{output.name}' has shapes {shapes} on the delegate and on the reference.")
    distances = [row_distances(np.asarray(got), np.asarray(want)) for got, want in pairs]
    columns = [np.array([each[number] for each in distances], np.float64) for number in range(len(DISTANCES))]
    if output.has_classes:
        columns += [np.array([np.argmax(pair[side]) for pair in pairs], np.int64) for side in (0, 1)]
    return columns


def row_distances(got: Array, want: Array) -> tuple[float, float, float]:
    """``DISTANCES`` of a row. Numbers that are NaN or infinite in one of the two alone have an infinite distance.

    Args:
        got, want: of one shape.
    """
    if not want.size:
        return 0.0, 0.0, math.inf
    x, y = got.astype(np.float64).ravel(), want.astype(np.float64).ravel()
    with np.errstate(all="ignore"):
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        difference = np.where(same, 0.0, x - y)
        if not np.isfinite(difference).all():
            return math.inf, math.inf, -math.inf
        ratio = snr_db(x, y)
    return (
        float(np.abs(difference).max()),
        float(np.sqrt(np.square(difference).mean())),
        math.inf if ratio is None else ratio,
    )
