"""Whatever is done to the states of requests, they hold what a model of a few lines of Python holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lite_delegate_kernels import Array

from lite_delegate import Context, KernelError
from lite_delegate.errors import RequestCancelled
from lite_delegate.inference import InferRequest, StateSnapshot, compile_graph
from lite_delegate.ir import DataType, Graph, Node, Value, constant, make_primitive
from lite_delegate.runtime.settings import Settings
from tests.runtime import control_graphs as control

START = {"total": 5, "before": 3}


@dataclass
class Sums:
    """The model in plain Python: total += x; before = what total was."""

    total: int = START["total"]
    before: int = START["before"]

    def run(self, x: int) -> int:
        self.before, self.total = self.total, self.total + x
        return self.total


def graph() -> Graph:
    """The same as a graph, behind a node that the test can make fail or wait."""
    x, y = (Value(name, DataType.INT32, ()) for name in ("x", "y"))
    total, before = (constant(name, np.array(value, np.int32)) for name, value in START.items())
    nodes = [
        control.node("keep", "Assign", [before, total], Value("kept", DataType.INT32, ())),
        control.node("add", "AssignAdd", [total, x], Value("sum", DataType.INT32, ())),
    ]
    nodes.append(Node("trouble", make_primitive("Custom", type="Trouble"), [control.out(nodes[1])], [y]))
    return Graph("main", [x], [y], nodes)


NUMBERS = st.integers(-9, 9)


class Lives(RuleBasedStateMachine):
    """Two requests of one model, and the snapshots of both."""

    @initialize(shared=st.booleans())
    def begin(self, shared: bool) -> None:
        context = Context()
        context.register_custom("Trouble", self.trouble)
        settings = Settings(customs=context.custom_operators, shared_state_buffers=shared)
        compiled = compile_graph(graph(), settings)
        self.kind = ""
        self.running: InferRequest | None = None
        self.requests: list[InferRequest] = [compiled.create_infer_request() for _ in range(2)]
        self.models = [Sums(), Sums()]
        self.snapshots: list[tuple[StateSnapshot, Sums]] = []

    def trouble(self, given: Sequence[Array | None], attributes: Mapping[str, bytes]) -> Array:
        if self.kind == "fail":
            raise OSError("trouble")
        if self.kind == "cancel":
            assert self.running is not None
            assert self.running.cancel()
        assert given[0] is not None
        return given[0]

    @rule(which=st.integers(0, 1), x=NUMBERS)
    def run(self, which: int, x: int) -> None:
        self.kind = ""
        (y,) = self.requests[which].infer([np.array(x, np.int32)])
        assert y == self.models[which].run(x)

    @rule(which=st.integers(0, 1), x=NUMBERS, kind=st.sampled_from(["fail", "cancel"]))
    def run_in_vain(self, which: int, x: int, kind: str) -> None:
        self.kind, self.running = kind, self.requests[which]
        with pytest.raises(KernelError if kind == "fail" else RequestCancelled):
            self.requests[which].infer([np.array(x, np.int32)])

    @rule(which=st.integers(0, 1))
    def reset(self, which: int) -> None:
        self.requests[which].reset_state()
        self.models[which] = Sums()

    @rule(which=st.integers(0, 1), value=NUMBERS, name=st.sampled_from(list(START)))
    def put(self, which: int, value: int, name: str) -> None:
        (state,) = [s for s in self.requests[which].query_state() if s.name == name]
        state.value = np.array(value, np.int32)
        setattr(self.models[which], name, value)

    @rule(which=st.integers(0, 1), name=st.sampled_from(list(START)))
    def reset_one(self, which: int, name: str) -> None:
        (state,) = [s for s in self.requests[which].query_state() if s.name == name]
        state.reset()
        setattr(self.models[which], name, START[name])

    @rule(which=st.integers(0, 1))
    def put_aside(self, which: int) -> None:
        model = self.models[which]
        self.snapshots.append((self.requests[which].snapshot(), Sums(model.total, model.before)))

    @precondition(lambda self: self.snapshots)
    @rule(which=st.integers(0, 1), data=st.data())
    def take_back(self, which: int, data: st.DataObject) -> None:
        snapshot, model = data.draw(st.sampled_from(self.snapshots))
        self.requests[which].restore(snapshot)
        self.models[which] = Sums(model.total, model.before)

    @rule(which=st.integers(0, 1))
    def fork(self, which: int) -> None:
        self.requests[which].fork_state(self.requests[1 - which])
        model = self.models[1 - which]
        self.models[which] = Sums(model.total, model.before)

    @invariant()
    def states_are_those_of_the_model(self) -> None:
        for request, model in zip(getattr(self, "requests", []), getattr(self, "models", []), strict=True):
            assert {s.name: int(s.value) for s in request.query_state()} == vars(model)
        for snapshot, model in getattr(self, "snapshots", []):
            assert {name: int(value) for name, value in snapshot.items()} == vars(model)


TestLives = Lives.TestCase
TestLives.settings = hypothesis_settings(max_examples=40, stateful_step_count=25, deadline=None)
