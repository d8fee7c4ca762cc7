"""Tiny networks, such as keyword spotters, on runtimes of the CPU in one run: LiteRT, ONNX Runtime, OpenVINO, the host.

Run: python benchmarks/tiny.py FILE ... [--rounds N]

A FILE is a .tflite or .ms model. Each runs with one thread through our delegates and on the host's own
kernels; a .tflite file also in LiteRT's interpreter alone, with a copy of the results, as ours are the caller's. They
run in turns (``benchmarks/turns.py``). Times are the shortest calls in microseconds; "over native" is the time over
that of LiteRT alone, "LiteRT over" that of the delegate ``litert`` over each other.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from benchmarks.runtimes import Call, Feeds, ours
from benchmarks.turns import take_turns
from lite_delegate import Delegate
from lite_delegate.backends.litert import LiteRTDelegate
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.errors import LiteDelegateError
from lite_delegate.formats import read_model
from lite_delegate.ir import to_numpy

THREADS = 1
NATIVE, LITERT = "LiteRT alone", "litert"
DELEGATES: Mapping[str, Callable[[], Sequence[Delegate]]] = {
    LITERT: lambda: [LiteRTDelegate()],
    "litert:BUILTIN": lambda: [LiteRTDelegate("BUILTIN")],
    "onnxruntime": lambda: [OnnxRuntimeDelegate()],
    "openvino": lambda: [OpenVINODelegate()],
    "host": list,
}


def feeds_of(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Random inputs; an open dimension is 1."""
    rng, found = np.random.default_rng(0), {}
    for value in read_model(path).inputs:
        shape, dtype = [max(1, dim) for dim in value.shape or ()], to_numpy(value.dtype)
        numbers = rng.standard_normal(shape) if dtype.kind == "f" else rng.integers(-100, 100, shape)
        found[value.name] = numbers.astype(dtype)
    return found


def litert_alone(path: Path, feeds: Feeds) -> Call:
    """LiteRT's interpreter with the file, as applications call it."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(path), num_threads=THREADS)
    interpreter.allocate_tensors()
    inputs = list(zip(interpreter.get_input_details(), feeds.values(), strict=True))
    outputs = [int(each["index"]) for each in interpreter.get_output_details()]

    def call() -> list[np.ndarray[Any, Any]]:
        for detail, array in inputs:
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        return [interpreter.get_tensor(index) for index in outputs]

    return call


def calls_of(path: Path) -> dict[str, Call]:
    """What runs the model, by name; a runtime that cannot is left out with a line."""
    feeds, calls = feeds_of(path), dict[str, Call]()
    if path.suffix == ".tflite":
        calls[NATIVE] = litert_alone(path, feeds)
    for name, make in DELEGATES.items():
        try:
            calls[name] = ours(make(), path, feeds, THREADS).call
        except LiteDelegateError as e:
            print(f"{path.name}, {name}: {e}")
    return calls


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    rows = []
    for path in options.files:
        calls = calls_of(path)
        times = dict(zip(calls, map(min, take_turns(list(calls.values()), options.rounds)), strict=True))
        for name, seconds in times.items():
            native = f"{seconds / times[NATIVE]:.2f}" if NATIVE in times else ""
            rows.append([path.stem, name, f"{seconds * 1e6:.0f}", native, f"{times[LITERT] / seconds:.2f}"])
    print(tabulate(rows, ["model", "runtime", "us", "over native", "LiteRT over"], disable_numparse=True))


if __name__ == "__main__":
    main()
