"""Models of which one backend rejects some nodes: placed by measured gain, by support, and by ONNX Runtime's providers.

Run: python benchmarks/mixed.py MODEL.onnx ... [--type HardSwish] [--count N] [--threads N] [--rounds N]

Our delegate of OpenVINO is told to reject the first N nodes of a type; that of ONNX Runtime takes everything. "By
support" is what most frameworks do: OpenVINO gets all that it claims, ONNX Runtime the rest. Where the package has
ONNX Runtime's OpenVINO provider (``onnxruntime-openvino`` in place of ``onnxruntime``), it is measured too: in its file
these nodes are FastGelu of about the same cost, which that provider does not take. OpenVINO's HETERO needs a second
device of OpenVINO for what the first rejects: it is left out where there is only the CPU.

All get two threads by default and run in turns, as in ``benchmarks/backends.py``; ratios are of the shortest calls.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper
from tabulate import tabulate

from benchmarks.backends import Call, Feeds, feeds_of, native_onnx_runtime
from benchmarks.models import take_turns
from lite_delegate import Context, Delegate, Kernel, Model, PartitionOptions, RejectCode, Rejected
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.delegate import SupportResult

PROVIDER = "OpenVINOExecutionProvider"


class Rejecting(OpenVINODelegate):
    """OpenVINO without some nodes of the file."""

    def __init__(self, threads: int, names: frozenset[str]) -> None:
        super().__init__(threads=threads)
        self._names = names

    def supports(self, kernel: Kernel) -> SupportResult:
        """OpenVINO's answer, but for these nodes."""
        if any(source.name in self._names for source in kernel.sources):
            return Rejected(RejectCode.POLICY, "rejected for the sake of the benchmark")
        return super().supports(kernel)


def rejected_names(path: Path, op_type: str, count: int) -> frozenset[str]:
    """The names of the first nodes of a type."""
    nodes = [node for node in onnx.load(path, load_external_data=False).graph.node if node.op_type == op_type]
    return frozenset(node.name for node in nodes[:count])


def ours(delegates: Sequence[Delegate], placement: str, path: Path, feeds: Feeds, threads: int) -> tuple[Call, str]:
    """A request of ours, and where its nodes run."""
    context = Context()
    context.cpu.thread_num = threads
    context.set_delegates(delegates)
    context.partition = PartitionOptions(placement=placement)
    model, started = Model(), time.perf_counter()
    model.build_from_file(path, context=context)
    seconds = time.perf_counter() - started
    record = model.get_partition()
    request, arrays = model.compiled.create_infer_request(), dict(feeds)
    where = f"{record.delegate}, {len(record.subgraphs)} subgraphs, built in {seconds:.2f} s"
    for each in record.alternatives:
        took = each.reason or f"{(each.measured_us or 0) / 1e3:.2f} ms"
        where += f"\n  {each.plan}: {took}{' (chosen)' if each.chosen else ''}"
    return lambda: [np.asarray(each) for each in request.infer(arrays)], where


def with_provider(path: Path, names: frozenset[str], feeds: Feeds, threads: int) -> Call:
    """ONNX Runtime with its OpenVINO provider, and FastGelu in place of what that is to reject."""
    import onnxruntime

    model = onnx.load(path)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    for node in model.graph.node:
        if node.name in names:
            node.op_type, node.domain = "FastGelu", "com.microsoft"
            del node.attribute[:]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    wanted = [(PROVIDER, {"device_type": "CPU", "num_of_threads": str(threads)}), "CPUExecutionProvider"]
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "model.onnx"
        onnx.save(model, written)
        session = onnxruntime.InferenceSession(str(written), options, providers=wanted)
    return lambda: list(session.run(None, dict(feeds)))


def peers_of(path: Path, names: frozenset[str], feeds: Feeds, threads: int) -> tuple[dict[str, Call], list[str]]:
    """The peers that there are, and why there are no others."""
    import onnxruntime
    import openvino

    peers, missing = {"ONNX Runtime": native_onnx_runtime(path, feeds, threads)}, []
    if PROVIDER in onnxruntime.get_available_providers():
        peers["ONNX Runtime, OpenVINO provider"] = with_provider(path, names, feeds, threads)
    else:
        missing.append("ONNX Runtime has no OpenVINO provider here")
    if len(openvino.Core().available_devices) < 2:
        missing.append("OpenVINO has one device here, so HETERO has none for what it rejects")
    return peers, missing


def compare(path: Path, arguments: argparse.Namespace) -> list[list[Any]]:
    """Rows of the table."""
    threads, feeds = arguments.threads, feeds_of(path)
    names = rejected_names(path, arguments.type, arguments.count)
    calls, missing = peers_of(path, names, feeds, threads)
    peers, notes = list(calls), dict.fromkeys(calls, "")
    print(f"{path.stem}: OpenVINO rejects {len(names)} {arguments.type}. {'; '.join(missing)}")
    wanted = calls["ONNX Runtime"]()

    def runtime() -> Delegate:
        return OnnxRuntimeDelegate(threads=threads)

    sets: dict[str, Callable[[], tuple[list[Delegate], str]]] = {
        "ours, onnxruntime": lambda: ([runtime()], "count"),
        "ours, openvino and the host": lambda: ([Rejecting(threads, names)], "count"),
        "ours, openvino and the host, fastest": lambda: ([Rejecting(threads, names)], "fastest"),
        "ours, by support": lambda: ([Rejecting(threads, names), runtime()], "count"),
        "ours, fastest": lambda: ([runtime(), Rejecting(threads, names)], "fastest"),
    }
    for name, made in sets.items():
        calls[name], notes[name] = ours(*made(), path, feeds, threads)
        for found, array in zip(calls[name](), wanted, strict=True):
            np.testing.assert_allclose(found, array, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(array).max())))
    taken = take_turns(list(calls.values()), arguments.rounds)
    shortest = {name: 1e3 * min(times) for name, times in zip(calls, taken, strict=True)}
    by_support = shortest[peers[-1]] if len(peers) > 1 else shortest["ours, by support"]
    best = min(shortest[name] for name in peers)
    return [[n, ms, ms / by_support, ms / best, notes[n]] for n, ms in shortest.items()]


def main() -> None:
    """Prints a table for each model."""
    parser = argparse.ArgumentParser(description="Models of which one backend rejects some nodes.")
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL.onnx")
    parser.add_argument("--type", default="HardSwish")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    headers = ("runtime", "ms", "over by support", "over best peer", "")
    for path in arguments.models:
        print(tabulate(compare(path, arguments), headers, floatfmt=("", ".2f", ".3f", ".3f", "")), flush=True)


if __name__ == "__main__":
    main()
