"""Models of which one backend rejects some nodes: placed by measured gain, by support, and by ONNX Runtime's providers.

Run: python benchmarks/mixed.py [MODEL ...] [--types HardSwish ...] [--count N] [--calibration-ms N] [--threads N]
[--rounds N]

A MODEL is an .onnx file or a network of ``benchmarks/zoo.py``. For each type of node that it has, our delegate of
OpenVINO is told to reject the first N; that of ONNX Runtime takes everything. "By support" is what most frameworks do:
OpenVINO gets all that it claims, ONNX Runtime the rest. Ratios are over that of ONNX Runtime's OpenVINO provider, where
there is one, else over ours by support; and over the quickest peer.

The provider is that of the package (``onnxruntime-openvino`` in place of ``onnxruntime``), or the plugin
``onnxruntime-ep-openvino`` where that finds a device; in its file these nodes are FastGelu of about the same cost,
which it does not take. OpenVINO's HETERO needs a second device for what the first rejects. Where there is only the
CPU, its row is the whole model, of which it rejects nothing: what HETERO itself takes, and no peer.

All get two threads by default and run in turns, as in ``benchmarks/backends.py``; ratios are of the shortest calls.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper
from tabulate import tabulate

from benchmarks.models import take_turns
from benchmarks.runtimes import Call, Feeds, native_onnx_runtime, native_openvino, ours
from benchmarks.zoo import NETWORKS, random_feeds, written
from lite_delegate import Delegate, Kernel, PartitionOptions, RejectCode, Rejected
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.delegate import SupportResult
from lite_delegate.report.summary import alternative_texts

PROVIDER = "OpenVINOExecutionProvider"
PLUGIN = "onnxruntime_ep_openvino"
ORT, WITH_PROVIDER, HETERO = "ONNX Runtime", "ONNX Runtime, OpenVINO provider", "OpenVINO, HETERO:CPU, all of it"
BY_SUPPORT, AUTO = "ours, by support", "ours, fastest"
MODELS = ("mobilenet_v3", "mobilenet_v2", "resnet50")
TYPES = ("HardSwish", "HardSigmoid", "Relu", "Clip")
"""Functions of each element, which FastGelu can stand for."""


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


def providers_options(threads: int) -> tuple[Any, list[Any]] | None:
    """Session options and providers with OpenVINO's; None where there is none that finds a device."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    if PROVIDER in onnxruntime.get_available_providers():
        given = {"device_type": "CPU", "num_of_threads": str(threads)}
        return options, [(PROVIDER, given), "CPUExecutionProvider"]
    if importlib.util.find_spec(PLUGIN) is None:
        return None
    known = [each.ep_name for each in onnxruntime.get_ep_devices()]
    if not any("OpenVINO" in name for name in known):
        onnxruntime.register_execution_provider_library(PLUGIN, importlib.import_module(PLUGIN).get_library_path())
    devices = [each for each in onnxruntime.get_ep_devices() if "OpenVINO" in each.ep_name]
    on_cpu = [each for each in devices if each.device.type == onnxruntime.OrtHardwareDeviceType.CPU]
    if not on_cpu:
        return None
    options.add_provider_for_devices(on_cpu[:1], {"num_of_threads": str(threads)})
    return options, []


def with_provider(path: Path, names: frozenset[str], feeds: Feeds, threads: int) -> Call | None:
    """ONNX Runtime with its OpenVINO provider, and FastGelu in place of what that is to reject; None without one."""
    import onnxruntime

    found = providers_options(threads)
    if found is None:
        return None
    options, providers = found
    model = onnx.load(path)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    for node in model.graph.node:
        if node.name in names:
            node.op_type, node.domain = "FastGelu", "com.microsoft"
            del node.attribute[:]
            del node.input[1:]  # bounds of Clip
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / "model.onnx"
        onnx.save(model, changed)
        more = {"providers": providers} if providers else {}
        session = onnxruntime.InferenceSession(str(changed), options, **more)
    return lambda: list(session.run(None, dict(feeds)))


def peers_of(path: Path, names: frozenset[str], feeds: Feeds, threads: int) -> tuple[dict[str, Call], list[str]]:
    """The peers that there are, and why there are no others."""
    import openvino

    peers, missing = {ORT: native_onnx_runtime(path, feeds, threads)}, []
    provider = with_provider(path, names, feeds, threads)
    if provider is None:
        missing.append("ONNX Runtime has no OpenVINO provider that finds a device here")
    else:
        peers[WITH_PROVIDER] = provider
    devices = openvino.Core().available_devices
    if len(devices) < 2:
        missing.append(f"OpenVINO has {', '.join(devices)} alone, so HETERO has no device for what that rejects")
    return peers, missing


def compare(path: Path, op_type: str, arguments: argparse.Namespace) -> tuple[list[list[Any]], list[Any]]:
    """Rows of the table, and the line of the summary."""
    threads, feeds = arguments.threads, random_feeds(path)
    names = rejected_names(path, op_type, arguments.count)
    calls, missing = peers_of(path, names, feeds, threads)
    peers, notes = list(calls), dict.fromkeys(calls, "")
    print(f"{path.stem}: OpenVINO rejects {len(names)} {op_type}. {'; '.join(missing)}.")
    wanted = calls[ORT]()

    def runtime() -> Delegate:
        return OnnxRuntimeDelegate(threads=threads)

    sets: dict[str, Callable[[], tuple[list[Delegate], str]]] = {
        "ours, onnxruntime": lambda: ([runtime()], "count"),
        "ours, openvino and the host": lambda: ([Rejecting(threads, names)], "count"),
        "ours, openvino and the host, fastest": lambda: ([Rejecting(threads, names)], "fastest"),
        BY_SUPPORT: lambda: ([Rejecting(threads, names), runtime()], "count"),
        AUTO: lambda: ([runtime(), Rejecting(threads, names)], "fastest"),
    }
    for name, made in sets.items():
        delegates, placement = made()
        built = ours(delegates, path, feeds, threads, placement, calibration_ms=arguments.calibration_ms)
        calls[name], notes[name] = built.call, "\n  ".join([built.where, *alternative_texts(built.report)])
        for found, array in zip(calls[name](), wanted, strict=True):
            np.testing.assert_allclose(found, array, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(array).max())))
    calls[HETERO], notes[HETERO] = native_openvino(path, feeds, threads, device="HETERO:CPU"), ""
    taken = take_turns(list(calls.values()), arguments.rounds)
    ms = {name: 1e3 * min(times) for name, times in zip(calls, taken, strict=True)}
    support = ms[WITH_PROVIDER if WITH_PROVIDER in ms else BY_SUPPORT]
    best = min(ms[name] for name in peers)
    auto = ms[AUTO]
    provider = auto / ms[WITH_PROVIDER] if WITH_PROVIDER in ms else None
    line = [path.stem, op_type, len(names), auto, auto / ms[BY_SUPPORT], provider, auto / ms[ORT], auto / ms[HETERO]]
    return [[name, each, each / support, each / best, notes[name]] for name, each in ms.items()], line


def types_of(path: Path, wanted: Sequence[str]) -> list[str]:
    """The types of nodes, of those that are wanted, that a model has."""
    there = {node.op_type for node in onnx.load(path, load_external_data=False).graph.node}
    return [each for each in wanted if each in there]


def main() -> None:
    """Prints a table for each model and type, and one of ratios."""
    parser = argparse.ArgumentParser(description="Models of which one backend rejects some nodes.")
    known = f"a file, or of {', '.join(NETWORKS)}; else {', '.join(MODELS)}"
    parser.add_argument("models", nargs="*", metavar="MODEL", help=known)
    parser.add_argument("--types", "--type", nargs="+", default=TYPES, help="of nodes that OpenVINO rejects")
    parser.add_argument("--count", type=int, default=4, help="how many of them")
    parser.add_argument("--calibration-ms", type=int, default=PartitionOptions().calibration_ms, help="of the fastest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    headers = ("runtime", "ms", "over by support", "over best peer", "")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models or MODELS:
            path = written(model, Path(folder))
            for op_type in types_of(path, arguments.types):
                rows, line = compare(path, op_type, arguments)
                print(tabulate(rows, headers, floatfmt=("", ".2f", ".3f", ".3f", "")), "\n", flush=True)
                lines.append(line)
    over = ("by support", "provider", "ONNX Runtime", "HETERO")
    columns = ("model", "rejected", "nodes", "AUTO ms", *(f"AUTO / {each}" for each in over))
    print(tabulate(lines, columns, floatfmt=("", "", "", ".2f", ".3f", ".3f", ".3f", ".3f")))


if __name__ == "__main__":
    main()
