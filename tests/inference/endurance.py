"""Long use of one process: runs, compilations, shapes and lost devices, after which it holds what it held before.

``python -m tests.inference.endurance`` does what a nightly test does (``pytest -m nightly``), and prints the figures.
"""

from __future__ import annotations

import ctypes
import gc
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pytest

from lite_delegate import Context, Core, DeviceLost, Model, RequestCancelled
from lite_delegate.npu import Device, Faults, NPUDelegate
from tests.runtime.graphs import chain

NIGHTLY = {"runs": 10_000, "compilations": 100, "shapes": 100, "lost devices": 100}
WARM_UP = 25
"""Of each kind, before the first figures: more than the plans that a model keeps for shapes."""
LATE = 30.0
"""Seconds for a worker to end when its model is gone."""
GROWTH = 1.05
"""Resident memory afterwards, over that after a warm-up."""


class Endurance:
    """One core with a device of its own, and models on it, the CPU, and both."""

    def __init__(self) -> None:
        self.device = Device()
        self.core = Core()
        self.core.register_device("sim", lambda options: NPUDelegate(device=self.device))
        self.compiled = [self.core.compile_model(chain(4), name) for name in ("sim", "CPU", "HETERO:sim,CPU")]
        self.requests = [each.create_infer_request() for each in self.compiled]
        context, self.open = Context(), Model()
        context.set_delegate(NPUDelegate(device=self.device))
        self.open.build_from_graph(chain(2, (-1, 3)), context)

    @property
    def kinds(self) -> Mapping[str, Callable[[int], None]]:
        """What is done, by name; each takes a number that says what varies."""
        return {
            "runs": self.run,
            "compilations": self.compile,
            "shapes": self.other_shape,
            "lost devices": self.lose_device,
        }

    def run(self, number: int) -> None:
        """One run, by one of four ways."""
        x = np.full((2, 3), number % 100, np.float32)
        request = self.requests[number % len(self.requests)]
        match number % 4:
            case 0:
                result = request.infer([x])[0]
            case 1:
                request.start_async([x])
                request.wait()
                result = request.results[0]
            case 2:
                result = self.compiled[number % len(self.compiled)]([x])[0]
            case _:
                request.start_async([x])
                request.cancel()
                with suppress(RequestCancelled):
                    request.wait()
                result = request.infer([x])[0]
        np.testing.assert_array_equal(result, x + 10)

    def compile(self, number: int) -> None:
        """Compiles, runs in a request with device memory, and gives all of it back."""
        compiled = self.core.compile_model(chain(3 + number % 5), ("sim", "CPU", "AUTO:sim,CPU")[number % 3])
        compiled.create_infer_request().infer([np.zeros((2, 3), np.float32)])
        compiled.close()

    def other_shape(self, number: int) -> None:
        """A shape that the model with open dimensions has not had yet, or not lately."""
        rows = 3 + number % 100
        result = self.open.predict([np.zeros((rows, 3), np.float32)])[0]
        np.testing.assert_array_equal(result.data, np.full((rows, 3), 3, np.float32))

    def lose_device(self, number: int) -> None:
        """A device that goes away in a run; the model is compiled anew."""
        device, core = Device(faults=Faults(lost=[1 + number % 3])), Core()
        core.register_device("weak", lambda options: NPUDelegate(device=device))
        x = [np.zeros((2, 3), np.float32)]
        request = core.compile_model(chain(2), "weak").create_infer_request()
        for _ in range(number % 3):
            request.infer(x)
        with pytest.raises(DeviceLost):
            request.infer(x)
        np.testing.assert_array_equal(core.compile_model(chain(2), "weak")(x)[0], x[0] + 3)

    def close(self) -> None:
        """Gives everything back."""
        for compiled in self.compiled:
            compiled.close()
        self.open.close()


class Held(NamedTuple):
    """What a process holds: resident bytes, threads and open files."""

    resident: int
    threads: int
    files: int

    def __str__(self) -> str:
        return f"{self.resident / 2**20:.1f} MiB, {self.threads} threads, {self.files} files"


def held_by_process() -> Held:
    """What it holds once everything is given back that can be."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return Held(resident, threading.active_count(), len(os.listdir("/proc/self/fd")))


def endure(counts: Mapping[str, int], say: Callable[[str], None] = print) -> None:
    """Does so much of each kind and checks after each that nothing of it is left.

    Args:
        counts: of each of ``Endurance.kinds``.
        say: is told the figures.

    Raises:
        AssertionError: memory, threads or open files are left, or device memory is.
    """
    at_start, threads = held_by_process(), set(threading.enumerate())
    endurance = Endurance()
    for do in endurance.kinds.values():
        for number in range(WARM_UP):
            do(number)
    before = held_by_process()
    for kind, count in counts.items():
        began = perf_counter()
        for number in range(count):
            endurance.kinds[kind](number)
        after, seconds = held_by_process(), perf_counter() - began
        say(f"{count} {kind}: {seconds:.1f} s; {before} before, {after} after")
        assert after.resident <= before.resident * GROWTH
    endurance.close()
    endurance.requests.clear()
    endurance.compiled.clear()
    gc.collect()
    assert endurance.device.allocated_memory == 0
    for thread in set(threading.enumerate()) - threads:
        thread.join(LATE)
    left = held_by_process()
    say(f"at the end: {left}")
    assert (left.threads, left.files) == (at_start.threads, at_start.files)


if __name__ == "__main__":
    endure(NIGHTLY)
