"""Steps of a model one of whose inputs is a state: each must be what the input's value gives when it is handed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum

from ...basics.data_class import dataclass
from ...inference import InferRequest, make_stateful
from ..finding import Finding
from ..judging.case import Array
from ..judging.chain import chain_graph
from ..judging.oracle import Expected, Oracle
from ..reports.defects import Defect, Stage
from .trial import Trial, build, run


class Before(Enum):
    """The action of a request before a step."""

    NOTHING = 0
    FORK = 1
    RESET = 2


STEPS = (
    (0, Before.NOTHING),
    (1, Before.NOTHING),
    (0, Before.NOTHING),
    (1, Before.FORK),
    (0, Before.NOTHING),
    (0, Before.RESET),
    (1, Before.NOTHING),
)
"""Which of two requests takes a step, and what it does before it."""


def check_states(trial: Trial) -> Finding | None:
    """The failure of two requests with states in turns, against the reference kernels given the state's value as an
    input.

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
        steps = _Steps(name, number, expect, initial[name])
        found = (steps.wrong(requests[n], requests[1 - n], before) for n, before in STEPS)
        return next((finding for finding in found if finding is not None), None)
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


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps of requests of a model with one state.

    Attributes:
        name: of the state.
        number: of the output that gives its next value.
        expect: what is right for a value of the state; None where the operator does not take it.
        initial: its first value.
    """

    name: str
    number: int
    expect: Callable[[Array], Expected | None]
    initial: Array

    def wrong(self, request: InferRequest, other: InferRequest, before: Before) -> Finding | None:
        """The failure of a request's next step; ``other`` is the request that shares the model."""
        kept = _value(request)
        if before is Before.FORK:
            request.fork_state(other)
        elif before is Before.RESET:
            request.reset_state()
        expected = self.expect(_value(request))
        if expected is None:
            return None
        given = {name: x for name, x in expected.inputs.items() if name != self.name}
        outputs = run(request, replace(expected, inputs=given))
        got = (*outputs[: self.number], _value(request), *outputs[self.number :])
        detail = expected.mismatch(got)
        if not detail:
            return None
        explained = {
            Defect.STATE_LOST: self.initial,
            Defect.STATE_LOST_BY_FORK if before is Before.FORK else Defect.STATE_KEPT: kept,
            Defect.STATE_SHARED: _value(other),
        }
        defect = self._explanation(got, explained)
        return Finding(Stage.STATES, f"'{self.name}' as a state: {detail}", defect, data=expected, got=got)

    def _explanation(self, got: tuple[Array, ...], values: Mapping[Defect, Array]) -> Defect | None:
        """The defect whose value of the state gives what came."""
        for defect, value in values.items():
            expected = self.expect(value)
            if expected is not None and not expected.mismatch(got):
                return defect
        return None


def _value(request: InferRequest) -> Array:
    (state,) = request.query_state()
    return state.value
