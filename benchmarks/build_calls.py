"""How much code a build runs: the package's functions that are called while a model is built for the second time.

The first build imports what is needed. "calls" counts Python functions of the package, its kernels and its schemas, as
``sys.setprofile`` sees them: functions, comprehensions and each step of a generator; "files" are the files that have
these functions. "all calls" has those of other packages and of C as well. The number of calls depends on the version of
Python, not on the machine. Milliseconds are those of further builds that are not counted, the shortest of ``ROUNDS``.

Run: python benchmarks/build_calls.py [MODEL ...] [--delegates SPEC ...]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import lite_delegate_kernels
import lite_delegate_schemas
from tabulate import tabulate

import lite_delegate
from benchmarks.zoo import NETWORKS, written
from lite_delegate import Context, Model
from lite_delegate.demo import model_path
from lite_delegate.devices.registry.delegate_spec import resolve_delegate

DEMO = "digits"
"""The model that ships with the package; it has 11 nodes."""
ROUNDS = 5
PACKAGES = (lite_delegate, lite_delegate_kernels, lite_delegate_schemas)
OURS = tuple(str(Path(str(each.__file__)).parent) for each in PACKAGES)
C = "C"


def calls_of(work: Callable[[], object]) -> Counter[str]:
    """The calls of functions while a piece of work is done, by file; those of C under that name."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            calls[frame.f_code.co_filename] += 1
        elif event == "c_call":
            calls[C] += 1

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def build(path: Path, spec: str) -> Model:
    """A model, built from its file for a delegate."""
    context = Context()
    delegate = resolve_delegate(spec)
    if delegate is not None:
        context.set_delegate(delegate)
    model = Model()
    model.build_from_file(path, context=context)
    return model


def milliseconds_of(path: Path, spec: str) -> float:
    """The time of the fastest of several builds."""
    found = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        build(path, spec)
        found.append(time.perf_counter() - start)
    return min(found) * 1e3


def row_of(path: Path, spec: str) -> Sequence[object]:
    """A line of the table."""
    build(path, spec)
    calls = calls_of(lambda: build(path, spec))
    ours = {file: count for file, count in calls.items() if file.startswith(OURS)}
    return path.stem, spec, sum(ours.values()), len(ours), calls.total(), milliseconds_of(path, spec)


def main() -> None:
    """Prints a line for each model and delegate."""
    parser = argparse.ArgumentParser(description="How much code a second build runs.")
    known = f"a file, {DEMO}, or one of {', '.join(NETWORKS)}"
    parser.add_argument("models", nargs="*", default=[DEMO, "ds_cnn"], metavar="MODEL", help=known)
    parser.add_argument("--delegates", nargs="+", default=["none", "npu"], metavar="SPEC")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [model_path() if name == DEMO else written(name, Path(folder)) for name in arguments.models]
        rows = [row_of(path, spec) for path in paths for spec in arguments.delegates]
    headers = ("model", "delegate", "calls", "files", "all calls", "ms")
    print(tabulate(rows, headers, floatfmt=".1f", intfmt=","))


if __name__ == "__main__":
    main()
