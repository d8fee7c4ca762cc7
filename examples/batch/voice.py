"""What Silero's voice detector takes and gives: windows of a clip, and a probability of speech for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

WINDOW, CONTEXT, RATE = 512, 64, 16_000
"""Samples of a window, samples before it that the model reads with it, and samples a second."""
SPEECH = 0.5
"""The least probability that counts as speech."""


def windows(row: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The windows ``(T, 576)`` of a clip."""
    samples = np.asarray(row["samples"], np.float32)
    count = len(samples) // WINDOW
    padded = np.concatenate([np.zeros(CONTEXT, np.float32), samples[: count * WINDOW]])
    views = np.lib.stride_tricks.sliding_window_view(padded, WINDOW + CONTEXT)
    return np.ascontiguousarray(views[::WINDOW])


def speech(outputs: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, float]:
    """The seconds of speech, by the probabilities ``(T,)``."""
    is_speech = outputs["speech_probs"] > SPEECH
    return {"seconds_found": float(is_speech.sum() * WINDOW / RATE)}


speech.columns = {"seconds_found": "float64"}  # type: ignore[attr-defined]
