"""Steps of a model one of whose inputs is a state: each must be what the input's value gives when it is handed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...inference import InferRequest, make_stateful
from ..case import Array
from ..chain import chain_graph
from ..defects import Defect, Stage
from ..finding import Finding
from ..oracle import Expected, Oracle
from .trial import Trial, build, run

STEPS = 3
Expect = Callable[[Array], Expected | None]


def check_states(trial: Trial) -> Finding | None:
    """What two requests make of a state in turns, against the reference kernels given the state's value as an input.

    An input and an output of one element type and shape become the state; a chain without such a pair has none.
    """
    pair = _pair(trial)
    if pair is None:
        return None
    name, number = pair
    oracle, first = Oracle(trial.chain, trial.grant), trial.first

    def expect(value: Array) -> Expected | None:
        try:
            return oracle.expect({**first.inputs, name: value})
        except Exception:  # a step may leave what the operator can take; that says nothing about the delegate
            return None

    graph = chain_graph(trial.chain, first.outputs)
    initial = {name: first.inputs[name]}
    model = build(make_stateful(graph, {name: trial.chain.outputs[number]}, initial), trial.delegate)
    try:
        requests = (model.compiled.create_infer_request(), model.compiled.create_infer_request())
        for _ in range(STEPS):
            for request in requests:
                finding = _step(request, name, number, expect, initial[name])
                if finding is not None:
                    return finding
        return None
    finally:
        model.close()


def _pair(trial: Trial) -> tuple[str, int] | None:
    """The first input that an output can be the next value of, and the number of that output."""
    outputs, names = trial.first.outputs, trial.chain.outputs
    for name, x in trial.first.inputs.items():
        for number, y in enumerate(outputs):
            once = names.count(names[number]) == 1
            if x.dtype.kind in "fiub" and x.size and once and (x.dtype, x.shape) == (y.dtype, y.shape):
                return name, number
    return None


def _step(request: InferRequest, name: str, number: int, expect: Expect, initial: Array) -> Finding | None:
    (state,) = request.query_state()
    expected = expect(state.value)
    if expected is None:
        return None
    given = {n: x for n, x in expected.inputs.items() if n != name}
    outputs = run(request, replace(expected, inputs=given))
    got = (*outputs[:number], state.value, *outputs[number:])
    detail = expected.mismatch(got)
    if not detail:
        return None
    of_initial = expect(initial)
    lost = of_initial is not None and not of_initial.mismatch(got)
    defect = Defect.STATE_LOST if lost else Defect.STATE_KEPT
    return Finding(Stage.STATES, f"'{name}' as a state: {detail}", defect, data=expected, got=got)
