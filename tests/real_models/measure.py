"""One model under every configuration, against the runtime it was made for."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from lite_delegate import Context, Model
from lite_delegate.devices.registry.delegate_spec import is_auto, resolve_delegates
from lite_delegate.formats import read_model
from lite_delegate.npu.profiles import profile_names
from lite_delegate.numerics.metrics import metrics_of
from lite_delegate.passes.optimize import optimize

from .answers import answer_of
from .catalog import RealModel
from .inputs import made
from .native import Run, native_name, native_run

DEFAULT_NPU = "npu:generic"
CONFIGURATIONS = ("none", *(f"npu:{name}" for name in profile_names()), "onnxruntime", "openvino", "auto")
TIMED = ("none", "onnxruntime", "openvino", "auto")
"""Configurations whose time says something: the NPU is simulated."""
QUICK = ("none", DEFAULT_NPU, "onnxruntime")
EXPECTED = Path(__file__).with_name("expected")
LEAST_SNR_DB = {"none": 60.0, "npu": 20.0, "onnxruntime": 40.0, "openvino": 40.0, "auto": 40.0}
_TURNS = 5


@dataclass(frozen=True)
class Row:
    """What one configuration makes of one model.

    Attributes:
        package, model, configuration: names.
        judge: what the outputs are compared with; "" where nothing can judge.
        kernels, delegated, subgraphs: of the plan.
        snr_db, cosine: the least over all outputs; None without a judge, or where an output is not finite and should.
        answer: what is read off the outputs, None where nothing is.
        ratio: its time over the native runtime's, of the medians of runs in turns; None where it says nothing.
        problems: what is not as expected.
        is_known: the list knows that it is not.
    """

    package: str
    model: str
    configuration: str
    judge: str = ""
    kernels: int = 0
    delegated: int = 0
    subgraphs: int = 0
    snr_db: float | None = None
    cosine: float | None = None
    answer: Any = None
    ratio: float | None = None
    problems: tuple[str, ...] = ()
    is_known: bool = False

    @property
    def coverage(self) -> float:
        """Percent of kernels that the delegate took."""
        return 100 * self.delegated / max(1, self.kernels)


def rows_of(
    package: str, model: RealModel, folder: Path, pictures: Path, configurations: Sequence[str] = CONFIGURATIONS
) -> list[Row]:
    """A row for each configuration; one row where the model cannot be read, or its judge not run."""
    try:
        return _rows(package, model, folder, pictures, configurations)
    except Exception as e:  # The other models are still run.
        return [Row(package, model.name, "(all)", problems=(_told(e),))]


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}"


def _rows(package: str, model: RealModel, folder: Path, pictures: Path, configurations: Sequence[str]) -> list[Row]:
    path = folder / model.path
    graph = optimize(read_model(path)).graph
    shapes = [list(v.shape or ()) for v in graph.inputs] if not model.shapes else model.shapes
    arrays = [made(recipe, shape, pictures) for recipe, shape in zip(model.inputs, shapes, strict=True)]
    given = {v.name: array.shape for v, array in zip(graph.inputs, arrays, strict=True)}
    judge, want, native = _judged(model, path, arrays)
    rows = []
    for configuration in configurations:
        row = Row(package, model.name, configuration, judge, is_known=model.is_known(configuration))
        try:
            graph = optimize(read_model(path, given)).graph
            rows.append(_measured(row, model, path, graph, arrays, want, native))
        except Exception as e:  # A row says what went wrong, and the others are still run.
            rows.append(replace(row, problems=(_told(e),)))
    return rows


def _judged(model: RealModel, path: Path, arrays: Sequence[Any]) -> tuple[str, list[Any] | None, Run | None]:
    """The name of the judge, its outputs, and how it runs again."""
    if model.judged_by:
        with np.load(EXPECTED / model.judged_by) as stored:
            return (
                f"{model.judged_by.partition('.')[0]}, stored",
                [stored[f"arr_{i}"] for i in range(len(stored))],
                None,
            )
    run = native_run(path, arrays)
    return native_name(path), run(), run


def _measured(
    row: Row,
    model: RealModel,
    path: Path,
    graph: Any,
    arrays: Sequence[Any],
    want: list[Any] | None,
    native: Run | None,
) -> Row:
    context = Context()
    context.set_delegates(resolve_delegates([row.configuration]))
    if is_auto([row.configuration]):
        context.partition = replace(context.partition, placement="fastest")
    built = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        built.build_from_graph(graph, context)
        named = {t.name: array for t, array in zip(built.get_inputs(), arrays, strict=True)}
        outputs = [t.get_data_to_numpy() for t in built.predict(named)]
        is_timed = row.configuration in TIMED and native is not None
        ratio = _ratio(lambda: built.predict(named), native) if is_timed and native is not None else None
    partition = built.get_partition()
    row = replace(
        row,
        kernels=len(partition.nodes),
        delegated=sum(node.subgraph is not None for node in partition.nodes),
        subgraphs=len(partition.subgraphs),
        answer=None if model.answer is None else answer_of(model.answer, outputs, path),
        ratio=ratio,
    )
    if want is not None:
        metrics = [metrics_of(got.reshape(w.shape), w) for got, w in zip(outputs, want, strict=True)]
        least = [m.snr_db for m in metrics]
        snr = None if None in least else min(n for n in least if n is not None)
        row = replace(row, snr_db=snr, cosine=min(m.cosine or 0.0 for m in metrics))
    return replace(row, problems=tuple(_problems(row, model)))


def _problems(row: Row, model: RealModel) -> list[str]:
    kind = row.configuration.partition(":")[0]
    usual = LEAST_SNR_DB[kind]
    least = model.least_snr_db.get(row.configuration, model.least_snr_db.get(kind, usual))
    found = []
    if row.judge and (row.snr_db is None or row.snr_db < least):
        found.append(f"expected {least:.0f} dB, found {'none' if row.snr_db is None else f'{row.snr_db:.1f}'}")
    if model.answer is not None and row.answer != model.answer.expect and least >= usual:
        found.append(f"expected the answer {model.answer.expect!r}, found {row.answer!r}")
    profile = row.configuration.partition(":")[2]
    if row.coverage < model.least_coverage.get(profile, 0):
        found.append(f"expected {model.least_coverage[profile]:.0f} % of kernels, found {row.coverage:.1f}")
    if row.subgraphs > model.most_subgraphs.get(profile, row.subgraphs):
        found.append(f"expected up to {model.most_subgraphs[profile]} subgraphs, found {row.subgraphs}")
    return found


def _ratio(ours: Callable[[], Any], native: Run) -> float:
    """Times in turns, so that what else the machine does falls on both."""
    times: list[list[float]] = [[], []]
    for _ in range(_TURNS):
        for run, kept in zip((ours, native), times, strict=True):
            begin = time.perf_counter()
            run()
            kept.append(time.perf_counter() - begin)
    return median(times[0]) / median(times[1])
