"""Threads of backends: as many as the context allows, and none that spin while others compute."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    CacheOptions,
    CacheStatus,
    Context,
    Delegate,
    DeviceLost,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
)
from lite_delegate.backends.onnxruntime import OnnxRuntimeDelegate
from lite_delegate.backends.onnxruntime.graph import OnnxRuntimeGraph
from lite_delegate.delegate import SupportResult
from lite_delegate.devices.registry.delegate_spec import resolve_delegates
from lite_delegate.formats.ms import write_ms
from lite_delegate.inference.placing.choice import PlanChoice
from lite_delegate.inference.placing.measurement import Joining, TurnTime
from lite_delegate.runtime.execution import threads
from tests.runtime.graphs import chain


class AllBut(OnnxRuntimeDelegate):
    """Leaves one node to others."""

    def supports(self, kernel: Kernel) -> SupportResult:
        if kernel.name == "n1":
            return Rejected(RejectCode.POLICY, "not this one")
        return super().supports(kernel)


def built(delegate: Delegate, threads: int = 0, on_error: str = "raise") -> Model:
    context = Context()
    context.cpu.thread_num = threads
    context.on_delegate_error = on_error
    context.set_delegate(delegate)
    model = Model()
    model.build_from_graph(chain(3), context)
    return model


def sessions(model: Model) -> list[Any]:
    kernels = [each for each in model.get_graph_kernels() if isinstance(each, OnnxRuntimeGraph)]
    return [each.shared.session.get_session_options() for each in kernels]


@pytest.mark.parametrize(("own", "allowed", "taken"), [(0, 3, 3), (2, 3, 2), (0, 0, 0)])
def test_onnx_runtime_takes_what_the_context_allows_unless_it_is_told(own: int, allowed: int, taken: int) -> None:
    model = built(OnnxRuntimeDelegate(threads=own), allowed)
    (options,) = sessions(model)
    assert options.intra_op_num_threads == taken


def test_openvino_takes_what_the_context_allows_unless_it_is_told() -> None:
    pytest.importorskip("openvino", reason="openvino is not installed")
    from lite_delegate.backends.openvino import OpenVINODelegate
    from lite_delegate.backends.openvino.graph import OpenVINOGraph

    for own, allowed, taken in ((0, 1, 1), (2, 1, 2)):
        model = built(OpenVINODelegate(threads=own), allowed)
        (kernel,) = model.get_graph_kernels()
        assert isinstance(kernel, OpenVINOGraph)
        assert kernel.shared.compiled.get_property("INFERENCE_NUM_THREADS") == taken


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_a_kept_model_takes_the_threads_of_who_reads_it(backend: str, tmp_path: Path) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
    path = tmp_path / "m.ms"
    write_ms(chain(3), path)
    taken = []
    for number in (2, 1):
        context = Context()
        context.cpu.thread_num = number
        context.cache = CacheOptions(tmp_path / "cache")
        context.set_delegates(resolve_delegates((backend,)))
        model = Model()
        model.build_from_file(path, context=context)
        assert model.compiled.cache_outcome.status is (CacheStatus.HIT, CacheStatus.MISS)[number - 1]
        (kernel,) = model.get_graph_kernels()
        if isinstance(kernel, OnnxRuntimeGraph):
            taken.append(kernel.shared.session.get_session_options().intra_op_num_threads)
        else:
            taken.append(kernel.shared.compiled.get_property("INFERENCE_NUM_THREADS"))  # type: ignore[attr-defined]
    assert taken == [2, 1]


def threads_of(model: Model) -> int:
    """What the runtime says of its one session, or compiled model."""
    (kernel,) = model.get_graph_kernels()
    if isinstance(kernel, OnnxRuntimeGraph):
        return int(kernel.shared.session.get_session_options().intra_op_num_threads)
    return int(kernel.shared.compiled.get_property("INFERENCE_NUM_THREADS"))  # type: ignore[attr-defined]


def with_one_thread(calls: Sequence[object], limits: object, clock: object, joining: Joining) -> PlanChoice:
    """In place of measuring: the plan with one thread, which is the last that joins, is the quickest."""
    taken = [TurnTime(100, 1) for _ in calls]
    taken += [TurnTime(50, 1) for _ in joining(taken)]
    return PlanChoice(len(taken) - 1, tuple(taken))


@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_a_chosen_number_of_threads_reaches_the_runtime_and_is_kept(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
    monkeypatch.setattr("lite_delegate.inference.placing.baseline_plans.usable_processors", lambda: 4)
    monkeypatch.setattr("lite_delegate.inference.placing.fastest_plan.chosen", with_one_thread)
    write_ms(chain(3), tmp_path / "m.ms")

    def build(file: str, threads: int = 0) -> Model:
        context = Context()
        context.cpu.thread_num = threads
        context.partition = PartitionOptions(placement="fastest")
        context.cache = CacheOptions(tmp_path / "cache")
        context.set_delegates(resolve_delegates((backend,)))
        model = Model()
        model.build_from_file(tmp_path / file, context=context)
        return model

    made = build("m.ms")
    made.export(tmp_path / "m.bin")
    read, imported, told = build("m.ms"), build("m.bin"), build("m.bin", threads=2)
    assert read.cache_outcome.status is CacheStatus.HIT
    assert [threads_of(each) for each in (made, read, imported, told)] == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("options", "follows"),
    [
        ({}, True),
        ({"threads": 0}, True),
        ({"threads": 2}, False),
        ({"options": {"INFERENCE_NUM_THREADS": 1}}, False),
        ({"session_config": {"session.intra_op_thread_affinities": "1"}}, False),
        ({"session_config": {"session.intra_op.allow_spinning": "0"}}, True),
        ({"provider": "CUDAExecutionProvider"}, False),
    ],
)
def test_when_onnx_runtime_follows(options: dict[str, Any], *, follows: bool) -> None:
    assert OnnxRuntimeDelegate(**options).follows_threads() is follows


@pytest.mark.parametrize(
    ("options", "follows"),
    [
        ({}, True),
        ({"threads": 2}, False),
        ({"device": "GPU"}, False),
        ({"options": {"NUM_STREAMS": 2}}, False),
        ({"options": {"PERFORMANCE_HINT": "THROUGHPUT"}}, False),
        ({"options": {"PERF_COUNT": "YES"}}, True),
        ({"config": {"ENABLE_CPU_PINNING": "YES"}}, False),
        ({"config": {"INFERENCE_NUM_THREADS": "2"}}, False),
        ({"config": {"CPU_RUNTIME_CACHE_CAPACITY": "0"}}, True),
    ],
)
def test_when_openvino_follows(options: dict[str, Any], *, follows: bool) -> None:
    from lite_delegate.backends.openvino import OpenVINODelegate

    assert OpenVINODelegate(**options).follows_threads() is follows


def test_threads_do_not_spin_where_other_kernels_run_in_between() -> None:
    whole, mixed = built(OnnxRuntimeDelegate(threads=2)), built(AllBut(threads=2))
    (alone,) = sessions(whole)
    with pytest.raises(RuntimeError):  # left to ONNX Runtime
        alone.get_session_config_entry("session.intra_op.allow_spinning")
    assert [each.get_session_config_entry("session.intra_op.allow_spinning") for each in sessions(mixed)] == ["0", "0"]
    x = np.ones((2, 3), np.float32)
    for model in (whole, mixed):
        (y,) = model.predict([x])
        np.testing.assert_array_equal(y.get_data_to_numpy(), x + 6)


def test_the_users_own_configuration_wins() -> None:
    mine = {"session.intra_op.allow_spinning": "1"}
    for options in sessions(built(AllBut(session_config=mine, threads=2))):
        assert options.get_session_config_entry("session.intra_op.allow_spinning") == "1"


def _lost(*_: object) -> None:
    raise DeviceLost("gone")


@pytest.mark.parametrize(("delegate", "limited"), [(OnnxRuntimeDelegate, []), (AllBut, [1])])
def test_math_threads_are_limited_only_for_who_computes_with_them(
    delegate: type[OnnxRuntimeDelegate], limited: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, limits = built(delegate(), 1), noted_limits(monkeypatch)
    x = [np.zeros(each.shape, np.float32) for each in model.get_inputs()]
    model.compiled(x)
    assert limits == limited


def test_math_threads_are_limited_for_cpu_kernels_that_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    model, limits = built(OnnxRuntimeDelegate(), 1, on_error="fallback"), noted_limits(monkeypatch)
    x = [np.zeros(each.shape, np.float32) for each in model.get_inputs()]
    expected = model.compiled(x)[0]
    assert not limits
    monkeypatch.setattr(OnnxRuntimeGraph, "bind", _lost)
    np.testing.assert_allclose(model.compiled([each.copy() for each in x])[0], expected, rtol=1e-6)
    assert limits == [1]


def noted_limits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The limits that are set from now on."""
    limits: list[int] = []
    set_limit = threads._LIMITS.set

    def noted(number: int) -> None:
        limits.append(number)
        set_limit(number)

    monkeypatch.setattr(threads._LIMITS, "set", noted)
    return limits
