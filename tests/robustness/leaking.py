"""What predictions, builds and resizes leave behind: ``python -m tests.robustness.leaking`` has the full counts."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite_delegate import Context, Model
from lite_delegate.demo import model_path
from lite_delegate.npu import NPUDelegate

X = {n: np.random.default_rng(n).random((n, 8, 8, 1)).astype(np.float32) for n in (1, 2)}
PREDICTIONS, BUILDS, RESIZES = 2_000, 200, 200
SLACK = 8 << 20
"""Bytes by which resident memory may differ between two looks at a process that does nothing new."""


@dataclass(frozen=True)
class Held:
    """What a process holds.

    Attributes:
        resident: bytes.
        threads: of Python and others.
        handles: open files.
        objects: of Python, that the collector knows.
    """

    resident: int
    threads: int
    handles: int
    objects: int


def held() -> Held:
    """What this process holds now, all that is of no use any more left out."""
    gc.collect()
    status = Path("/proc/self/status").read_text(encoding="ascii")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    handles = len(os.listdir("/proc/self/fd"))
    return Held(resident << 10, threading.active_count(), handles, len(gc.get_objects()))


def built() -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate())
    model.build_from_file(model_path(), context=context)
    return model


def predictions(count: int) -> Callable[[], None]:
    model = built()

    def run() -> None:
        for _ in range(count):
            model.predict([X[1]])

    return run


def builds(count: int) -> Callable[[], None]:
    def run() -> None:
        for number in range(count):
            model = built()
            model.predict([X[1]])
            if number % 2:
                model.close()

    return run


def resizes(count: int) -> Callable[[], None]:
    """Between two shapes, and to one that was never there before."""
    model = built()

    def run() -> None:
        for number in range(count):
            size = 1 + number % 2
            model.resize(model.get_inputs(), [[size, 8, 8, 1]])
            model.predict([X[size]])

    return run


def growth(make: Callable[[int], Callable[[], None]], count: int) -> tuple[Held, Held]:
    """What is held before and after the second of two runs: the first one makes what is made only once."""
    run = make(count)
    run()
    before = held()
    run()
    return before, held()


def main() -> int:
    """The full counts; 1 where something grew."""
    found = 0
    for make, count in ((predictions, PREDICTIONS), (builds, BUILDS), (resizes, RESIZES)):
        before, after = growth(make, count)
        grown = leaks(before, after, count)
        print(f"{make.__name__}: {count}; before {before}, after {after}: {grown or 'flat'}")
        found += bool(grown)
    return int(found > 0)


def leaks(before: Held, after: Held, count: int) -> list[str]:
    """What grew: one object for every tenth time, one thread, one handle, or memory."""
    return [
        what
        for what, is_more in (
            ("threads", after.threads > before.threads),
            ("handles", after.handles > before.handles),
            ("objects", after.objects - before.objects > max(count // 10, 200)),
            ("memory", after.resident - before.resident > SLACK),
        )
        if is_more
    ]


if __name__ == "__main__":
    sys.exit(main())
