"""Draws captchas of digits, whose names are their texts, and downloads the model that reads them."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from captcha.image import ImageCaptcha
from packages import fetch

DIGITS = "0123456789"


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=500)
    asked = parser.parse_args()
    fetch("ddddocr==1.6.1", ["ddddocr/common_old.onnx", "ddddocr/charsets.py"], asked.folder)
    chosen, draw = random.Random(0), ImageCaptcha()
    for number in range(asked.count):
        text = "".join(chosen.choices(DIGITS, k=4))
        draw.write(text, str(asked.folder / f"{number:06d}-{text}.png"))


if __name__ == "__main__":
    main()
