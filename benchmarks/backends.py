"""Models through our delegates of real runtimes, against these runtimes alone, in one run.

Run: python benchmarks/backends.py MODEL.onnx ... [--threads N] [--rounds N]

Every runtime gets the same .onnx file, the same number of threads and float32. "Off" is the distance of the results
from those of ONNX Runtime without any optimization, relative, as root of mean squares: quantized models (QDQ) differ
by steps of their quantization, and native 8-bit kernels of processors without VNNI overflow. Runtimes run in turns;
before a turn comes a rest, in which the others' threads stop waiting for work, and a call that is not measured.
Ratios are of the shortest calls, which other work on the machine disturbs least. "Over native" is a delegate's time
over that of its own runtime; "over best" that of all the peers'. Runtimes that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tabulate import tabulate

from benchmarks.models import take_turns
from lite_delegate import Context, Delegate, Model, PartitionOptions
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate

Array = np.ndarray[Any, Any]
Feeds = Mapping[str, Array]
Call = Callable[[], list[Array]]
MOST_OFF = {False: 1e-3, True: 0.1}
"""How far ours may be off, by whether the model is quantized."""


def native_onnx_runtime(path: Path, feeds: Feeds, threads: int) -> Call:
    """ONNX Runtime with the file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return lambda: list(session.run(None, dict(feeds)))


def native_openvino(path: Path, feeds: Feeds, threads: int) -> Call:
    """OpenVINO with the file."""
    import openvino

    config = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    core = openvino.Core()
    model = core.read_model(str(path))
    model.reshape({name: list(array.shape) for name, array in feeds.items()})
    request = core.compile_model(model, "CPU", config).create_infer_request()

    def call() -> list[Array]:
        return list(request.infer(feeds, share_inputs=True, share_outputs=True).values())

    return call


def ours(delegates: Sequence[Delegate], path: Path, feeds: Feeds, threads: int) -> tuple[Call, str]:
    """A request of ours, and where its nodes run; of several delegates with the plan that is measured to be fastest."""
    context = Context()
    context.cpu.thread_num = threads
    context.set_delegates(delegates)
    if len(delegates) > 1:
        context.partition = PartitionOptions(placement="fastest")
    model = Model()
    model.build_from_file(path, context=context)
    nodes = model.get_partition().nodes
    left = sum(not node.subgraph for node in nodes)
    request = model.compiled.create_infer_request()
    arrays = dict(feeds)
    where = f"{model.get_partition().delegate}: {left} of {len(nodes)} on the host"
    return lambda: [np.asarray(each) for each in request.infer(arrays)], where


def feeds_of(path: Path) -> dict[str, Array]:
    """Random inputs; open dimensions are 1, integers 0."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    feeds: dict[str, Array] = {}
    for each in session.get_inputs():
        shape = [n if isinstance(n, int) else 1 for n in each.shape]
        is_float = each.type == "tensor(float)"
        feeds[each.name] = rng.standard_normal(shape, np.float32) if is_float else np.zeros(shape, np.int64)
    return feeds


def reference(path: Path, feeds: Feeds) -> list[Array]:
    """What ONNX Runtime gives when it changes nothing of the file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return list(session.run(None, dict(feeds)))


def distance(found: Array, exact: Array) -> float:
    """Root of the mean square of the difference, relative to that of the exact result."""
    difference = np.sqrt(np.mean(np.square(found.astype(np.float64) - exact)))
    return float(difference / max(np.sqrt(np.mean(np.square(exact.astype(np.float64)))), np.finfo(np.float32).tiny))


def is_quantized(path: Path) -> bool:
    """Whether a model has quantized tensors."""
    return any(node.op_type == "DequantizeLinear" for node in onnx.load(path, load_external_data=False).graph.node)


def compare(path: Path, arguments: argparse.Namespace) -> list[list[Any]]:
    """Rows of the table: one for each runtime."""
    feeds, threads = feeds_of(path), arguments.threads
    calls: dict[str, Call] = {"ONNX Runtime": native_onnx_runtime(path, feeds, threads)}
    notes = {"ONNX Runtime": ""}
    native = {"ours, onnxruntime": "ONNX Runtime", "ours, openvino": "OpenVINO"}
    delegates: dict[str, Delegate | None] = {
        "ours, host": None,
        "ours, onnxruntime": OnnxRuntimeDelegate(threads=threads),
    }
    if importlib.util.find_spec("openvino") is not None:
        calls["OpenVINO"], notes["OpenVINO"] = native_openvino(path, feeds, threads), ""
        delegates["ours, openvino"] = OpenVINODelegate(threads=threads)
    peers = list(calls)
    exact = reference(path, feeds)
    sets = {name: [] if each is None else [each] for name, each in delegates.items()}
    sets["ours, fastest"] = [each for each in delegates.values() if each is not None]
    for name, several in sets.items():
        started = time.perf_counter()
        calls[name], notes[name] = ours(several, path, feeds, threads)
        notes[name] += f", built in {time.perf_counter() - started:.2f} s"
    off = {name: max(map(distance, call(), exact)) for name, call in calls.items()}
    for name in sets:
        if off[name] > MOST_OFF[is_quantized(path)]:
            raise SystemExit(f"{path.name}: {name} is {off[name]:.2g} off")
    taken = take_turns(list(calls.values()), arguments.rounds)
    shortest = {name: 1e3 * min(times) for name, times in zip(calls, taken, strict=True)}
    best = min(shortest[name] for name in peers)
    return [
        [
            path.stem,
            name,
            shortest[name],
            shortest[name] / shortest[native[name]] if name in native else None,
            shortest[name] / best,
            f"{off[name]:.0e}",
            notes[name],
        ]
        for name in calls
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Models through delegates of real runtimes, against these alone.")
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    headers = ("model", "runtime", "ms", "over native", "over best", "off", "")
    for path in arguments.models:
        print(tabulate(compare(path, arguments), headers, floatfmt=("", "", ".2f", ".3f", ".3f", "", "")), flush=True)


if __name__ == "__main__":
    main()
