"""The built-in NPU: how fast the simulator is, and what its cost model says of well-known networks.

1. Speed: MobileNetV2 224 end to end, float16 numbers on the device, against ONNX Runtime (float32) and against the
   reference kernels, all with the same number of threads, in turns within one process. What they compute is compared
   first. Medians, minima and the median of the ratios. Two threads of the math library need two idle cores.
2. Estimates for each network on each profile: microseconds, and the shares of the run in which something is packed
   (axes change their order) and in which something is computed, before and after the passes.

Run: python -m benchmarks.npu [speed] [estimates]      (both without a word)
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tabulate import tabulate

from lite_delegate import Boundary, Context, DelegateModel, Kernel, Model
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.compile import compile_run
from lite_delegate.npu.compiler.parts import connected_parts
from lite_delegate.npu.cost import Activity, Packing, ProgramCost, cost_of
from lite_delegate.npu.passes import ModulePass
from lite_delegate.npu.profiles import profile_names

from .networks import detector, mobilenet_v2, resnet50
from .onnx_twin import onnx_call

ROUNDS = 15
THREADS = min(2, os.cpu_count() or 1)
TARGET_MS = 150.0
AGREEMENT = 0.02
"""Largest difference of two probabilities that counts as the same answer: float16 on one side, float32 on the other."""

Array = np.ndarray[Any, Any]


def prediction(graph: Graph, x: Array, threads: int, delegate: NPUDelegate | None) -> Callable[[], Array]:
    """Our prediction for ``x``, on the NPU or on the reference kernels."""
    context, model = Context(), Model()
    context.cpu.thread_num = threads
    if delegate is not None:
        context.set_delegate(delegate)
        context.strict = True
    model.build_from_graph(graph, context)
    return lambda: model.predict({graph.inputs[0].name: x})[0].get_data_to_numpy()


def milliseconds(call: Callable[[], object]) -> float:
    """One call."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3


def speed(threads: int) -> list[tuple[str, int, float, float, float]]:
    """Rows of the table of the simulator's speed: what, threads, median and least milliseconds, ratio."""
    graph = mobilenet_v2()
    x = np.random.default_rng(0).standard_normal((1, 224, 224, 3), np.float32)
    calls = {
        "NPU simulator": prediction(graph, x, threads, NPUDelegate()),
        "ONNX Runtime": onnx_call(graph, x, threads),
        "reference kernels": prediction(graph, x, threads, None),
    }
    want = calls["ONNX Runtime"]()
    for name, call in calls.items():
        np.testing.assert_allclose(call(), want, atol=AGREEMENT, err_msg=name)
    rounds = [[milliseconds(call) for call in calls.values()] for _ in range(ROUNDS)]
    rows = []
    for name, times in zip(calls, zip(*rounds, strict=True), strict=True):
        ratio = statistics.median(ours[0] / theirs for ours, theirs in zip(rounds, times, strict=True))
        rows.append((name, threads, statistics.median(times), min(times), ratio))
    return rows


def speeds() -> None:
    """Prints the table of the simulator's speed."""
    rows = [row for threads in sorted({1, THREADS}) for row in speed(threads)]
    headers = ("runs on", "threads", "median ms", "minimum ms", "simulator / this")
    print(f"MobileNetV2 224 end to end, {ROUNDS} rounds; wanted of the simulator: {TARGET_MS:.0f} ms")
    print(tabulate(rows, headers, floatfmt=("", "", ".1f", ".1f", ".2f")))


class Collecting(NPUDelegate):
    """Keeps the runs that it is asked to compile."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The graph kernel, and a note of the run."""
        self.runs: list[tuple[Sequence[Kernel], Boundary]] = [
            *getattr(self, "runs", []),
            (run, model.boundary_of(run)),
        ]
        return super().create_graph_kernel(run, model)

    def costs(self, passes: Sequence[ModulePass] | None) -> list[ProgramCost]:
        """The estimates for the programs of all runs, compiled with these passes."""
        costs = []
        for run, boundary in self.runs:
            for part in connected_parts(run, boundary):
                compiled = compile_run(part.kernels, part.boundary, self.target, passes)
                module = compiled.module
                packing = Packing(tuple(p.axes for p in module.inputs), tuple(p.axes for p in module.outputs))
                costs.append(cost_of(compiled.program, packing, self.target))
        return costs


def summed(costs: Sequence[ProgramCost]) -> tuple[float, float, float]:
    """Estimated microseconds, and the shares of the cycles in which something is packed and computed."""
    cycles = sum(cost.estimated_cycles for cost in costs)
    packing, computing = (
        sum(cost.share(activity) * cost.estimated_cycles for cost in costs) / max(1, cycles)
        for activity in (Activity.PACKING, Activity.COMPUTE)
    )
    return sum(cost.estimated_us for cost in costs), packing, computing


def estimates() -> None:
    """Prints the table of estimates."""
    rows = []
    for make in (mobilenet_v2, resnet50, detector):
        graph = make()
        for profile in profile_names():
            delegate, context = Collecting(profile), Context()
            context.set_delegate(delegate)
            Model().build_from_graph(graph, context)
            before, after = summed(delegate.costs(())), summed(delegate.costs(None))
            rows.append((graph.name, profile, before[0], after[0], *before[1:], *after[1:]))
    headers = ("network", "profile", "us before", "us", "packing before", "compute before", "packing", "compute")
    print("Estimates, not measured: microseconds per prediction on the device, and shares of it; before: no passes")
    print(tabulate(rows, headers, floatfmt=("", "", ",.0f", ",.0f", ".0%", ".0%", ".0%", ".0%")))


def main(words: Sequence[str]) -> None:
    """Prints the tables that are asked for."""
    if not words or "speed" in words:
        speeds()
    if not words or "estimates" in words:
        estimates()


if __name__ == "__main__":
    main(sys.argv[1:])
