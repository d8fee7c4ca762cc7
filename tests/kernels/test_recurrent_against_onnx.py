"""LSTM and GRU against ONNX Runtime, on single-node models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lite_delegate_kernels import Array

from tests.kernels.single_node import run, run_onnx

STEPS, BATCH, FEATURES, HIDDEN = 6, 3, 5, 4


def _weights(rng: np.random.Generator, directions: int, gates: int) -> list[Array]:
    shapes = [
        (directions, gates * HIDDEN, FEATURES),
        (directions, gates * HIDDEN, HIDDEN),
        (directions, 2 * gates * HIDDEN),
    ]
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _assert_close(ours: Any, theirs: list[Array]) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5, strict=True)


@pytest.mark.parametrize("directions", [1, 2])
def test_lstm(directions: int) -> None:
    rng = np.random.default_rng(directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 4)
    h0, c0 = rng.normal(size=(2, directions, BATCH, HIDDEN)).astype(np.float32)
    ours = run("LSTM", x, w, r, b, h0, c0, bidirectional=directions == 2, output_count=3)
    direction = "bidirectional" if directions == 2 else "forward"
    _assert_close(ours, run_onnx("LSTM", (x, w, r, b, None, h0, c0), 3, direction=direction, hidden_size=HIDDEN))


@pytest.mark.parametrize("directions", [1, 2])
def test_lstm_packed_for_a_cpu_is_the_same_operator(directions: int) -> None:
    rng = np.random.default_rng(10 + directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 4)
    h0, c0 = rng.normal(size=(2, directions, BATCH, HIDDEN)).astype(np.float32)

    def ifco(gates: Array) -> Array:
        i, o, f, c = np.split(gates, 4, axis=1)
        return np.concatenate([i, f, c, o], axis=1)

    summed = b[:, : 4 * HIDDEN] + b[:, 4 * HIDDEN :]
    packed = np.concatenate([ifco(part).ravel() for part in (w, r, summed)])
    y, h, c = run("LSTM", x, h0, c0, packed, bidirectional=directions == 2, output_count=3)
    direction = "bidirectional" if directions == 2 else "forward"
    theirs = run_onnx("LSTM", (x, w, r, b, None, h0, c0), 3, direction=direction, hidden_size=HIDDEN)
    theirs[0] = theirs[0].transpose(0, 2, 1, 3).reshape(STEPS, BATCH, directions * HIDDEN)
    _assert_close((y, h, c), theirs)


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("lengths", [None, (6, 6, 6), (1, 6, 3)])
def test_gru(directions: int, lengths: tuple[int, ...] | None) -> None:
    rng = np.random.default_rng(20 + directions)
    x = rng.normal(size=(STEPS, BATCH, FEATURES)).astype(np.float32)
    w, r, b = _weights(rng, directions, 3)
    h0 = rng.normal(size=(directions, BATCH, HIDDEN)).astype(np.float32)
    counts = None if lengths is None else np.array(lengths, dtype=np.int32)
    ours = run("GRU", x, w, r, b, h0, counts, bidirectional=directions == 2, output_count=2)
    direction = "bidirectional" if directions == 2 else "forward"
    _assert_close(ours, run_onnx("GRU", (x, w, r, b, counts, h0), 2, direction=direction, hidden_size=HIDDEN))
