"""What delegates leave to the CPU, on the kernels of runtimes: which nodes, in which groups, and who runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Delegate,
    DelegateExecuteError,
    DelegateModel,
    DelegateUnavailable,
    FallbackError,
    Kernel,
    PartitionOptions,
)
from lite_delegate.inference import CompiledModel
from lite_delegate.inference.model.compiled_model import of_parts
from lite_delegate.inference.planned.planned_parts import planned_anew
from lite_delegate.inference.running.runner_maker import runner_of
from lite_delegate.ir import Graph
from lite_delegate.runtime.execution.fallback import Fallbacks
from lite_delegate.runtime.records.notices import Notices
from lite_delegate.runtime.settings import Settings
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain

ENOUGH = 26
"""Additions whose calls take numpy longer than a call of a runtime."""
X = np.arange(6, dtype=np.float32).reshape(2, 3)
SUM = X + ENOUGH * (ENOUGH + 1) / 2


class Backend(NamedDelegate):
    """A runtime that claims by name, and counts."""

    name = "backend"

    def __init__(self, names: Sequence[str] | None = None, error: Exception | None = None) -> None:
        super().__init__(names)
        self.error = error
        self.closed = self.released = 0
        self.executed: list[str] = []

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        if self.error is not None:
            raise self.error
        kernel = super().create_graph_kernel(run, model)
        kernel.release = self._release  # type: ignore[method-assign]
        run_group = kernel.execute

        def execute() -> None:
            self.executed.append(kernel.name)
            run_group()

        kernel.execute = execute  # type: ignore[method-assign]
        return kernel

    def _release(self) -> None:
        self.released += 1

    def close(self) -> None:
        self.closed += 1


def compiled(graph: Graph, *backends: Backend, delegate: Delegate | None = None, **settings: Any) -> CompiledModel:
    """The model with runtimes behind a delegate."""
    delegates = () if delegate is None else (delegate,)
    asked = Settings(delegates=delegates, cpu_backends=backends, **settings)
    return of_parts(planned_anew(graph, {}, asked, Notices()))


def predicted(model: CompiledModel) -> np.ndarray:
    return np.asarray(model([X])[0])


def groups(model: CompiledModel) -> list[tuple[str, ...]]:
    return [each.kernels for each in model.partition.cpu_groups]


def names(*numbers: int) -> tuple[str, ...]:
    return tuple(f"n{i}" for i in numbers)


def test_without_a_delegate_all_of_it_runs_on_the_runtime() -> None:
    backend = Backend()
    model = compiled(chain(ENOUGH), backend)
    (group,) = model.partition.cpu_groups
    assert (group.kernels, group.device) == (names(*range(ENOUGH)), "CPU (backend)")
    assert (group.inputs, group.outputs) == (("x",), (f"n{ENOUGH - 1}:0",))
    np.testing.assert_array_equal(predicted(model), SUM)
    assert [kernel.prepared for kernel in backend.made] == [1]
    assert {(node.device, node.subgraph) for node in model.partition.nodes} == {("CPU", None)}
    assert (model.partition.subgraphs, model.graph_kernels) == ((), {})


def test_the_delegate_has_its_subgraphs_and_the_rest_goes_around_them() -> None:
    alone = compiled(chain(2 * ENOUGH + 1), delegate=NamedDelegate(names(ENOUGH))).partition
    model = compiled(chain(2 * ENOUGH + 1), Backend(), delegate=NamedDelegate(names(ENOUGH)))
    found = model.partition
    assert groups(model) == [names(*range(ENOUGH)), names(*range(ENOUGH + 1, 2 * ENOUGH + 1))]
    assert (found.subgraphs, found.delegates, found.nodes) == (alone.subgraphs, alone.delegates, alone.nodes)
    assert list(model.graph_kernels.values()) == [names(ENOUGH)]
    np.testing.assert_array_equal(predicted(model), X + (2 * ENOUGH + 1) * (ENOUGH + 1))


def test_small_groups_stay_with_numpy() -> None:
    backend = Backend()
    model = compiled(chain(ENOUGH + 3), backend, delegate=NamedDelegate(names(2)))
    assert groups(model) == [names(*range(3, ENOUGH + 3))]
    assert len(backend.made) == 1


def test_where_nothing_is_worth_it_the_runtime_is_not_even_started() -> None:
    backend = Backend()
    compiled(chain(3), backend)
    assert backend.inits == 0


def test_another_runtime_gets_what_the_first_leaves_where_that_is_worth_loading_it() -> None:
    first, second = Backend(names(*range(ENOUGH))), Backend()
    second.name = "other"
    model = compiled(chain(2 * ENOUGH), first, second)
    assert (groups(model), second.inits) == ([names(*range(ENOUGH))], 0)
    model = compiled(chain(12 * ENOUGH), first, second)
    assert [(each.device, each.kernels) for each in model.partition.cpu_groups] == [
        ("CPU (backend)", names(*range(ENOUGH))),
        ("CPU (other)", names(*range(ENOUGH, 12 * ENOUGH))),
    ]
    np.testing.assert_array_equal(predicted(model), X + 12 * ENOUGH * (12 * ENOUGH + 1) / 2)


def test_what_cannot_be_made_stays_with_numpy() -> None:
    model = compiled(chain(ENOUGH), Backend(error=ValueError("too large")))
    assert groups(model) == []
    assert model.partition.notes == (
        "CPU (backend) cannot run 26 kernels from 'n0' (AddFusion), numpy does: ValueError: too large",
    )
    np.testing.assert_array_equal(predicted(model), SUM)


def test_a_runtime_that_is_not_there_takes_nothing() -> None:
    class Absent(Backend):
        def init(self) -> None:
            raise DelegateUnavailable("not installed")

    model = compiled(chain(ENOUGH), Absent())
    assert groups(model) == []
    assert model.partition.notes == ("CPU (backend) is not there, its nodes are left to other runtimes: not installed",)
    np.testing.assert_array_equal(predicted(model), SUM)


def test_what_fails_while_it_runs_is_run_by_numpy() -> None:
    backend = Backend()
    model = compiled(chain(ENOUGH), backend)

    def fail() -> None:
        raise DelegateExecuteError("it broke")

    backend.made[0].execute = fail  # type: ignore[method-assign]
    np.testing.assert_array_equal(predicted(model), SUM)
    (note,) = model.partition.notes
    assert note == "Group 'cpu_backend' of the CPU failed once, numpy ran it instead. The last error: it broke"


def test_in_a_forked_process_numpy_runs_the_groups() -> None:
    backend, graph = Backend(), chain(ENOUGH)
    parts = planned_anew(graph, {}, Settings(cpu_backends=(backend,)), Notices())
    fallbacks = Fallbacks(parts.scheduled.plan)
    run = runner_of(parts.scheduled, fallbacks)
    (group,) = parts.scheduled.plan.cpu_groups
    np.testing.assert_array_equal(run.run([X])[0], SUM)
    calls = len(backend.executed)
    fallbacks.of(group).after_fork()
    np.testing.assert_array_equal(run.run([X])[0], SUM)
    assert (calls, len(backend.executed)) == (1, 1)


def test_nodes_on_a_runtime_are_on_the_cpu_for_strict_mode() -> None:
    with pytest.raises(FallbackError, match="25 kernels would run on the CPU"):
        compiled(chain(ENOUGH), Backend(), delegate=NamedDelegate(names(0)), strict=True)


def test_memory_is_given_back_with_the_model() -> None:
    backend = Backend()
    model = compiled(chain(ENOUGH), backend)
    assert (backend.released, backend.closed) == (0, 0)
    model.close()
    assert (backend.released, backend.closed) == (1, 1)


def test_the_fastest_plan_is_looked_for_among_delegates_alone() -> None:
    backend = Backend()
    model = compiled(chain(ENOUGH), backend, partition=PartitionOptions(placement="fastest"))
    assert (groups(model), backend.inits) == ([], 0)
