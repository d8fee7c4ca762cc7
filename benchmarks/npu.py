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
from functools import partial
from typing import Any

import numpy as np
from tabulate import tabulate

from lite_delegate import Boundary, Context, DelegateModel, Kernel, Model
from lite_delegate.benchmark.ran_on import ran_on
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.compiler.compile import compile_run
from lite_delegate.npu.compiler.parts import connected_parts
from lite_delegate.npu.cost import Activity, Packing, ProgramCost, cost_of
from lite_delegate.npu.passes import ModulePass
from lite_delegate.npu.profiles import profile_names

from .guarded import Failures
from .networks import detector, mobilenet_v2, resnet50
from .onnx_twin import onnx_call

ROUNDS = 15
THREADS = min(2, os.cpu_count() or 1)
TARGET_MS = 150.0
AGREEMENT = 0.02
"""Largest difference of two probabilities that counts as the same answer: float16 on one side, float32 on the other."""

SIMULATOR, PEER, REFERENCE = "NPU simulator", "ONNX Runtime", "reference kernels"
Array = np.ndarray[Any, Any]


def built(graph: Graph, threads: int, delegate: NPUDelegate | None) -> Model:
    """Our model, on the NPU or on the reference kernels."""
    context, model = Context(), Model()
    context.cpu.thread_num = threads
    if delegate is not None:
        context.set_delegate(delegate)
        context.strict = True
    model.build_from_graph(graph, context)
    return model


def call_of(model: Model, x: Array) -> Callable[[], Array]:
    """A prediction for ``x``."""
    return lambda: model.predict({model.get_inputs()[0].name: x})[0].get_data_to_numpy()


def milliseconds(call: Callable[[], object]) -> float:
    """One call."""
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3


def speed(threads: int) -> list[list[object]]:
    """Rows of the table of the simulator's speed: what, precision, threads, milliseconds, ratio, what ran where."""
    graph = mobilenet_v2()
    x = np.random.default_rng(0).standard_normal((1, 224, 224, 3), np.float32)
    models = {name: built(graph, threads, npu) for name, npu in ((SIMULATOR, NPUDelegate()), (REFERENCE, None))}
    calls = {name: call_of(model, x) for name, model in models.items()}
    calls = {SIMULATOR: calls[SIMULATOR], PEER: onnx_call(graph, x, threads), REFERENCE: calls[REFERENCE]}
    ran = {name: ran_on(model) for name, model in models.items()}
    want = calls[PEER]()
    for name, call in calls.items():
        np.testing.assert_allclose(call(), want, atol=AGREEMENT, err_msg=name)
    rounds = [[milliseconds(call) for call in calls.values()] for _ in range(ROUNDS)]
    rows: list[list[object]] = []
    for name, times in zip(calls, zip(*rounds, strict=True), strict=True):
        ratio = statistics.median(ours[0] / theirs for ours, theirs in zip(rounds, times, strict=True))
        precision = ", ".join(each.precision for each in ran.get(name, ())) or "float32"
        where = "; ".join(each.text for each in ran.get(name, ())) or "CPU"
        rows.append([name, precision, threads, statistics.median(times), min(times), ratio, where])
    return rows


def speeds(failures: Failures) -> None:
    """Prints the table of the simulator's speed."""
    rows = []
    for threads in sorted({1, THREADS}):
        rows += failures.rows(["all", None, threads], partial(speed, threads))
    headers = ("runs", "precision", "threads", "median ms", "minimum ms", "simulator / this", "ran on")
    print(f"MobileNetV2 224 end to end, {ROUNDS} rounds; wanted of the simulator: {TARGET_MS:.0f} ms")
    print(tabulate(rows, headers, floatfmt=("", "", "", ".1f", ".1f", ".2f", "")))


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


def estimate(graph: Graph, profile: str) -> list[object]:
    """A row of the table of estimates."""
    delegate, context = Collecting(profile), Context()
    context.set_delegate(delegate)
    Model().build_from_graph(graph, context)
    before, after = summed(delegate.costs(())), summed(delegate.costs(None))
    return [graph.name, profile, delegate.target.storage.name.lower(), before[0], after[0], *before[1:], *after[1:]]


def estimates(failures: Failures) -> None:
    """Prints the table of estimates."""
    rows = []
    for make in (mobilenet_v2, resnet50, detector):
        graph = make()
        for profile in profile_names():
            rows += failures.row([graph.name, profile], partial(estimate, graph, profile))
    shares = "packing before", "compute before", "packing", "compute"
    headers = ("network", "profile", "precision", "us before", "us", *shares)
    print("Estimates, not measured: microseconds per prediction on the device, and shares of it; before: no passes")
    print(tabulate(rows, headers, floatfmt=("", "", "", ",.0f", ",.0f", ".0%", ".0%", ".0%", ".0%")))


def main(words: Sequence[str]) -> None:
    """Prints the tables that are asked for."""
    failures = Failures()
    if not words or "speed" in words:
        speeds(failures)
    if not words or "estimates" in words:
        estimates(failures)
    failures.exit()


if __name__ == "__main__":
    main(sys.argv[1:])
