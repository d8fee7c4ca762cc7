"""LSTM and GRU: what they reject, and what is known of their outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import ArraySpec, KernelInputError

from tests.kernels.single_node import infer, run, spec, unranked

Shape = tuple[int, ...]


UNRANKED = unranked()
LSTM = [(3, 2, 5), (1, 16, 5), (1, 16, 4), (1, 32), (1, 2, 4), (1, 2, 4)]
PROJECTED = [(3, 2, 5), (1, 16, 5), (1, 16, 2), (1, 32), (1, 2, 2), (1, 2, 4), (1, 2, 4)]
PACKED = [(3, 2, 5), (1, 2, 4), (1, 2, 4), (160, 1, 1)]
GRU = [(3, 2, 5), (1, 12, 5), (1, 12, 4), (1, 24), (1, 2, 4)]


def _replaced(shapes: list[Shape], position: int, shape: Shape) -> list[ArraySpec]:
    return [spec(*(shape if i == position else s)) for i, s in enumerate(shapes)]


def _shapes(specs: Any) -> list[Shape | None]:
    return [s.shape for s in specs]


def test_lstm_with_unknown_dims() -> None:
    unknown = infer("LSTM", spec(-1, -1, 5), *_replaced(LSTM, 4, (1, -1, 4))[1:5], spec(1, -1, -1), output_count=3)
    assert _shapes(unknown) == [(-1, 1, -1, 4), (1, -1, 4), (1, -1, 4)]
    learnt = infer("LSTM", UNRANKED, *(spec(*s) for s in LSTM[1:]), output_count=3)
    assert _shapes(learnt) == [(-1, 1, 2, 4), (1, 2, 4), (1, 2, 4)]
    nothing = infer("LSTM", UNRANKED, *[UNRANKED] * 5, output_count=3, bidirectional=True)
    assert _shapes(nothing) == [(-1, 2, -1, -1), (2, -1, -1), (2, -1, -1)]


def test_lstm_learns_the_cell_from_the_projection() -> None:
    specs = infer("LSTM", spec(3, 2, 5), *[UNRANKED] * 5, spec(1, 2, 4), output_count=3)
    assert _shapes(specs) == [(3, 1, 2, 2), (1, 2, 2), (1, 2, 4)]


def test_packed_lstm_with_unknown_dims() -> None:
    specs = infer(
        "LSTM", spec(-1, 2, -1), spec(4, 2, 3), UNRANKED, UNRANKED, bidirectional=True, num_layers=2, output_count=3
    )
    assert _shapes(specs) == [(-1, 2, 6), (4, 2, 3), (4, 2, -1)]
    unknown = infer("LSTM", UNRANKED, UNRANKED, UNRANKED, spec(7), proj_size=3, output_count=3)
    assert _shapes(unknown) == [(-1, -1, 3), (1, -1, 3), (1, -1, -1)]


def test_trailing_absent_inputs_do_not_count() -> None:
    specs = infer("LSTM", *(spec(*s) for s in LSTM), None, output_count=2)
    assert _shapes(specs) == [(3, 1, 2, 4), (1, 2, 4)]


@pytest.mark.parametrize(
    ("shapes", "position", "shape", "message"),
    [
        (LSTM, 0, (3, 2), r"x must have shape \(\?, \?, \?\), got \(3, 2\)"),
        (LSTM, 1, (1, 16, 6), r"weight must have shape \(1, \?, 5\), got \(1, 16, 6\)"),
        (LSTM, 1, (2, 16, 5), r"weight must have shape \(1, \?, 5\), got \(2, 16, 5\)"),
        (LSTM, 1, (1, 18, 5), "weight must hold four gates, got 18 rows"),
        (LSTM, 2, (1, 16, 3), r"state weight must have shape \(1, 16, 4\), got \(1, 16, 3\)"),
        (LSTM, 3, (1, 16), r"bias must have shape \(1, 32\), got \(1, 16\)"),
        (LSTM, 4, (1, 3, 4), r"h0 must have shape \(1, 2, 4\), got \(1, 3, 4\)"),
        (LSTM, 4, (2, 3), r"h0 must have shape \(2, 4\), got \(2, 3\)"),
        (LSTM, 5, (1, 2, 5), r"c0 must have shape \(1, 2, 4\), got \(1, 2, 5\)"),
        (PROJECTED, 6, (1, 4, 2), r"projection must have shape \(1, 2, 4\), got \(1, 4, 2\)"),
        (PACKED, 1, (1, 2, 3), r"h0 must have shape \(1, 2, 4\), got \(1, 2, 3\)"),
        (PACKED, 2, (2, 2, 4), r"c0 must have shape \(1, 2, \?\), got \(2, 2, 4\)"),
        (PACKED, 3, (161,), "must hold 144 elements, or 160 or 176 with biases, got 161"),
    ],
)
def test_lstm_rejects_shapes(shapes: list[Shape], position: int, shape: Shape, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("LSTM", *_replaced(shapes, position, shape))


def test_lstm_rejects_other_numbers_of_inputs_and_outputs() -> None:
    specs = [spec(*s) for s in LSTM]
    with pytest.raises(KernelInputError, match="4, 6 or 7 inputs expected, got 5"):
        infer("LSTM", *specs[:5])
    with pytest.raises(KernelInputError, match="input 3 must be given"):
        infer("LSTM", *specs[:3], None, *specs[4:])
    with pytest.raises(KernelInputError, match="1 to 3 outputs expected, got 4"):
        infer("LSTM", *specs, output_count=4)
    with pytest.raises(KernelInputError, match="input 2 must be one of float32, float16, float64, got int32"):
        infer("LSTM", *specs[:2], spec(1, 16, 4, dtype="int32"), *specs[3:])


def test_gru_with_unknown_dims() -> None:
    known = [spec(*s) for s in GRU[1:]]
    assert _shapes(infer("GRU", spec(-1, -1, 5), *known, output_count=2)) == [(-1, 1, 2, 4), (1, 2, 4)]
    specs = infer("GRU", spec(7, -1, 5), *[UNRANKED] * 4, spec(3, dtype="int32"), bidirectional=True, output_count=2)
    assert _shapes(specs) == [(7, 2, 3, -1), (2, 3, -1)]


@pytest.mark.parametrize(
    ("position", "shape", "message"),
    [
        (0, (3, 2, 5, 1), r"x must have shape \(\?, \?, \?\), got \(3, 2, 5, 1\)"),
        (1, (1, 12, 4), r"weight must have shape \(1, \?, 5\), got \(1, 12, 4\)"),
        (1, (1, 16, 5), "weight must hold three gates, got 16 rows"),
        (2, (1, 12, 3), r"state weight must have shape \(1, 12, 4\), got \(1, 12, 3\)"),
        (3, (1, 12), r"bias must have shape \(1, 24\), got \(1, 12\)"),
        (4, (2, 4), r"h0 must have shape \(1, 2, 4\), got \(2, 4\)"),
    ],
)
def test_gru_rejects_shapes(position: int, shape: Shape, message: str) -> None:
    with pytest.raises(KernelInputError, match=message):
        infer("GRU", *_replaced(GRU, position, shape))


def test_gru_rejects_wrong_lengths() -> None:
    specs = [spec(*s) for s in GRU]
    with pytest.raises(KernelInputError, match=r"sequence_lengths must have shape \(2,\), got \(3,\)"):
        infer("GRU", *specs, spec(3, dtype="int32"))
    with pytest.raises(KernelInputError, match="sequence_lengths must be one of int32, int64, got float32"):
        infer("GRU", *specs, spec(2))
    with pytest.raises(KernelInputError, match="1 or 2 outputs expected, got 3"):
        infer("GRU", *specs, output_count=3)
    arrays = [np.zeros(s, dtype=np.float32) for s in GRU]
    for wrong in (-1, 4):
        with pytest.raises(KernelInputError, match=rf"sequence lengths must be in 0\.\.3, got {wrong}"):
            run("GRU", *arrays, np.array([1, wrong], dtype=np.int32))
