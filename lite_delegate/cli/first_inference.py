"""First inferences of new processes, part by part: from the file alone (FEIL), and from a cache (FIL)."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..basics.data_class import dataclass
from ..errors import InputError, LiteDelegateError
from ..mindspore.model import Model
from ..reporting.facts_page import facts_page, html_table
from ..reporting.forms import ReportData, forms
from ..reporting.markdown import padded_table
from ..reporting.terminal import table
from ..sections.sections import is_model_file
from .options.build_options import BuildOptions
from .options.model_inputs import input_arrays

UNSET = ("PYTHONDONTWRITEBYTECODE", "LITE_DELEGATE_NPU_CACHE_DIR")
"""The environment variables that processes do not get.

With the first, each process would compile Python's modules anew, which installed packages need not. With the second,
the simulated driver would keep compiled programs, and only the cache is to keep them.
"""
CODE = """
import time
began = time.monotonic_ns()
from lite_delegate.cli.first_inference import serve
serve(began)
"""
COMPILED, CACHED, LOADED = "compile", "compile, or load from the cache", "load"
"""The part in which the model is made: of its own file without and with a cache, and of a compiled model's."""
RUNS = 3
"""Processes of each kind where the user says nothing."""


@dataclass(frozen=True, slots=True)
class FirstInference:
    """The first inference of a process.

    Attributes:
        parts: nanoseconds of each step, by name, from the start of the process on.
        cache: the outcome of the cache, in words.
    """

    parts: Mapping[str, int]
    cache: str

    @property
    def total(self) -> int:
        """Nanoseconds of all of it."""
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class Order:
    """The work of a new process, which the command that starts it sends pickled.

    Attributes:
        started: when it was started, in nanoseconds of the machine's monotonic clock.
    """

    started: int
    building: BuildOptions
    model: Path
    seed: int


@dataclass(frozen=True, slots=True)
class FirstInferences(ReportData):
    """First inferences of each kind of process, FEIL and FIL: of ``runs`` processes the one of median length."""

    model: str
    delegates: tuple[str, ...]
    runs: int
    kinds: Mapping[str, FirstInference]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data: nanoseconds."""
        kinds = {
            name: {"total_ns": each.total, "parts_ns": dict(each.parts), "cache": each.cache}
            for name, each in self.kinds.items()
        }
        return {"model": self.model, "delegates": list(self.delegates), "runs": self.runs, **kinds}

    def to_json(self) -> str:
        """The figures as JSON text on one line."""
        return json.dumps(self.to_dict())


def measured(order: Order, runs: int) -> FirstInferences:
    """First inferences of processes that are started one after the other: of each kind the one of median length.

    Of a compiled model's file there is one kind, FIL: it is what is kept.

    Args:
        order: what to do; where its cache has no folder, one is made and removed.
        runs: processes of each kind that are counted. One of each is not, which fills the cache.

    Raises:
        InputError: a process failed, in its own words.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = order.building.cache_dir or Path(folder)
        kinds = {"FEIL": replace(order.building, cache_dir=None), "FIL": replace(order.building, cache_dir=kept)}
        if is_model_file(order.model):
            kinds = {"FIL": order.building}
        orders = {name: replace(order, building=each) for name, each in kinds.items()}
        for each in orders.values():
            _of_process(each)
        found: dict[str, list[FirstInference]] = {name: [] for name in orders}
        for _ in range(runs):
            for name, each in orders.items():
                found[name].append(_of_process(each))
    medians = {name: sorted(each, key=lambda one: one.total)[len(each) // 2] for name, each in found.items()}
    return FirstInferences(str(order.model), tuple(order.building.specs), runs, medians)


def _of_process(order: Order) -> FirstInference:
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    given = pickle.dumps(replace(order, started=time.monotonic_ns()))
    done = subprocess.run([sys.executable, "-c", CODE], input=given, capture_output=True, env=environment)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        raise InputError(f"--first-inference: the process that runs '{order.model}' ended: {last[0]}")
    said = json.loads(done.stdout.splitlines()[-1])
    if said.get("error"):
        raise InputError(said["error"])
    return FirstInference(said["parts"], said["cache"])


def serve(began: int) -> None:
    """Does the work that the order on standard input describes, and writes the time of each part.

    Args:
        began: when the process came to its first line, in nanoseconds of the monotonic clock.
    """
    order: Order = pickle.load(sys.stdin.buffer)
    marks = {"start of Python": began, "imports": time.monotonic_ns()}
    try:
        model = _run(order, marks)
    except LiteDelegateError as e:
        print(json.dumps({"error": str(e)}))
        return
    ends = list(marks.values())
    parts = dict(zip(marks, (b - a for a, b in zip([order.started, *ends], ends, strict=False)), strict=True))
    print(json.dumps({"parts": parts, "cache": model.cache_outcome.text}))
    model.close()


def _run(order: Order, marks: dict[str, int]) -> Model:
    """Builds the model and runs it once; notes when each part has ended."""
    building = order.building
    is_compiled = is_model_file(order.model)
    made = LOADED if is_compiled else COMPILED if building.cache_dir is None else CACHED
    if is_compiled or (building.cache_dir is not None and building.is_as_in_file()):
        building.check_compiled(order.model)
        model = building.built_from_file(order.model)
    else:
        graph = building.with_states(building.read(order.model))
        marks["read"] = time.monotonic_ns()
        model = building.build(graph, order.model)
    marks[made] = time.monotonic_ns()
    arrays, _ = input_arrays(model, {}, order.seed)
    marks["inputs"] = time.monotonic_ns()
    request = model.create_request()
    marks["request"] = time.monotonic_ns()
    request.infer(arrays)
    marks["inference"] = time.monotonic_ns()
    return model


HEADS = ("", "part", "ms")
CARDS_BELOW = 300
"""Pixels that the columns need."""


def _text(found: FirstInferences) -> str:
    return _told(found, table(HEADS, _rows(found), right=("ms",)))


def _markdown(found: FirstInferences) -> str:
    return _told(found, padded_table(HEADS, _rows(found), right=(2,)))


def _rows(found: FirstInferences) -> list[tuple[str, str, str]]:
    return [
        (name, part, f"{ns / 1e6:.1f}")
        for name, each in found.kinds.items()
        for part, ns in (*each.parts.items(), ("all", each.total))
    ]


def _page(found: FirstInferences) -> str:
    figures = html_table("Parts of the time", ("kind", "part", "ms"), _rows(found), right=("ms",))
    facts = [("measured", _said(found)), *_notes(found)]
    return facts_page("First inference of new processes", facts, [figures], cards_below=CARDS_BELOW)


def _told(found: FirstInferences, figures: str) -> str:
    """The figures in a table, with words around it."""
    return "\n\n".join([_said(found), figures, *(f"{name}: {text}" for name, text in _notes(found))]) + "\n"


def _said(found: FirstInferences) -> str:
    kinds = (
        "FEIL from the file, with nothing kept; FIL from the cache" if "FEIL" in found.kinds else "FIL from the file"
    )
    return f"First inference of new processes, the median of {found.runs} of each kind: {kinds}."


def _notes(found: FirstInferences) -> list[tuple[str, str]]:
    return [(name, f"{each.cache}.") for name, each in found.kinds.items()]


FORMS = forms(_text, markdown=_markdown, html=_page)
"""The forms of ``FirstInferences``."""
