"""Compares the texts that were read with the names of the images."""

from __future__ import annotations

import sys
from pathlib import Path

from pyarrow import parquet


def main() -> None:
    """Reads the folder of parts that the command line names."""
    rows = parquet.read_table(sys.argv[1]).to_pylist()
    right = sum(Path(row["file"]).stem.split("-")[1] == row["text"] for row in rows)
    print(f"{right} of {len(rows)} texts are right")


if __name__ == "__main__":
    main()
