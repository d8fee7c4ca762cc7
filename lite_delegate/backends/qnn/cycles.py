"""Cycles of a session's layers, which the plugin writes into a file of comma-separated values while the session runs.

Columns: a number, the kind of line, a value, its unit, its source, its level, and what was measured. A line of the
kind NODE has the cycles of one node of the HTP's graph: its name is an ONNX node's, ``:OpId_`` and a number. A run
ends with a line of the kind EXECUTE.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...delegate import LayerTime
from ...tensors.tensor import Array
from ..onnxruntime.sessions.layers import WrittenLayer, layer_of
from ..onnxruntime.sessions.session import SessionSettings

RUNS = 3
"""Runs that are measured behind one that warms up: the emulator is slow."""
OPTIONS = {"profiling_level": "detailed"}
BESIDE = ("DequantizeLinear", "QuantizeLinear", "Transpose", "Reshape", "Cast", "Identity")
"""Operators that stand beside the operator of a kernel."""
FILE_OPTION = "profiling_file_path"
_NODE = re.compile(r"^(.*?)(?::OpId_\d+| OpId_\d+) \(cycles\)$")
_TOTAL = "Accelerator (execute) time"


def measured_layers(
    settings: SessionSettings,
    session_for: Callable[[SessionSettings], Any],
    written: Mapping[str, WrittenLayer],
    inputs: Sequence[Array],
    implementation: str,
) -> list[LayerTime]:
    """The mean times and cycles of the layers of a model.

    Args:
        settings: the settings of the session that runs.
        session_for: makes a session with other settings.
        written: the layers that the model's nodes were written for, by the name of their first result.
        inputs: in the order of the session's inputs.
        implementation: where the layers ran, in words.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "cycles.csv"
        options = {**settings.provider_options, **OPTIONS, FILE_OPTION: str(file)}
        session = session_for(replace(settings, provider_options=options))
        feeds = dict(zip([each.name for each in session.get_inputs()], inputs, strict=True))
        for _ in range(1 + RUNS):
            session.run(None, feeds)
        del session
        with file.open(newline="") as text:
            return layers_in(csv.reader(text), written, implementation)


def layers_in(
    rows: Iterable[Sequence[str]], written: Mapping[str, WrittenLayer], implementation: str
) -> list[LayerTime]:
    """The mean times and cycles of the layers that lines tell of; the first run is left out.

    The device's time of a run is shared out among the layers by their cycles.
    """
    runs = _runs(rows)[1:]
    cycles: Counter[str] = Counter()
    taken_us: dict[str, float] = {}
    for nodes, run_us in runs:
        total = sum(nodes.values()) or 1
        for node, count in nodes.items():
            name = layer_of(node, written) or node
            cycles[name] += count
            taken_us[name] = taken_us.get(name, 0.0) + run_us * count / total
    types: dict[str, str] = {}
    for each in written.values():
        if each.name and (each.type not in BESIDE or each.name not in types):
            types[each.name] = each.type
    ran = [
        LayerTime(
            name,
            types.get(name, "HTP"),
            implementation,
            taken_us[name] / len(runs),
            None,
            was_run=True,
            cycles=round(count / len(runs)),
        )
        for name, count in cycles.items()
    ]
    gone = [name for name in types if name not in cycles]
    return ran + [LayerTime(name, types[name], "", 0.0, None, was_run=False) for name in gone]


def _runs(rows: Iterable[Sequence[str]]) -> list[tuple[Counter[str], float]]:
    """The cycles of the nodes, and the microseconds, of each run."""
    found: list[tuple[Counter[str], float]] = []
    nodes: Counter[str] = Counter()
    run_us = 0.0
    for row in rows:
        if len(row) < 7 or not row[2].isdecimal():
            continue
        kind, value, unit, text = row[1], int(row[2]), row[3], row[6]
        if kind == "NODE" and unit == "CYCLES" and (node := _NODE.match(text)):
            nodes[node[1]] += value
        elif kind == "BACKEND" and unit == "US" and text == _TOTAL:
            run_us = float(value)
        elif kind == "EXECUTE":
            found.append((nodes, run_us))
            nodes, run_us = Counter(), 0.0
    return found
