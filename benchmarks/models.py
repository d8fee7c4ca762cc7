"""Whole models against ONNX Runtime in one run, without a delegate: how many times as long ours take.

Both get the same .onnx file and the same number of threads, and their results are compared first. They run in turns;
before a turn comes a rest, in which the other's threads stop waiting for work, and a call that is not measured. The
ratio is that of the shortest calls, which other work on the machine disturbs least; the medians are shown beside it.

Run: python benchmarks/models.py [NAME ...] [--threads N] [--rounds N] [--models FOLDER] [--profile]

``--models`` names a folder with resnet50.onnx or mobilenetv2_100.onnx, or with ``X.skel.onnx`` and the script
``skeleton.py`` that fills them; networks of the same make with random weights take the place of what is not there.
``--profile`` shows which operators take how long.

The first line says which processor the BLAS library of numpy computes for. An ``OPENBLAS_CORETYPE`` in the environment
overrides what OpenBLAS finds; set to an older processor than there is, it leaves half of the speed unused.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import runpy
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from tabulate import tabulate
from threadpoolctl import threadpool_info

from benchmarks.guarded import Failures
from benchmarks.networks import mobilenet_v2, resnet50
from benchmarks.onnx_networks import vision_transformer
from benchmarks.onnx_twin import Twin
from benchmarks.turns import take_turns
from lite_delegate import Context, Model
from lite_delegate.benchmark.ran_on import RanOn, ran_on

Array = np.ndarray[Any, Any]

BUILDERS: Mapping[str, tuple[float, Callable[[], onnx.ModelProto]]] = {
    "resnet50": (2.2, lambda: Twin(resnet50()).model()),
    "mobilenetv2_100": (5.0, lambda: Twin(mobilenet_v2()).model()),
    "vit_tiny": (2.0, vision_transformer),
}
"""The ratio that is wanted, and what makes the model, by name."""


def model_of(name: str, folder: Path | None) -> onnx.ModelProto:
    """The model: a file of the folder, its skeleton filled, or a network of the same make."""
    if folder is not None and (folder / f"{name}.onnx").exists():
        return onnx.load(folder / f"{name}.onnx")
    if folder is not None and (folder / f"{name}.skel.onnx").exists():
        fill: Callable[[onnx.ModelProto], onnx.ModelProto] = runpy.run_path(str(folder / "skeleton.py"))["fill"]
        return fill(onnx.load(folder / f"{name}.skel.onnx"))
    return BUILDERS[name][1]()


def our_call(path: Path, x: Array, threads: int) -> tuple[Callable[[], Array], Sequence[RanOn]]:
    """A prediction of ours, of the imported and optimized model, and what runs where."""
    context = Context()
    context.cpu.thread_num = threads
    model = Model()
    model.build_from_file(path, context=context)
    (tensor,) = model.get_inputs()

    def call() -> Array:
        return np.asarray(model.predict({tensor.name: x})[0].get_data_to_numpy())

    return call, ran_on(model)


def their_call(path: Path, x: Array, threads: int) -> Callable[[], Array]:
    """A prediction of ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feeds = {session.get_inputs()[0].name: x}

    def call() -> Array:
        return np.asarray(session.run(None, feeds)[0])

    return call


def compare(name: str, arguments: argparse.Namespace) -> list[Any]:
    """A row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        model = model_of(name, arguments.models)
        onnx.save(model, path)
        shape = [d.dim_value or 1 for d in model.graph.input[0].type.tensor_type.shape.dim]
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        (ours, ran), theirs = our_call(path, x, arguments.threads), their_call(path, x, arguments.threads)
        wanted = theirs()
        np.testing.assert_allclose(ours(), wanted, rtol=1e-3, atol=1e-4 * float(np.abs(wanted).max()))
        mine, others = take_turns([ours, theirs], arguments.rounds)
    if arguments.profile:
        show_profile(ours)
    ratio, target = min(mine) / min(others), BUILDERS[name][0]
    times = [1e3 * pick(each) for each in (mine, others) for pick in (min, statistics.median)]
    precision, where = ", ".join(each.precision for each in ran), "; ".join(each.text for each in ran)
    return [name, precision, arguments.threads, *times, ratio, target, "yes" if ratio < target else "no", where]


def show_profile(call: Callable[[], Array]) -> None:
    """Prints which kernels take how long in ten calls."""
    profile = cProfile.Profile()
    with profile:
        for _ in range(10):
            call()
    pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(20)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Whole models against ONNX Runtime.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BUILDERS)}; all when there is none")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--models", type=Path, metavar="FOLDER")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BUILDERS)
    if unknown:
        parser.error(f"NAME must be of {', '.join(BUILDERS)}, got {', '.join(sorted(unknown))}")
    print(*(f"{b['internal_api']} {b['version']} for {b.get('architecture')}" for b in threadpool_info()), sep=", ")
    failures, rows = Failures(), []
    for name in arguments.names or BUILDERS:
        rows += failures.row([name], partial(compare, name, arguments))
    headers = (
        "model",
        "precision",
        "threads",
        "ours, ms",
        "median",
        "ONNX Runtime, ms",
        "median",
        "ratio",
        "target",
        "met",
        "ran on",
    )
    print(tabulate(rows, headers, floatfmt=("", "", "", ".1f", ".1f", ".1f", ".1f", ".2f", ".1f", "", "")))
    failures.exit()


if __name__ == "__main__":
    main()
