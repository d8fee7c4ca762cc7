"""Networks of 8 bits against their float32 form, both on numpy's kernels, in turns within one process.

Run: python benchmarks/quantized.py [NETWORK ...] [--threads N] [--rounds N]

A NETWORK is one of ``benchmarks/zoo.py``; without one, all of those. Its int8 form is quantized by ONNX Runtime (QDQ).
Results are compared first: those of the fast kernels have to be what the reference kernels give. Times are the
shortest calls in milliseconds, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from benchmarks.guarded import Failures
from benchmarks.runtimes import Feeds, ours
from benchmarks.turns import take_turns
from benchmarks.zoo import NETWORKS, quantized, random_feeds, written
from lite_delegate import Context, Model


def reference_results(path: Path, feeds: Feeds) -> list[np.ndarray[Any, Any]]:
    """What the reference kernels compute."""
    context, model = Context(), Model()
    context.cpu.reference_kernels = True
    model.build_from_file(path, context=context)
    return [np.asarray(each) for each in model.compiled(dict(feeds))]


def compare(name: str, threads: int, rounds: int) -> list[Any]:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        real = written(name, Path(folder))
        whole = quantized(real, Path(folder))
        feeds = random_feeds(real)
        models = [ours([], path, feeds, threads) for path in (real, whole)]
        for found, wanted in zip(models[1].call(), reference_results(whole, feeds), strict=True):
            np.testing.assert_array_equal(found, wanted)
        single, byte = (1e3 * min(each) for each in take_turns([model.call for model in models], rounds))
    return [name, threads, single, byte, byte / single, models[1].seconds]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Networks of 8 bits against float32, on numpy's kernels.")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=f"of {', '.join(NETWORKS)}; all without one")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    failures, rows = Failures(), []
    for name in options.networks or NETWORKS:
        rows += failures.row([name], partial(compare, name, options.threads, options.rounds))
    headers = ("network", "threads", "float32, ms", "int8, ms", "int8 / float32", "int8 built in, s")
    print(tabulate(rows, headers, floatfmt=("", "", ".3f", ".3f", ".2f", ".2f")))
    failures.exit()


if __name__ == "__main__":
    main()
