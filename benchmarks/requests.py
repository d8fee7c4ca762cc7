"""Requests: what they cost beside a bare run of the plan, how well they overlap, and how fast a run can be cancelled.

1. Overhead: three additions of one number. ``infer``, and ``start_async`` with ``wait``, against the plan executed
   alone; in turns within one process. What is over the plan is more than what the request does: a plan that is run
   alone again and again stays in the processor's caches, one that is run by a request does not. "with no plan" is a
   request whose plan takes no time, so it is what the request does.
2. Throughput: MobileNetV2 on the simulated NPU through a ``RequestQueue`` with 1, 2, ... requests, on the simulated
   clock, against the ideal pipeline: one in which the engine that is needed longest never waits. These are figures of
   the cost model, not of this machine; the host's own time is told beside them.
   On the CPU the ideal is measured, too: as many threads as there are streams, each of which executes the bare plan
   with its share of the math library's threads, and nothing else, in turns with the queue.
3. Cancelling: a model of your own, on the CPU and on the NPU, cancelled at random moments of its run: how long it went
   on. On a busy machine the math library's threads wait for each other for as long as the system lets one of them
   wait for a core; OPENBLAS_NUM_THREADS=1 shows what is left without that.

Run: python -m benchmarks.requests [overhead] [throughput] [cancel MODEL]      (the first two without a word)
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tabulate import tabulate

from lite_delegate import Core, DataType, RequestCancelled
from lite_delegate.inference import CompiledModel, InferRequest, RequestQueue
from lite_delegate.inference.executor.executor import Executor
from lite_delegate.inference.running.runner import Runner
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.ir.types.data_type import to_numpy
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.execution.graph import NPUGraph
from lite_delegate.npu.queue import Engine, engines_for
from lite_delegate.runtime.execution.threads import divided_threads

from .networks import mobilenet_v2

ROUNDS, CALLS = 241, 50  # short enough to fit between two moments at which a busy system lets others run
RUNS = 16
CPU_ROUNDS, CPU_STREAMS = 9, (1, 2)
REQUESTS = (1, 2, 4)
CANCELLED = 200
ONE = np.ones(1, np.float32)


def additions() -> Graph:
    """x -> +1 -> +1 -> +1 on one element."""
    x = Value("x", DataType.FLOAT32, (1,))
    last, nodes = x, []
    for i in range(3):
        y = Value(f"y{i}", DataType.FLOAT32, (1,))
        nodes.append(Node(f"add{i}", make_primitive("AddFusion"), [last, constant(f"one{i}", ONE)], [y]))
        last = y
    return Graph("additions", [x], [last], nodes)


def microseconds(call: Callable[[], object]) -> float:
    """Of one call, on average over some."""
    started = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - started) / CALLS * 1e6


class WithoutPlan(InferRequest):
    """A request whose plan takes no time."""

    def keep(self, results: Sequence[np.ndarray]) -> None:
        """Gives these from now on."""
        self._runner.run = lambda arrays, state=None: list(results)  # type: ignore[method-assign]


def without_plan(model: CompiledModel, x: np.ndarray) -> InferRequest:
    """A request without a plan, of a model whose output is like its input."""
    request = WithoutPlan(model.create_runner(), model.inputs, model.outputs, Executor(1))
    request.keep([x.copy()])
    request.set_tensor("x", x)
    return request


def overhead() -> None:
    """Prints what each way to run takes, and what is over the bare plan."""
    model = Core().compile_model(additions(), "CPU")
    request, runner, x = model.create_infer_request(), model.create_runner(), np.zeros(1, np.float32)
    request.set_tensor("x", x)

    def started() -> None:
        request.start_async()
        request.wait()

    ways: dict[str, Callable[[], object]] = {
        "plan alone": lambda: runner.run([x]),
        "infer(), tensors set": request.infer,
        "infer(), with no plan": without_plan(model, x).infer,
        "infer([x])": lambda: request.infer([x]),
        "compiled([x])": lambda: model([x]),
        "start_async + wait": started,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, call in ways.items():
            times[name].append(microseconds(call))
    bare = times["plan alone"]
    rows = []
    for name, taken in times.items():
        over = [t - b for t, b in zip(taken, bare, strict=True)]
        rows.append([name, min(taken), statistics.median(taken), min(taken) - min(bare), statistics.median(over)])
    print(tabulate(rows, ["us per run", "best", "median", "best, over the plan", "median over it"], floatfmt=".1f"))


def ideal_us(kernels: Sequence[NPUGraph], dma_engines: int) -> float:
    """The interval of runs if the engine that is needed longest never waited, by what the last run took on each."""
    sums = dict.fromkeys(Engine, 0.0)
    for command in (c for k in kernels for m in k.models if m.times is not None for c in m.times.commands):
        sums[command.engine] += command.end - command.start
    engines = engines_for(dma_engines)
    up, down = engines[Engine.UPLOAD], engines[Engine.DOWNLOAD]
    transfers = sums[Engine.UPLOAD] + sums[Engine.DOWNLOAD]
    if up == down:
        return max(sums[Engine.COMPUTE], transfers / len(up))
    return max(sums[Engine.COMPUTE], sums[Engine.UPLOAD] / len(up), sums[Engine.DOWNLOAD] / len(down))


def throughput() -> None:
    """Prints, for each number of requests, the share of the ideal throughput that was reached."""
    delegate, core = NPUDelegate(options={"PERFORMANCE_HINT": "THROUGHPUT"}), Core()
    core.register_device("MEASURED", lambda _: delegate)
    model = core.compile_model(mobilenet_v2(), "MEASURED")
    x = random_inputs(model)
    model(x)  # loads the programs, and tells what a run takes on each engine
    kernels = [kernel for kernel in model.graph_kernels if isinstance(kernel, NPUGraph)]
    queue = delegate.device.queue
    ideal, rows = ideal_us(kernels, queue.dma_engines), []
    for requests in REQUESTS:
        simulated, started = queue.now_us, time.perf_counter()
        for _ in RequestQueue(model, requests).map([x] * RUNS):
            pass
        host = time.perf_counter() - started
        interval = (queue.now_us - simulated) / RUNS
        rows.append([requests, interval, ideal / interval, host / RUNS * 1e3])
    print(f"Ideal interval {ideal:.1f} us (estimate); {RUNS} runs, filling and emptying the pipeline included")
    print(tabulate(rows, ["requests", "interval, us (estimate)", "of the ideal", "host, ms per run"], floatfmt=".3f"))


def side_by_side(model: CompiledModel, streams: int, x: np.ndarray) -> float:
    """Milliseconds per run of threads that execute the bare plan, each with its share of the math library's threads."""
    runners = [model.create_runner() for _ in range(streams)]
    ready, share = threading.Barrier(streams + 1), max((os.cpu_count() or 1) // streams, 1)

    def work(runner: Runner) -> None:
        with divided_threads(share if streams > 1 else 0):
            runner.run([x])
            ready.wait()
            for _ in range(RUNS // streams):
                runner.run([x])

    with ThreadPoolExecutor(streams) as pool:
        runs = [pool.submit(work, runner) for runner in runners]
        ready.wait()
        started = time.perf_counter()
        for run in runs:
            run.result()
    return (time.perf_counter() - started) / (RUNS // streams * streams) * 1e3


def queued(queue: RequestQueue, x: np.ndarray) -> float:
    """Milliseconds per run of a queue."""
    for _ in queue.map([x] * len(queue)):
        pass
    started = time.perf_counter()
    for _ in queue.map([x] * RUNS):
        pass
    return (time.perf_counter() - started) / RUNS * 1e3


def cpu_throughput() -> None:
    """Prints, for each number of streams, the share of the ideal throughput that was reached on the CPU."""
    rows = []
    for streams in CPU_STREAMS:
        model = Core().compile_model(mobilenet_v2(), "CPU", {"NUM_STREAMS": streams})
        x = random_inputs(model)[0]
        queue = RequestQueue(model, 2 * streams)
        ideal, reached = zip(
            *((side_by_side(model, streams, x), queued(queue, x)) for _ in range(CPU_ROUNDS)), strict=True
        )
        rows.append([streams, min(ideal), min(reached), min(ideal) / min(reached)])
    print(f"On the CPU, measured; the best of {CPU_ROUNDS} rounds of {RUNS} runs")
    print(tabulate(rows, ["streams", "ideal, ms per run", "queue, ms per run", "of the ideal"], floatfmt=".3f"))


def random_inputs(model: CompiledModel) -> list[np.ndarray]:
    """Numbers for the inputs; 1 in place of open dimensions."""
    generator = np.random.default_rng(0)
    return [
        generator.random([max(d, 1) for d in port.shape]).astype(to_numpy(port.dtype), copy=False)
        for port in model.inputs
    ]


def cancel_ns(request: InferRequest, inputs: Sequence[np.ndarray], after: float) -> int | None:
    """Nanoseconds between the cancellation of a run, ``after`` seconds after its start, and its end; None where it had
    ended before.
    """
    request.start_async(inputs)
    time.sleep(after)
    request.cancel()
    try:
        request.wait()
    except RequestCancelled:
        return request.profile.cancel_latency_ns
    return None


def cancel_times(request: InferRequest, inputs: Sequence[np.ndarray]) -> tuple[list[float], float]:
    """The times that cancelled runs went on, in milliseconds and in order, and the shortest whole run, in seconds."""
    moments, late = random.Random(0), list[float]()
    request.infer(inputs)
    whole = request.latency.total_seconds()
    for _ in range(CANCELLED):
        ns = cancel_ns(request, inputs, moments.uniform(0, whole))
        if ns is None:
            whole = min(whole, request.latency.total_seconds())
        else:
            late.append(ns / 1e6)
    return sorted(late), whole


def cancelling(path: Path) -> None:
    """Prints the distribution of the times from ``cancel`` to the end of the run."""
    if not path.is_file():
        print(f"cancel: skipped, there is no file {path}")
        return
    rows = []
    for device in ("CPU", "HETERO:NPU,CPU"):
        model = Core().compile_model(str(path), device)
        late, whole = cancel_times(model.create_infer_request(), random_inputs(model))
        if not late:
            print(f"cancel: {path.name} on {device} always ended before it could be cancelled")
            continue
        p99 = late[min(len(late) - 1, len(late) * 99 // 100)]
        rows.append([device, whole * 1e3, len(late), statistics.median(late), p99, late[-1]])
    print(f"Cancel latency of {path.name}, milliseconds; {CANCELLED} runs on each device")
    print(tabulate(rows, ["device", "whole run", "cancelled", "p50", "p99", "longest"], floatfmt=".2f"))


def main(words: Sequence[str]) -> int:
    """Measures what the words say."""
    is_known = not words or words[0] in ("overhead", "throughput") or (words[0] == "cancel" and len(words) == 2)
    if not is_known:
        print(__doc__)
        return 2
    if not words or "overhead" in words:
        overhead()
    if not words or "throughput" in words:
        throughput()
        cpu_throughput()
    if words and words[0] == "cancel":
        cancelling(Path(words[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
