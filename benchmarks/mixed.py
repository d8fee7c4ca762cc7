"""Models of which OpenVINO rejects some nodes: placed by measured gain, by support, and by the runtimes' own means.

Run: python benchmarks/mixed.py [MODEL ...] [--peer-python PYTHON] [--types HardSwish ...] [--count N]
[--calibration-ms N] [--threads N] [--rounds N]

A MODEL is an .onnx file or a network of ``benchmarks/zoo.py``. For each type of node that it has, the first N become
FastGelu, which ONNX Runtime's OpenVINO provider does not take; all run that file, and must give the same. Our delegate
of OpenVINO, which would take them, is told to reject them; that of ONNX Runtime takes everything. "By support" is what
most frameworks do: OpenVINO gets all that it claims, ONNX Runtime the rest. OpenVINO's HETERO has them on a second
device, which is the CPU under another name. Ratios are over the provider's time, where there is one, else over that of
ours by support; and over that of the quickest peer.

The provider is not in the package ``onnxruntime``. PYTHON is an interpreter that has it (``benchmarks/provider.py``):
python -m venv PEER && PEER/bin/pip install numpy onnxruntime-openvino, then --peer-python PEER/bin/python. The plugin
``onnxruntime-ep-openvino`` finds no device on processors of other makers than Intel.

All get two threads by default and run in turns, as in ``benchmarks/backends.py``; ratios are of the shortest calls.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper
from tabulate import tabulate

from benchmarks.guarded import Failures
from benchmarks.provider import NoProvider, Provider
from benchmarks.runtimes import FLOAT32, Array, Call, Feeds, hetero_openvino, native_onnx_runtime, ours
from benchmarks.turns import Turn, in_turns, turn_of
from benchmarks.zoo import NETWORKS, random_feeds, written
from lite_delegate import Delegate, Kernel, PartitionOptions, RejectCode, Rejected
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.delegate import SupportResult
from lite_delegate.report.changes.summary import alternative_texts

ORT, WITH_PROVIDER, HETERO = "ONNX Runtime", "ONNX Runtime, OpenVINO provider", "OpenVINO, HETERO"
BY_SUPPORT, AUTO = "ours, by support", "ours, fastest"
MODELS = ("mobilenet_v3", "mobilenet_v2", "resnet50")
MOST_SAID = 150
HEADERS = ("runtime", "precision", "threads", "ms", "over by support", "over best peer", "ran on")
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


@dataclass(frozen=True)
class Case:
    """A file, and the nodes of it that OpenVINO rejects: their names, and those of their outputs."""

    path: Path
    feeds: Feeds
    names: frozenset[str]
    outputs: frozenset[str]


def case_of(path: Path, op_type: str, count: int, folder: Path) -> Case:
    """The model with FastGelu in place of the first nodes of a type."""
    model = onnx.load(path)
    nodes = [node for node in model.graph.node if node.op_type == op_type][:count]
    for node in nodes:
        node.op_type, node.domain = "FastGelu", "com.microsoft"
        del node.attribute[:]
        del node.input[1:]  # bounds of Clip
    read = {name for node in model.graph.node for name in node.input}
    for bound in [each for each in model.graph.initializer if each.name not in read]:
        model.graph.initializer.remove(bound)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, folder / path.name)
    outputs = frozenset(name for node in nodes for name in node.output)
    return Case(folder / path.name, random_feeds(path), frozenset(node.name for node in nodes), outputs)


@dataclass
class Runners:
    """The compared runners, by name: their turns, notes on them, and the reasons why other runners are absent."""

    wanted: Sequence[Array]
    turns: dict[str, Turn] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, outputs: Sequence[Array], turn: Turn, note: str = "") -> None:
        """Adds one whose outputs are as wanted.

        Raises:
            AssertionError: they are not.
        """
        for found, array in zip(outputs, self.wanted, strict=True):
            np.testing.assert_allclose(found, array, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(array).max())))
        self.turns[name], self.notes[name] = turn, note

    def add_call(self, name: str, call: Call, note: str = "") -> None:
        """Adds a call of this process."""
        self.add(name, call(), partial(turn_of, call), note)


def add_peers(runners: Runners, case: Case, arguments: argparse.Namespace, open_: ExitStack) -> None:
    """The runtimes without us, as far as they are there."""
    threads = arguments.threads
    runners.add_call(ORT, native_onnx_runtime(case.path, case.feeds, threads))
    try:
        runners.add_call(HETERO, hetero_openvino(case.path, case.feeds, threads, case.outputs))
    except RuntimeError as error:  # OpenVINO's own
        runners.missing[HETERO] = f"not there: {textwrap.shorten(str(error), MOST_SAID)}"
    try:
        provider = Provider(arguments.peer_python, case.path, case.feeds, threads, case.path.parent)
    except NoProvider as error:
        runners.missing[WITH_PROVIDER] = f"not there: {error}"
        return
    open_.callback(provider.close)
    runners.add(WITH_PROVIDER, provider.outputs, provider.turn, provider.about)


def add_ours(runners: Runners, case: Case, arguments: argparse.Namespace) -> None:
    """Our plans."""
    threads = arguments.threads

    def runtime() -> Delegate:
        return OnnxRuntimeDelegate(threads=threads)

    def rejecting() -> Delegate:
        return Rejecting(threads, case.names)

    sets: dict[str, Callable[[], tuple[list[Delegate], str]]] = {
        "ours, onnxruntime": lambda: ([runtime()], "count"),
        "ours, openvino and the host": lambda: ([rejecting()], "count"),
        "ours, openvino and the host, fastest": lambda: ([rejecting()], "fastest"),
        BY_SUPPORT: lambda: ([rejecting(), runtime()], "count"),
        AUTO: lambda: ([runtime(), rejecting()], "fastest"),
    }
    for name, made in sets.items():
        delegates, placement = made()
        ms = arguments.calibration_ms
        built = ours(delegates, case.path, case.feeds, threads, placement, calibration_ms=ms)
        runners.add_call(name, built.call, "\n  ".join([built.where, *alternative_texts(built.report)]))


def compare(case: Case, arguments: argparse.Namespace) -> tuple[list[list[Any]], list[Any]]:
    """Rows of the table, and the numbers of the summary."""
    with ExitStack() as open_:
        runners = Runners(native_onnx_runtime(case.path, case.feeds, arguments.threads, optimizes=False)())
        add_peers(runners, case, arguments, open_)
        peers = list(runners.turns)
        add_ours(runners, case, arguments)
        taken = in_turns(list(runners.turns.values()), arguments.rounds)
    ms = {name: 1e3 * min(times) for name, times in zip(runners.turns, taken, strict=True)}
    support = ms[WITH_PROVIDER if WITH_PROVIDER in ms else BY_SUPPORT]
    best = min(ms[name] for name in peers)
    asked = FLOAT32, arguments.threads
    rows: list[list[Any]] = [
        [name, *asked, each, each / support, each / best, runners.notes[name]] for name, each in ms.items()
    ]
    rows += [[name, *asked, None, None, None, why] for name, why in runners.missing.items()]
    auto = ms[AUTO]
    return rows, [auto, *(auto / ms[name] if name in ms else None for name in (BY_SUPPORT, WITH_PROVIDER, ORT, HETERO))]


def types_of(path: Path, wanted: Sequence[str]) -> list[str]:
    """The types of nodes, of those that are wanted, that a model has."""
    there = {node.op_type for node in onnx.load(path, load_external_data=False).graph.node}
    return [each for each in wanted if each in there]


def show(path: Path, op_type: str, arguments: argparse.Namespace, folder: Path) -> list[Any]:
    """Prints the table of a model and type; its line of the summary."""
    case = case_of(path, op_type, arguments.count, folder)
    print(f"{path.stem}: OpenVINO rejects {len(case.names)} FastGelu that were {op_type}.")
    rows, numbers = compare(case, arguments)
    print(tabulate(rows, HEADERS, floatfmt=("", "", "", ".2f", ".3f", ".3f", "")), "\n", flush=True)
    return [path.stem, op_type, FLOAT32, arguments.threads, len(case.names), *numbers]


def main() -> None:
    """Prints a table for each model and type, and one of ratios."""
    parser = argparse.ArgumentParser(description="Models of which one backend rejects some nodes.")
    known = f"a file, or of {', '.join(NETWORKS)}; else {', '.join(MODELS)}"
    parser.add_argument("models", nargs="*", metavar="MODEL", help=known)
    peer = "an interpreter whose ONNX Runtime has the OpenVINO provider"
    parser.add_argument("--peer-python", metavar="PYTHON", default=sys.executable, help=peer)
    parser.add_argument("--types", "--type", nargs="+", default=TYPES, help="of nodes that OpenVINO rejects")
    parser.add_argument("--count", type=int, default=4, help="how many of them")
    parser.add_argument("--calibration-ms", type=int, default=PartitionOptions().calibration_ms, help="of the fastest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    lines: list[list[Any]] = []
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as changed:
        for model in arguments.models or MODELS:
            label = [Path(model).stem]
            found = failures.row(label, partial(written, model, Path(folder)))
            if not isinstance(found[0], Path):
                lines += found
                continue
            types = failures.rows(label, partial(types_of, found[0], arguments.types))
            for op_type in types:
                if isinstance(op_type, str):
                    shown = partial(show, found[0], op_type, arguments, Path(changed))
                    lines += failures.row([*label, op_type], shown)
                else:
                    lines.append(op_type)
    over = ("by support", "provider", "ONNX Runtime", "HETERO")
    columns = ("model", "rejected", "precision", "threads", "nodes", "AUTO ms", *(f"AUTO / {each}" for each in over))
    print(tabulate(lines, columns, floatfmt=("", "", "", "", "", ".2f", ".3f", ".3f", ".3f", ".3f")))
    failures.exit()


if __name__ == "__main__":
    main()
