"""The nodes that delegates leave to the CPU: on numpy's kernels, and on the kernels of installed runtimes.

Run: python benchmarks/rest.py [MODEL ...] [--threads N] [--rounds N]

A MODEL is an .onnx file or a network of ``benchmarks/zoo.py``. A delegate, which is ONNX Runtime's by another name,
takes some operators only; the rest is the CPU's, with each choice of ``Context.cpu.backends``. All run in turns, as in
``benchmarks/backends.py``; ratios are of the shortest calls. The subgraphs of the delegate must be the same each time.
All of it takes about 90 seconds, half of them rests; standard error says what is being measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np
from tabulate import tabulate

from benchmarks.guarded import Failures
from benchmarks.runtimes import ours
from benchmarks.turns import take_turns
from benchmarks.zoo import NETWORKS, random_feeds, written
from lite_delegate import Kernel, RejectCode, Rejected
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.delegate import SupportResult

MODELS = ("mobilenet_v3", "mobilenet_v2", "vit_tiny")
CHOICES = ("none", "onnxruntime", "openvino", "auto")
CONVOLUTIONS = frozenset({"Conv2DFusion"})
PRODUCTS = frozenset({"MatMulFusion", "FullConnection"})
FUNCTIONS = frozenset({"Activation", "Softmax"})
EVERYTHING = frozenset({""})
REJECTED: Mapping[str, tuple[frozenset[str], bool]] = {
    "everything": (EVERYTHING, False),
    "all but convolutions": (CONVOLUTIONS, False),
    "all but matrix products": (PRODUCTS, False),
    "activations, softmaxes": (FUNCTIONS, True),
}
"""Operators, and whether they are what is rejected, or all others are."""


class Narrow(OnnxRuntimeDelegate):
    """ONNX Runtime that takes some operators, or leaves some."""

    name = "narrow"

    def __init__(self, threads: int, op_types: frozenset[str], *, rejects: bool) -> None:
        super().__init__(threads=threads)
        self._op_types, self._rejects = op_types, rejects

    def supports(self, kernel: Kernel) -> SupportResult:
        """ONNX Runtime's answer, but for these operators, or for all others."""
        if (kernel.type in self._op_types) == self._rejects:
            return Rejected(RejectCode.POLICY, "rejected for the sake of the benchmark")
        return super().supports(kernel)


def compare(path: Path, rejected: str, arguments: argparse.Namespace) -> list[object]:
    """A row of the table: the model, what is rejected, milliseconds with each choice, and numpy's over the others."""
    threads, feeds = arguments.threads, random_feeds(path)
    op_types, rejects = REJECTED[rejected]
    built = {
        choice: ours([Narrow(threads, op_types, rejects=rejects)], path, feeds, threads, cpu_backends=choice)
        for choice in CHOICES
    }
    wanted = built["none"].call()
    for each in built.values():
        assert [s.kernels for s in each.report.subgraphs] == [s.kernels for s in built["none"].report.subgraphs]
        for found, array in zip(each.call(), wanted, strict=True):
            np.testing.assert_allclose(found, array, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(array).max())))
    taken = take_turns([each.call for each in built.values()], arguments.rounds)
    ms = [1e3 * min(times) for times in taken]
    report, precisions = built["auto"].report, dict.fromkeys(each.precision for each in built["auto"].ran)
    counts = len(report.subgraphs), len(report.fallback), len(report.cpu_groups)
    ran = "; ".join(each.text for each in built["auto"].ran)
    return [path.stem, rejected, ", ".join(precisions), threads, *counts, *ms, *(ms[0] / each for each in ms[1:]), ran]


def all_rejected(path: Path, failures: Failures, arguments: argparse.Namespace) -> list[list[object]]:
    """A row of the table for each set of operators that the delegate rejects."""
    rows: list[list[object]] = []
    for rejected in REJECTED:
        print(f"{path.stem}: {rejected} ...", file=sys.stderr, flush=True)
        rows += failures.row([path.stem, rejected], partial(compare, path, rejected, arguments))
    return rows


def main() -> None:
    """Prints a line for each model and what its delegate rejects."""
    parser = argparse.ArgumentParser(description="What delegates leave to the CPU, on numpy and on runtimes.")
    known = f"a file, or of {', '.join(NETWORKS)}; else {', '.join(MODELS)}"
    parser.add_argument("models", nargs="*", metavar="MODEL", help=known)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    ms, ratios = [f"{each} ms" for each in CHOICES], [f"none / {each}" for each in CHOICES[1:]]
    headers = ("model", "rejected", "precision", "threads", "subgraphs", "left", "groups", *ms, *ratios, "ran on")
    rows: list[list[object]] = []
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models or MODELS:
            for path in failures.row([Path(model).stem], partial(written, model, Path(folder))):
                rows += all_rejected(path, failures, arguments) if isinstance(path, Path) else [path]
    print(tabulate(rows, headers, floatfmt=".2f"))
    failures.exit()


if __name__ == "__main__":
    main()
