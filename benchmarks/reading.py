"""Reading a 100 MB ``.ms`` file: milliseconds, and how much resident memory it takes.

Each reading happens in a process of its own, with the file in the page cache. Run: python benchmarks/reading.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from lite_delegate import DataType
from lite_delegate.formats.ms import write_ms
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive

LAYERS, WIDTH = 100, 512
"""100 matrices of 512 x 512 float32: 105 MB."""
ROUNDS = 9
READ = """
import resource, sys, time
from pathlib import Path
from lite_delegate.formats.ms import read_ms
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
read_ms(sys.argv[2])
before = resident()
started = time.perf_counter()
graph = read_ms(sys.argv[1])
print((time.perf_counter() - started) * 1e3, (resident() - before) / 1e6)
"""


def layers(count: int, width: int) -> Graph:
    """A chain of matrix products."""
    x = Value("x", DataType.FLOAT32, (1, width))
    last, nodes = x, []
    for i in range(count):
        weight = constant(f"weight{i}", np.full((width, width), i, np.float32))
        y = Value(f"y{i}", DataType.FLOAT32, (1, width))
        nodes.append(Node(f"layer{i}", make_primitive("MatMulFusion", transpose_b=True), [last, weight], [y]))
        last = y
    return Graph("layers", [x], [last], nodes)


def main() -> None:
    """Prints the medians and the extremes."""
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.ms"), Path(folder, "small.ms")
        write_ms(layers(LAYERS, WIDTH), large)
        write_ms(layers(1, 1), small)  # read first, so that imports are not counted
        command = [sys.executable, "-c", READ, str(large), str(small)]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(ROUNDS)]
        milliseconds, megabytes = zip(*(map(float, run.split()) for run in runs), strict=True)
        print(f"file      {large.stat().st_size / 1e6:8.1f} MB")
    for name, values, unit in (("time", milliseconds, "ms"), ("memory", megabytes, "MB more resident")):
        median, low, high = statistics.median(values), min(values), max(values)
        print(f"{name:<9} {median:8.1f} {unit} (median of {ROUNDS}; {low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
