"""Reads a folder of pictures of meters, and says which readings a person should look at."""

from __future__ import annotations

import argparse
from pathlib import Path

from reader import MeterReader

SURE = 0.9
"""The least certainty of a reading that nobody has to look at."""


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="CPU")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the compiled model")
    asked = parser.parse_args()
    readings = list(MeterReader(asked.device, asked.cache).read(sorted(asked.folder.glob("*.png"))))
    for each in readings:
        if each.certainty < SURE:
            print(f"look at {each.picture.name}: {each.text}, certainty {each.certainty:.2f}")
    sure = [each for each in readings if each.certainty >= SURE]
    right = sum(each.picture.stem.endswith(f"-{each.text}") for each in sure)
    print(f"{len(readings)} pictures, {len(sure)} sure readings, {right} of them right")


if __name__ == "__main__":
    main()
