"""Networks through our delegates of real runtimes, against these runtimes alone, in one run.

Run: python benchmarks/backends.py [MODEL ...] [--precision f32 reduced int8] [--threads N] [--rounds N] [--json FILE]

A MODEL is an .onnx file or a network of ``benchmarks/zoo.py``; without one, all of those. Every runtime gets the same
file and the same number of threads; 0 leaves it to each, and "ours, fastest" may choose one thread. "reduced" is bf16
or f16, where OpenVINO has kernels for it on this machine. "int8" is the model as ONNX Runtime quantizes it (QDQ); files
that are quantized already are compared as they are.

"Off" is the distance of the results from those of ONNX Runtime without any optimization, relative, as root of mean
squares: quantized models differ by steps of their quantization, and native 8-bit kernels of processors without VNNI
overflow. Runtimes run in turns; before a turn comes a rest, in which the others' threads stop waiting for work, and a
call that is not measured. Ratios are of the shortest calls, which other work on the machine disturbs least. "Over
native" is a delegate's time over that of its own runtime; "over best" that of all the peers', "over exact" that of the
peers that are as near as ours have to be. Runtimes that are not installed are left out; one that cannot run a model,
or is too far off, has a row that says so, and the exit status is 1 where that is one of ours.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tabulate import tabulate

from benchmarks.guarded import said
from benchmarks.runtimes import (
    FLOAT32,
    Call,
    Feeds,
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
from lite_delegate.report.changes.summary import alternative_texts

REDUCED, INT8 = "reduced", "int8"
PRECISIONS = (FLOAT32, REDUCED, INT8)
HINTS = {"BF16": "bf16", "FP16": "f16"}
"""Reduced precision in the words of OpenVINO's capabilities, and of its hint."""
MOST_OFF = {FLOAT32: 1e-3, REDUCED: 0.05, INT8: 0.1}
"""How far ours may be off."""
ORT, OV, HOST, AUTO = "ONNX Runtime", "OpenVINO", "ours, host", "ours, fastest"
NATIVE = {"ours, onnxruntime": ORT, "ours, openvino": OV}
CANNOT, TOO_FAR_OFF = "cannot", "too far off"
"""How notes begin of what failed."""
COLUMNS = ("runtime", "precision", "threads", "ms", "over native", "over best", "over exact", "off", "ran on")


@dataclass(frozen=True)
class Row:
    """A runtime with a model: the precision and threads asked for, shortest call, ratios, distance, where nodes run.

    A runtime that cannot run the model has none of the numbers, and why not in place of where.
    """

    model: str
    precision: str
    threads: int
    runtime: str
    ms: float | None
    over_native: float | None
    over_best: float | None
    over_exact: float | None
    off: float | None
    note: str

    @property
    def ratios(self) -> tuple[float | None, float | None, float | None]:
        """Over its own runtime, over the best peer, and over the best that is as exact."""
        return self.over_native, self.over_best, self.over_exact


def compare(path: Path, precision: str, threads: int, rounds: int) -> list[Row]:
    """A row for each runtime. One that cannot run the model, or is too far off, has a note that says so."""
    feeds = random_feeds(path)
    hint = _hint() if precision == REDUCED else FLOAT32
    exact = native_onnx_runtime(path, feeds, threads, optimizes=False)()
    calls, notes = natives(_peers(path, feeds, threads, hint))
    peers = list(calls)
    mine, said = our_calls(path, feeds, threads, hint)
    calls, notes = calls | mine, notes | said
    off = {name: max(map(distance, call(), exact)) for name, call in calls.items()}
    for name in mine:
        if not off[name] <= MOST_OFF[precision]:
            notes[name] = f"{TOO_FAR_OFF}: {off[name]:.2g}, at most {MOST_OFF[precision]:.2g}\n  {notes[name]}"
    taken = take_turns(list(calls.values()), rounds)
    ms = {name: 1e3 * min(times) for name, times in zip(calls, taken, strict=True)}
    best = min((ms[name] for name in peers), default=min(ms.values()))
    best_exact = min((ms[name] for name in peers if off[name] <= _enough(off)), default=best)

    def row(name: str) -> Row:
        if name not in ms:
            return Row(path.stem, precision, threads, name, None, None, None, None, None, notes[name])
        native = ms[name] / ms[NATIVE[name]] if NATIVE.get(name) in ms else None
        over = native, ms[name] / best, ms[name] / best_exact
        return Row(path.stem, precision, threads, name, ms[name], *over, off[name], notes[name])

    return [row(name) for name in notes]


def _peers(path: Path, feeds: Feeds, threads: int, hint: str) -> dict[str, Callable[[], Call]]:
    """Makers of calls of the peers, the runtimes without a delegate, by name."""
    made_by: dict[str, Callable[[], Call]] = {ORT: lambda: native_onnx_runtime(path, feeds, threads)}
    if has_openvino():
        made_by[OV] = lambda: native_openvino(path, feeds, threads, hint)
    return made_by


def our_calls(path: Path, feeds: Feeds, threads: int, hint: str) -> tuple[dict[str, Call], dict[str, str]]:
    """Calls of ours that can run a model, and for each a note: where its nodes run, or why it cannot."""
    delegates: dict[str, Delegate] = {"ours, onnxruntime": OnnxRuntimeDelegate(threads=threads)}
    if has_openvino():
        delegates["ours, openvino"] = OpenVINODelegate(threads=threads, options={"INFERENCE_PRECISION_HINT": hint})
    sets = {HOST: ([], "count"), **{name: ([each], "count") for name, each in delegates.items()}}
    sets[AUTO] = (list(delegates.values()), "fastest")
    wheres: dict[str, str] = {}

    def make(name: str) -> Call:
        several, placement = sets[name]
        made = ours(several, path, feeds, threads, placement)
        wheres[name] = "\n  ".join([made.where, *alternative_texts(made.report)])
        return made.call

    calls, notes = natives({name: partial(make, name) for name in sets})
    return calls, {name: note or wheres[name] for name, note in notes.items()}


def natives(made_by: Mapping[str, Callable[[], Call]]) -> tuple[dict[str, Call], dict[str, str]]:
    """The runtimes that can run a model, and for each a note: why it cannot, "" where it can."""
    calls: dict[str, Call] = {}
    notes = dict.fromkeys(made_by, "")
    for name, make in made_by.items():
        try:
            call = make()
            call()
            calls[name] = call
        except Exception as e:  # runtimes raise what they like
            notes[name] = f"{CANNOT}: {said(e)}"
    return calls, notes


def _enough(off: dict[str, float]) -> float:
    """The largest error of a peer that counts as exact as the plan of placement "fastest"."""
    return max(2 * off.get(AUTO, 0.0), MOST_OFF[FLOAT32])


def _hint() -> str:
    """The reduced precision that OpenVINO has kernels for here, "" for none."""
    computes = openvino_computes() if has_openvino() else []
    return next((hint for word, hint in HINTS.items() if word in computes), "")


def forms(path: Path, precisions: Sequence[str], folder: Path) -> list[tuple[str, Path]]:
    """The forms of a model that are compared: each precision with its file."""
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
        if AUTO not in by_name:  # the model itself cannot be measured
            continue
        auto, best = by_name[AUTO], peers[min(peers)] if peers else by_name[AUTO]
        wrong = "; ".join(row.runtime for row in by_name.values() if row.note.startswith(TOO_FAR_OFF))
        numbers = best.ms, auto.ms, auto.over_best, auto.over_exact, *over, auto.off
        lines.append([*key, auto.threads, best.runtime, *numbers, wrong])
    return lines


def main() -> None:
    """Prints a table for each model and precision, and one of ratios."""
    parser = argparse.ArgumentParser(description="Networks through delegates of real runtimes, against these alone.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"a file, or of {', '.join(NETWORKS)}; else all")
    parser.add_argument("--precision", nargs="+", choices=PRECISIONS, default=PRECISIONS)
    parser.add_argument("--threads", type=int, default=2, help="0 leaves it to the runtimes")
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
            for precision, file, found in _measured(model, arguments, Path(name)):
                table = [[r.runtime, r.precision, r.threads, r.ms, *r.ratios, _short_of(r.off), r.note] for r in found]
                print(f"{file.stem}, {precision}")
                print(tabulate(table, COLUMNS, floatfmt=("", "", "", *[".3f"] * 4, "", "")), "\n", flush=True)
                rows += found
    ratios = "AUTO ms", "AUTO / best", "AUTO / exact", *_short()
    headers = ("model", "precision", "threads", "best peer", "ms", *ratios, "off", "too far off")
    print(tabulate(summary(rows), headers, floatfmt=("", "", "", "", *[".3f"] * 6, ".0e", "")))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    failed = [
        row for row in rows if row.note.startswith(TOO_FAR_OFF) or (row.ms is None and row.runtime not in (ORT, OV))
    ]
    sys.exit(1 if failed else 0)


def _measured(model: str, arguments: argparse.Namespace, folder: Path) -> Iterator[tuple[str, Path, list[Row]]]:
    """Each form of a model with its rows; one that says why where it cannot be measured at all."""
    threads, file, precision = arguments.threads, Path(model), arguments.precision[0]
    try:
        for precision, file in forms(written(model, folder), arguments.precision, folder):
            yield precision, file, compare(file, precision, threads, arguments.rounds)
    except Exception as e:  # the file is none, or the runtime that says what is exact cannot run it
        why = f"{CANNOT}: {said(e)}"
        yield precision, file, [Row(file.stem, precision, threads, "all", None, None, None, None, None, why)]


def _short_of(off: float | None) -> str:
    return "" if off is None else f"{off:.0e}"


def _short() -> list[str]:
    return [f"{name.removeprefix('ours, ')} / native" for name in NATIVE]


if __name__ == "__main__":
    main()
