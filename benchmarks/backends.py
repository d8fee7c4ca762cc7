"""Networks through our delegates of real runtimes, against these runtimes alone, in one run.

Run: python benchmarks/backends.py [MODEL ...] [--precision f32 reduced int8] [--threads N] [--rounds N] [--json FILE]

A MODEL is an .onnx file or a network of ``benchmarks/zoo.py``; without one, all of those. Every runtime gets the same
file and the same number of threads. "reduced" is bf16 or f16, where OpenVINO has kernels for it on this machine.
"int8" is the model as ONNX Runtime quantizes it (QDQ); files that are quantized already are compared as they are.

"Off" is the distance of the results from those of ONNX Runtime without any optimization, relative, as root of mean
squares: quantized models differ by steps of their quantization, and native 8-bit kernels of processors without VNNI
overflow. Runtimes run in turns; before a turn comes a rest, in which the others' threads stop waiting for work, and a
call that is not measured. Ratios are of the shortest calls, which other work on the machine disturbs least. "Over
native" is a delegate's time over that of its own runtime; "over best" that of all the peers', "over exact" that of the
peers that are as near as ours have to be. Runtimes that are not installed are left out; one that cannot run a model has
a row that says why.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.runtimes import (
    FLOAT32,
    Call,
    distance,
    has_openvino,
    native_onnx_runtime,
    native_openvino,
    openvino_computes,
    ours,
)
from benchmarks.turns import take_turns
from benchmarks.zoo import NETWORKS, is_quantized, quantized, random_feeds, written
from lite_delegate import Delegate
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.openvino import OpenVINODelegate
from lite_delegate.report.summary import alternative_texts

REDUCED, INT8 = "reduced", "int8"
PRECISIONS = (FLOAT32, REDUCED, INT8)
HINTS = {"BF16": "bf16", "FP16": "f16"}
"""Reduced precision in the words of OpenVINO's capabilities, and of its hint."""
MOST_OFF = {FLOAT32: 1e-3, REDUCED: 0.05, INT8: 0.1}
"""How far ours may be off."""
ORT, OV, HOST, AUTO = "ONNX Runtime", "OpenVINO", "ours, host", "ours, fastest"
NATIVE = {"ours, onnxruntime": ORT, "ours, openvino": OV}
MOST_SAID = 120
"""Characters of why a runtime cannot run a model."""
COLUMNS = ("runtime", "ms", "over native", "over best", "over exact", "off", "")


@dataclass(frozen=True)
class Row:
    """A runtime with a model: shortest call, ratios, distance from the exact results, where nodes run.

    A runtime that cannot run the model has none of the numbers, and why not in place of where.
    """

    model: str
    precision: str
    runtime: str
    ms: float | None
    over_native: float | None
    over_best: float | None
    over_exact: float | None
    off: float | None
    note: str


def compare(path: Path, precision: str, threads: int, rounds: int) -> list[Row]:
    """A row for each runtime.

    Raises:
        SystemExit: a result of ours is too far off.
    """
    feeds = random_feeds(path)
    hint = _hint() if precision == REDUCED else FLOAT32
    exact = native_onnx_runtime(path, feeds, threads, optimizes=False)()
    made_by: dict[str, Callable[[], Call]] = {ORT: lambda: native_onnx_runtime(path, feeds, threads)}
    delegates: dict[str, Delegate] = {"ours, onnxruntime": OnnxRuntimeDelegate(threads=threads)}
    if has_openvino():
        made_by[OV] = lambda: native_openvino(path, feeds, threads, hint)
        options = {"INFERENCE_PRECISION_HINT": hint}
        delegates["ours, openvino"] = OpenVINODelegate(threads=threads, options=options)
    calls, notes = natives(made_by)
    peers = list(calls)
    sets = {HOST: ([], "count"), **{name: ([each], "count") for name, each in delegates.items()}}
    sets[AUTO] = (list(delegates.values()), "fastest")
    for name, (several, placement) in sets.items():
        made = ours(several, path, feeds, threads, placement)
        calls[name], notes[name] = made.call, "\n  ".join([made.where, *alternative_texts(made.report)])
    off = {name: max(map(distance, call(), exact)) for name, call in calls.items()}
    wrong = [name for name in sets if not off[name] <= MOST_OFF[precision]]
    if wrong:
        raise SystemExit(f"{path.name}: {wrong[0]} is {off[wrong[0]]:.2g} off.")
    taken = take_turns(list(calls.values()), rounds)
    ms = {name: 1e3 * min(times) for name, times in zip(calls, taken, strict=True)}
    best = min((ms[name] for name in peers), default=ms[AUTO])
    best_exact = min((ms[name] for name in peers if off[name] <= _enough(off)), default=best)
    return [
        Row(
            path.stem,
            precision,
            name,
            ms[name],
            ms[name] / ms[NATIVE[name]] if NATIVE.get(name) in ms else None,
            ms[name] / best,
            ms[name] / best_exact,
            off[name],
            notes[name],
        )
        if name in calls
        else Row(path.stem, precision, name, None, None, None, None, None, notes[name])
        for name in notes
    ]


def natives(made_by: Mapping[str, Callable[[], Call]]) -> tuple[dict[str, Call], dict[str, str]]:
    """The runtimes that can run a model, and for each a note: why it cannot, "" where it can."""
    calls: dict[str, Call] = {}
    notes = dict.fromkeys(made_by, "")
    for name, make in made_by.items():
        try:
            calls[name] = make()
            calls[name]()
        except Exception as e:  # runtimes raise what they like
            lines = [line.strip() for line in str(e).splitlines() if line.strip()]
            notes[name] = f"cannot: {textwrap.shorten(lines[-1] if lines else type(e).__name__, MOST_SAID)}"
    return calls, notes


def _enough(off: dict[str, float]) -> float:
    """How far a peer may be off to be as exact as the plan of ours that is measured to be the fastest."""
    return max(2 * off[AUTO], MOST_OFF[FLOAT32])


def _hint() -> str:
    """The reduced precision that OpenVINO has kernels for here, "" for none."""
    computes = openvino_computes() if has_openvino() else []
    return next((hint for word, hint in HINTS.items() if word in computes), "")


def forms(path: Path, precisions: Sequence[str], folder: Path) -> list[tuple[str, Path]]:
    """What is compared of a model: each precision with its file."""
    if is_quantized(path):
        return [(INT8, path)]
    found = [(FLOAT32, path)] if FLOAT32 in precisions else []
    if REDUCED in precisions and _hint():
        found.append((REDUCED, path))
    return [*found, (INT8, quantized(path, folder))] if INT8 in precisions else found


def summary(rows: Sequence[Row]) -> list[list[Any]]:
    """A line for each model and precision."""
    lines = []
    for key in dict.fromkeys((row.model, row.precision) for row in rows):
        by_name = {row.runtime: row for row in rows if (row.model, row.precision) == key}
        over = [by_name[name].over_native if name in by_name else None for name in NATIVE]
        peers = {row.ms: row for name in (ORT, OV) if (row := by_name.get(name)) and row.ms is not None}
        auto, best = by_name[AUTO], peers[min(peers)] if peers else by_name[AUTO]
        lines.append([*key, best.runtime, best.ms, auto.ms, auto.over_best, auto.over_exact, *over, auto.off])
    return lines


def main() -> None:
    """Prints a table for each model and precision, and one of ratios."""
    parser = argparse.ArgumentParser(description="Networks through delegates of real runtimes, against these alone.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"a file, or of {', '.join(NETWORKS)}; else all")
    parser.add_argument("--precision", nargs="+", choices=PRECISIONS, default=PRECISIONS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", type=Path, help="write all rows there")
    arguments = parser.parse_args()
    if REDUCED in arguments.precision and not _hint():
        computes = ", ".join(openvino_computes()) if has_openvino() else "no OpenVINO"
        print(f"reduced: no kernels for bf16 or f16 on this machine ({computes}).\n")
    rows: list[Row] = []
    logging.getLogger().setLevel(logging.ERROR)  # the quantizer's advice
    with tempfile.TemporaryDirectory() as name:
        for model in arguments.models or NETWORKS:
            path = written(model, Path(name))
            for precision, file in forms(path, arguments.precision, Path(name)):
                found = compare(file, precision, arguments.threads, arguments.rounds)
                table = [
                    [r.runtime, r.ms, r.over_native, r.over_best, r.over_exact, _short_of(r.off), r.note] for r in found
                ]
                print(f"{file.stem}, {precision}")
                print(tabulate(table, COLUMNS, floatfmt=("", ".3f", ".3f", ".3f", ".3f", "", "")), "\n", flush=True)
                rows += found
    headers = ("model", "precision", "best peer", "ms", "AUTO ms", "AUTO / best", "AUTO / exact", *_short(), "off")
    print(tabulate(summary(rows), headers, floatfmt=("", "", "", *[".3f"] * 6, ".0e")))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


def _short_of(off: float | None) -> str:
    return "" if off is None else f"{off:.0e}"


def _short() -> list[str]:
    return [f"{name.removeprefix('ours, ')} / native" for name in NATIVE]


if __name__ == "__main__":
    main()
