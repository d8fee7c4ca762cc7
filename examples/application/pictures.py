"""Draws pictures of meters: five digits that people wrote, side by side. The name of a picture is its text."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from lite_delegate.demo import load_test_set

DIGITS = 5


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=40)
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    images, labels = load_test_set()
    chosen = np.random.default_rng(0)
    for number in range(asked.count):
        taken = chosen.choice(len(images), DIGITS, replace=False)
        gray = np.hstack([255 - np.round(images[each, :, :, 0] * 255) for each in taken]).astype(np.uint8)
        text = "".join(str(labels[each]) for each in taken)
        Image.fromarray(gray).save(asked.folder / f"{number:04d}-{text}.png")


if __name__ == "__main__":
    main()
