"""Times of ONNX Runtime's layers. ONNX Runtime profiles a session from its start to its end, so a second session is
made.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from threading import Lock
from typing import Any

from ....basics.data_class import dataclass
from ....delegate import LayerTime
from ....tensors.tensor import Array

RUNS = 5
"""Runs that are measured; their mean is told."""
EVENT = "_kernel_time"
"""Ends the names of events that are one node's."""
BLOCKED = "_nchwc"
"""Ends the names of nodes whose tensors have channels in blocks, behind the name of their result."""
MOST_TAKEN_IN = 16
"""The most nodes and constants that are searched for the operator of a fused node."""
RESULT = re.compile(r"[a-z]\d+")
"""The names of results that the emitter wrote; ONNX Runtime appends words to the names of nodes that it rewrites."""
PROVIDER = "ExecutionProvider"


@dataclass(frozen=True, slots=True)
class WrittenLayer:
    """A node that was handed to ONNX Runtime.

    Attributes:
        name: the name of its kernel.
        type: its operator.
        inputs: the names of its inputs.
    """

    name: str
    type: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class WholeModel:
    """An ONNX model.

    Attributes:
        content: its bytes.
        outside: constants that are not in the bytes, by name.
        written: the layers that its nodes were written for, by the name of their first result.
    """

    content: bytes
    outside: Mapping[str, Array]
    written: Mapping[str, WrittenLayer]


class LayerCounter:
    """Measures the layers of one model, once for each set of shapes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: dict[tuple[tuple[int, ...], ...], list[LayerTime]] = {}

    def layers(self, inputs: Sequence[Array], measure: Callable[[], list[LayerTime]]) -> list[LayerTime]:
        """The times of the layers for inputs of these shapes; measured at the first call."""
        key = tuple(array.shape for array in inputs)
        with self._lock:
            if key not in self._found:
                self._found[key] = measure()
            return self._found[key]


def layers_of(events: Sequence[Mapping[str, Any]], written: Mapping[str, WrittenLayer]) -> list[LayerTime]:
    """The mean times of the layers that a profile tells of, fused layers under the layer that they are part of.

    The first run of the profile warms up, and is left out.
    """
    runs = runs_of(events)[1:]
    took: Counter[tuple[str, str, str]] = Counter()
    for event in (event for run in runs for event in run):
        took[_key(event, written)] += event["dur"]
    ran = [LayerTime(*key, us / len(runs), None, was_run=True) for key, us in took.items()]
    seen = {each.name for each in ran}
    gone = {each.name: each.type for each in written.values() if each.name and each.name not in seen}
    return ran + [LayerTime(name, op, "", 0.0, None, was_run=False) for name, op in gone.items()]


def _key(event: Mapping[str, Any], written: Mapping[str, WrittenLayer]) -> tuple[str, str, str]:
    """Name, operator and implementation of the node of an event."""
    node, told = event["name"].removesuffix(EVENT), event["args"]
    op, provider = told.get("op_name", ""), str(told.get("provider", "")).removesuffix(PROVIDER)
    if node.endswith(BLOCKED):
        node = _computed_by(op, node.removesuffix(BLOCKED), written)
        provider += " NCHWc"
    return layer_of(node, written) or node or op, op, provider


def _computed_by(op: str, result: str, written: Mapping[str, WrittenLayer]) -> str:
    """The first result of the operator that a result comes from through operators which it took in."""
    met = [result]
    for name in met:
        if name not in written or len(met) > MOST_TAKEN_IN:
            continue
        if written[name].type == op:
            return name
        met += written[name].inputs
    return result


def layer_of(node: str, written: Mapping[str, WrittenLayer]) -> str:
    """The name of the kernel that a node of ONNX Runtime was made of, "" where it was made of none."""
    for part in reversed(node.split("/")):
        result = RESULT.match(part)
        if result is not None and result[0] in written and written[result[0]].name:
            return written[result[0]].name
    return ""


def measured(session_for: Callable[[Path], Any], inputs: Sequence[Array]) -> list[Mapping[str, Any]]:
    """The events that ONNX Runtime writes of a session's runs."""
    from tempfile import TemporaryDirectory  # what only runs does without

    with TemporaryDirectory() as folder:
        session = session_for(Path(folder) / "profile")
        feeds = dict(zip([each.name for each in session.get_inputs()], inputs, strict=True))
        for _ in range(1 + RUNS):
            session.run(None, feeds)
        events: list[Mapping[str, Any]] = json.loads(Path(session.end_profiling()).read_bytes())
    return events


def runs_of(events: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The events of nodes, run by run: each run ends with an event of its own."""
    left: Iterator[Mapping[str, Any]] = iter(events)
    runs = sum(event["name"] == "model_run" for event in events)
    found = [list(takewhile(lambda event: event["name"] != "model_run", left)) for _ in range(runs)]
    return [[event for event in run if event["name"].endswith(EVENT)] for run in found]
