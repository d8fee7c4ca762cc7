"""Load of a model by real runtimes, alone and as delegates: seconds and peak memory of a process to its first result.

python benchmarks/load.py MODEL.onnx ... [--runs N] [--threads N]

Processes are started one after the other, each runtime's in turn; figures are medians. "load" counts from when all is
imported to when the model can run, "process" from the start of Python to the first result. "cached" is a later process
with a cache folder. The last columns are ours over the runtime alone, which loads without one. The first processes of
each, which are not counted, may compile Python's modules, as installing a package does. All compute in float32.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tabulate import tabulate

from benchmarks.guarded import Failures

UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}
FIGURES = "load", "process", "peak"
BEFORE = """
import json, os, resource, sys, time
import numpy as np
model, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
"""
AFTER = """
loaded = time.perf_counter()
run([np.zeros([n if isinstance(n, int) and n > 0 else 1 for n in shape], np.float32)])
ticks = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
process = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([where(), [loaded - start, process, peak]]))
"""
ONNX_RUNTIME = """
import onnxruntime as ort
start = time.perf_counter()
options = ort.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = threads, 3
session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
(port,) = session.get_inputs()
shape, run = port.shape, lambda given: session.run(None, {port.name: given[0]})
where = lambda: "CPU"
"""
OPENVINO = """
import openvino as ov
start = time.perf_counter()
hints = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads}
compiled = ov.Core().compile_model(model, "CPU", hints)
shape = [n.get_length() if n.is_static else 1 for n in compiled.input(0).get_partial_shape()]
run, where = compiled, lambda: ", ".join(compiled.get_property("EXECUTION_DEVICES"))
"""
OURS = """
import {package}
from lite_delegate import Core
start = time.perf_counter()
kept = {{"CACHE_DIR": folder}} if folder else {{}}
compiled = Core().compile_model(model, "{device}", {{"INFERENCE_NUM_THREADS": threads, **kept}})
shape, run = compiled.inputs[0].shape, compiled

def where():
    devices = [node.device for node in compiled.partition.nodes]
    return ", ".join(f"{{name}}: {{devices.count(name)}}" for name in dict.fromkeys(devices))
"""
PAIRS = {
    "ONNX Runtime": (ONNX_RUNTIME, OURS.format(package="onnxruntime", device="ONNXRUNTIME")),
    "OpenVINO": (OPENVINO, OURS.format(package="openvino", device="OPENVINO")),
}


@dataclass(frozen=True)
class Loader:
    """A way in which a process loads a model.

    Attributes:
        name: the name of the loader.
        code: the Python code of the loader.
        folder: the folder of its cache, "" without a cache.
    """

    name: str
    code: str
    folder: str = ""

    def figures(self, model: Path, threads: int) -> tuple[str, list[float]]:
        """Of one process: where nodes ran; seconds of the load and of the process, and MB."""
        command = [sys.executable, "-c", BEFORE + self.code + AFTER, str(model), str(threads), self.folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
        where, found = json.loads(done.stdout.splitlines()[-1])
        return where, found


def measure(model: Path, threads: int, runs: int) -> list[list[object]]:
    """A row for each loader: its figures, and ours over the runtime's."""
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (alone, ours)) in enumerate(PAIRS.items()):
            kept = str(Path(folder) / str(number))
            loaders = [Loader(name, alone), Loader("ours on it", ours), Loader("ours on it, cached", ours, kept)]
            wheres = [each.figures(model, threads)[0] for each in loaders]
            found: list[list[list[float]]] = [[] for _ in loaders]
            for _ in range(runs):
                for each, kept_figures in zip(loaders, found, strict=True):
                    kept_figures.append(each.figures(model, threads)[1])
            medians = [[statistics.median(column) for column in zip(*figures, strict=True)] for figures in found]
            rows += [
                [model.stem, each.name, "float32", threads, *own, *_over(own, medians[0]), where]
                for each, own, where in zip(loaders, medians, wheres, strict=True)
            ]
    return rows


def _over(own: Sequence[float], alone: Sequence[float]) -> list[float]:
    return [a / b for a, b in zip(own, alone, strict=True)]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    failures, rows = Failures(), []
    for model in arguments.models:
        measured = partial(measure, model, arguments.threads, arguments.runs)
        rows += failures.rows([model.stem], measured)
    heads = (
        "model",
        "runtime",
        "precision",
        "threads",
        "load s",
        "process s",
        "peak MB",
        *(f"{figure} over alone" for figure in FIGURES),
        "ran on",
    )
    formats = ("", "", "", "", ".3f", ".3f", ".0f", ".2f", ".2f", ".2f")
    print(tabulate(rows, heads, floatfmt=formats))
    failures.exit()


if __name__ == "__main__":
    main()
