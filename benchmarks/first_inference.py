"""First inference of a process: import, read or compile, first prediction; with nothing kept (FEIL), and with (FIL).

python benchmarks/first_inference.py MODEL.onnx ... [--runs N] [--peer-python PATH]

Each figure is the median wall-clock time of whole processes, started one after the other, ours and the peers' in turn.
The first processes of each, which are not counted, may compile Python's modules, as installing a package does.
Peers are what the interpreter of ``--peer-python`` has: ONNX Runtime with its optimized model, OpenVINO with its cache.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tabulate import tabulate

from benchmarks.guarded import Failures

THREADS = "its own"
"""Nobody is told a number."""
UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_CORETYPE")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}
OURS = """
import sys, numpy as np
from lite_delegate import CacheOptions, Context, Model
model, kept, way, device = sys.argv[1:]
context = Context()
if device == "npu":
    from lite_delegate.npu import NPUDelegate
    context.set_delegate(NPUDelegate())
if way == "cache":
    context.cache = CacheOptions(kept)
built = Model()
built.build_from_file(kept if way == "file" else model, context=context)
if way == "export":
    built.export(kept)
(port,) = built.get_inputs()
built.predict([np.zeros([max(n, 1) for n in port.shape], np.float32)])
"""
ONNX_RUNTIME = """
import sys, numpy as np, onnxruntime as ort
model, kept, way, device = sys.argv[1:]
options = ort.SessionOptions()
options.log_severity_level = 3
if way == "export":
    options.optimized_model_filepath = kept
if way == "file":
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
session = ort.InferenceSession(kept if way == "file" else model, options, providers=["CPUExecutionProvider"])
(port,) = session.get_inputs()
shape = [n if isinstance(n, int) else 1 for n in port.shape]
session.run(None, {port.name: np.zeros(shape, np.float32)})
"""
OPENVINO = """
import sys, numpy as np, openvino as ov
model, kept, way, device = sys.argv[1:]
core = ov.Core()
if way == "cache":
    core.set_property({"CACHE_DIR": kept})
compiled = core.compile_model(model, "CPU")
shape = [n.get_length() if n.is_static else 1 for n in compiled.input(0).get_partial_shape()]
compiled(np.zeros(shape, np.float32))
"""


@dataclass(frozen=True)
class Runtime:
    """A runtime in a process: its code, its interpreter, how it keeps what it compiled, and what runs in which type."""

    code: str
    python: str
    keeps: str
    device: str = "cpu"
    precision: str = "float32"

    def seconds(self, model: Path, kept: Path, way: str) -> float:
        """The wall-clock time of one process."""
        command = [self.python, "-c", self.code, str(model), str(kept), way, self.device]
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
        return time.perf_counter() - started


def runtimes(peer_python: str) -> dict[str, Runtime]:
    """The installed runtimes, by name."""
    found = {
        "lite_delegate cpu, file": Runtime(OURS, sys.executable, "file"),
        "lite_delegate cpu, cache": Runtime(OURS, sys.executable, "cache"),
        "lite_delegate npu, file": Runtime(OURS, sys.executable, "file", "npu", "float16"),
    }
    for name, package, peer in (
        ("ONNX Runtime, optimized model", "onnxruntime", Runtime(ONNX_RUNTIME, peer_python, "file")),
        ("OpenVINO, cache", "openvino", Runtime(OPENVINO, peer_python, "cache", precision="its own")),
    ):
        if subprocess.run([peer_python, "-c", f"import {package}"], capture_output=True).returncode == 0:
            found[name] = peer
    return found


def measure(model: Path, known: Mapping[str, Runtime], runs: int) -> list[tuple[object, ...]]:
    """A row for each runtime: first-ever and first inference in seconds, and the second over the best peer's."""
    first_ever: dict[str, list[float]] = {name: [] for name in known}
    first: dict[str, list[float]] = {name: [] for name in known}
    with tempfile.TemporaryDirectory() as folder:
        kept = {name: Path(folder) / f"kept{i}{model.suffix}" for i, name in enumerate(known)}
        for name, each in known.items():
            each.seconds(model, kept[name], "export" if each.keeps == "file" else "cache")
            each.seconds(model, kept[name], each.keeps)
        for _ in range(runs):
            for name, each in known.items():
                first_ever[name].append(each.seconds(model, kept[name], "none"))
                first[name].append(each.seconds(model, kept[name], each.keeps))
    medians = {name: statistics.median(first[name]) for name in known}
    peers = [medians[name] for name in known if not name.startswith("lite_delegate")]
    best = min(peers) if peers else float("nan")
    rows: list[tuple[object, ...]] = []
    for name, each in known.items():
        figures = statistics.median(first_ever[name]), medians[name], medians[name] / best
        rows.append((model.stem, name, each.precision, THREADS, *figures, each.device.upper()))
    return rows


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer-python", default=sys.executable)
    arguments = parser.parse_args()
    known, failures, rows = runtimes(arguments.peer_python), Failures(), []
    for model in arguments.models:
        rows += failures.rows([model.stem], partial(measure, model, known, arguments.runs))
    heads = ("model", "runtime", "precision", "threads", "FEIL s", "FIL s", "FIL over best peer", "ran on")
    print(tabulate(rows, heads, floatfmt=".3f"))
    failures.exit()


if __name__ == "__main__":
    main()
