"""Many threads that run, wait, await and cancel on shared models, at random; every result is checked.

``python -m tests.inference.soak SECONDS`` runs it for longer than the suite does, and prints what it did.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from collections import Counter
from random import Random
from time import monotonic

import numpy as np
from lite_delegate_kernels import Array

from lite_delegate import Context, Model, RequestCancelled
from lite_delegate.inference import CompiledModel, InferRequest, RequestQueue
from lite_delegate.npu import Device, NPUDelegate
from tests.inference.holding import STEP, held, open_gate
from tests.runtime.graphs import chain

THREADS = 8
LATE = 60.0
"""Seconds beyond the end after which a thread hangs."""


def on_cpu(length: int) -> Model:
    model = Model()
    model.build_from_graph(chain(length), Context())
    return model


def on_npu(length: int) -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate(device=Device()))
    model.build_from_graph(chain(length), context)
    return model


class Soak:
    """Threads over four models, on the CPU, the simulated NPU and a delegate with the CPU.

    Args:
        seconds: how long they go on.
        seed: of what they do.
    """

    def __init__(self, seconds: float, seed: int = 0) -> None:
        self.models: list[tuple[CompiledModel, float]] = [
            (on_cpu(3).compiled, 6),
            (on_npu(4).compiled, 10),
            (held(open_gate(), 2).compiled, STEP + 2),
            (on_cpu(1).compiled, 1),
        ]
        self.end = monotonic() + seconds
        self.seed = seed
        self.done: Counter[str] = Counter()
        self.errors: list[BaseException] = []
        self._lock = threading.Lock()

    def run(self) -> None:
        """Runs all threads to their end; raises what went wrong in the first of them."""
        threads = [threading.Thread(target=self._go_on, args=(i,), daemon=True) for i in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(self.end - monotonic(), 0) + LATE)
            if thread.is_alive():
                raise AssertionError(f"{thread.name} hangs; done so far: {dict(self.done)}")
        for error in self.errors:
            raise error

    def _go_on(self, number: int) -> None:
        random = Random(self.seed * THREADS + number)
        requests = [compiled.create_infer_request() for compiled, _ in self.models]
        actions = [self._infer, self._start, self._cancel, self._await, self._queue]
        try:
            while monotonic() < self.end and not self.errors:
                which = random.randrange(len(self.models))
                action = random.choice(actions)
                action(which, requests[which], random)
                with self._lock:
                    self.done[action.__name__.removeprefix("_")] += 1
        except BaseException as e:
            self.errors.append(e)

    def _check(self, which: int, x: Array, result: Array) -> None:
        np.testing.assert_array_equal(result, x + np.float32(self.models[which][1]))

    def _infer(self, which: int, request: InferRequest, random: Random) -> None:
        x = _input(random)
        self._check(which, x, request.infer([x])[0])

    def _start(self, which: int, request: InferRequest, random: Random) -> None:
        x = _input(random)
        request.start_async([x])
        request.wait()
        self._check(which, x, request.results[0])

    def _cancel(self, which: int, request: InferRequest, random: Random) -> None:
        x = _input(random)
        request.start_async([x])
        told = request.cancel()
        try:
            request.wait()
        except RequestCancelled:
            assert told
            return
        assert not told
        self._check(which, x, request.results[0])

    def _await(self, which: int, request: InferRequest, random: Random) -> None:
        inputs = [_input(random) for _ in range(5)]

        async def all_of_them() -> list[Array]:
            results = await asyncio.gather(*(self.models[which][0].infer_async([x]) for x in inputs))
            return [each[0] for each in results]

        for x, result in zip(inputs, asyncio.run(all_of_them()), strict=True):
            self._check(which, x, result)

    def _queue(self, which: int, request: InferRequest, random: Random) -> None:
        inputs = [_input(random) for _ in range(6)]
        queue = RequestQueue(self.models[which][0], random.randrange(1, 4))
        for x, results in zip(inputs, queue.map([each] for each in inputs), strict=True):
            self._check(which, x, results[0])


def _input(random: Random) -> Array:
    return np.full((2, 3), random.randrange(100), np.float32)


def held_by_process() -> tuple[int, int]:
    """Threads and open files."""
    gc.collect()
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def main() -> None:
    """Runs it in stretches, and prints what was done and what the process holds after each."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    for seed in range(3):
        soak = Soak(seconds / 3, seed)
        soak.run()
        with open("/proc/self/statm") as statm:
            resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
        print(dict(soak.done), "threads, files:", held_by_process(), f"resident: {resident:.1f} MiB")


if __name__ == "__main__":
    main()
