"""Open batch: the model with its first dimension open, given the case's own inputs."""

from __future__ import annotations

from contextlib import closing

from ...errors import LiteDelegateError
from ...ir import Graph, Value
from ...mindspore.model import Model
from ..finding import Finding
from ..judging.chain import chain_graph
from ..reports.defects import Defect, Stage
from .trial import Trial, build, run

OPEN = -1


def check_open_batch(trial: Trial) -> Finding | None:
    """The failure where the delegate wrongly assumed a size of the open first dimension.

    A model whose first dimension is open is built as if it were 1, and is resized to the case's inputs afterwards. An
    operator has no open batch where the CPU alone cannot do the same, and nothing is judged where the delegate claims
    nothing of the resized model.
    """
    if not any(x.ndim for x in trial.chain.inputs.values()):
        return None
    try:
        model = build(_opened(trial), trial.delegate)
    except LiteDelegateError as e:
        return _unless_the_cpu_fails(trial, e)
    with closing(model):
        try:
            _resize(model, trial)
            if not model.get_graph_kernels():
                return None
            wrong = trial.first.mismatch(run(model, trial.first))
        except LiteDelegateError as e:
            return _unless_the_cpu_fails(trial, e)
    return Finding(Stage.OPEN_BATCH, wrong, Defect.FIXED_BATCH) if wrong else None


def _opened(trial: Trial) -> Graph:
    graph = chain_graph(trial.chain)
    for value in graph.inputs:
        value.shape = _open(value)
    return graph


def _open(value: Value) -> tuple[int, ...] | None:
    return (OPEN, *value.shape[1:]) if value.shape else value.shape


def _resize(model: Model, trial: Trial) -> None:
    inputs = model.get_inputs()
    model.resize(inputs, [list(trial.first.inputs[each.name].shape) for each in inputs])


def _unless_the_cpu_fails(trial: Trial, error: LiteDelegateError) -> Finding | None:
    """A failure is the delegate's where the CPU alone has an answer."""
    try:
        with closing(build(_opened(trial), None)) as model:
            _resize(model, trial)
            if trial.first.mismatch(run(model, trial.first)):
                return None
    except LiteDelegateError:
        return None
    return Finding(Stage.OPEN_BATCH, str(error), Defect.FIXED_BATCH)
