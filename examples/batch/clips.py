"""Puts spoken letters between noise, as clips in a Parquet file, and downloads the model that finds speech."""

from __future__ import annotations

import argparse
import random
import wave
from io import BytesIO
from pathlib import Path
from typing import Any

import captcha
import numpy as np
import pyarrow as pa
from packages import fetch
from pyarrow import parquet

RATE = 16_000
"""Samples a second of the clips."""
SECONDS = 4
NOISE = 0.004
"""The amplitude of the noise; speech has up to 1."""


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=500)
    asked = parser.parse_args()
    fetch("silero-vad==6.2.3", ["silero_vad/data/silero_vad_16k_sequence.onnx"], Path())
    np.save("zeros.npy", np.zeros((1, 1, 128), np.float32))
    voices = sorted((Path(captcha.__file__).parent / "data").glob("[0-9A-Z]/*.wav"))
    chosen, noise = random.Random(0), np.random.default_rng(0)
    rows = [_clip(chosen, noise, voices) for _ in range(asked.count)]
    parquet.write_table(pa.Table.from_pylist(rows), asked.file, row_group_size=100)


def _clip(chosen: random.Random, noise: np.random.Generator, voices: list[Path]) -> dict[str, Any]:
    samples = noise.normal(0, NOISE, SECONDS * RATE).astype(np.float32)
    spoken = 0
    letters = chosen.sample(voices, chosen.randint(0, 3))
    for number, path in enumerate(letters):
        sound = _sound(path)
        start = int((number + 0.2) * RATE)
        samples[start : start + len(sound)] += sound
        spoken += len(sound)
    text = "".join(path.parent.name for path in letters)
    return {"letters": text, "seconds_spoken": spoken / RATE, "samples": samples}


def _sound(path: Path) -> np.ndarray[Any, Any]:
    """A recording of 8 bits at 8 kHz, at the rate of the clips, from -1 to 1."""
    with wave.open(BytesIO(path.read_bytes())) as file:
        rate, raw = file.getframerate(), file.readframes(file.getnframes())
    sound = np.frombuffer(raw, np.uint8).astype(np.float32) / 128 - 1
    times = np.arange(int(len(sound) * RATE / rate)) * rate / RATE
    return np.interp(times, np.arange(len(sound)), sound).astype(np.float32)


if __name__ == "__main__":
    main()
