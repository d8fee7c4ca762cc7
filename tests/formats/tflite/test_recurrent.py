"""The LSTM over a sequence, imported and run, against LiteRT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite_delegate.formats.tflite import read_tflite_buffer
from tests.formats.customs import assert_custom
from tests.formats.tflite.models import T, check, const, floats, out, single

LSTM_SHAPES = {"batch": 2, "steps": 5, "inputs": 3, "units": 4}


def lstm_inputs(time_major: bool) -> list[T | None]:
    batch, steps, features, units = LSTM_SHAPES.values()
    x = floats(1, steps, batch, features) if time_major else floats(1, batch, steps, features)
    weights = [const(floats(10 + i, units, features).data) for i in range(4)]
    states = [const(floats(20 + i, units, units).data) for i in range(4)]
    biases = [const(floats(30 + i, units).data) for i in range(4)]
    state = [T(dtype="float32", shape=(batch, units), variable=True) for _ in range(2)]
    return [x, *weights, *states, None, None, None, *biases, None, None, *state, None, None, None, None]


@pytest.mark.parametrize("time_major", [False, True])
def test_lstm(time_major: bool) -> None:
    check(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        lstm_inputs(time_major),
        table="UnidirectionalSequenceLSTMOptions",
        fusedActivationFunction=4,
        timeMajor=time_major,
        atol=1e-5,
    )


def test_lstms_of_other_kinds_are_rejected() -> None:
    table, peephole = "UnidirectionalSequenceLSTMOptions", lstm_inputs(False)
    peephole[9] = const(np.ones(4, np.float32))
    cases: list[tuple[list[T | None], dict[str, Any], str]] = [
        (peephole, {"fusedActivationFunction": 4}, r"peephole weights \(input 9\), which LSTM lacks"),
        (lstm_inputs(False), {"fusedActivationFunction": 1}, "the activation must be TANH, found RELU"),
        (lstm_inputs(False), {"fusedActivationFunction": 4, "cellClip": 2.0}, "cell_clip must be 0, found 2.0"),
    ]
    for inputs, options, message in cases:
        assert_custom(
            read_tflite_buffer(single("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, [out()], table, **options)), message
        )
