"""Compiled models with open dimensions: planned for the shapes of each run, by whatever device."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate import (
    Core,
    DataType,
    DelegateExecuteError,
    DelegateWarning,
    InputError,
    Kernel,
    ModelClosed,
    RequestCancelled,
    RequestError,
    ShapeError,
    Tensor,
    make_stateful,
)
from lite_delegate.cache import CacheStatus
from lite_delegate.delegate import DelegateModel, RejectCode, Rejected, Supported, SupportResult
from lite_delegate.inference import CompiledModel, Outcome
from lite_delegate.inference.profiling.stages import Stage
from lite_delegate.ir import Graph, Node, Value, constant, make_primitive
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.inference.test_model_lifetimes import Counting
from tests.runtime.graphs import chain

OPEN = (-1, 3)
BOUNDED = ("NPU", "MULTI:NPU,CPU")
"""Devices that take no dimension without an upper bound."""


class Releasing(GroupKernel):
    """Counts how many of them were released."""

    released = 0

    def release(self) -> None:
        Releasing.released += 1


class Known(NamedDelegate):
    """Claims what has known shapes, as devices do, and counts what it made and had released."""

    name = "known"

    def __init__(self) -> None:
        super().__init__(None)
        self.kernels: list[weakref.ref[Kernel]] = []

    def supports(self, kernel: Kernel) -> SupportResult:
        if all(tensor.has_known_shape for tensor in (*kernel.inputs, *kernel.outputs)):
            return Supported()
        return Rejected(RejectCode.SHAPE, "must have known shapes")

    def create_graph_kernel(self, run: Any, model: DelegateModel) -> Kernel:
        kernel = Releasing("group", model.boundary_of(run), run)
        self.kernels.append(weakref.ref(kernel))
        return kernel

    @property
    def living(self) -> int:
        gc.collect()
        return sum(kernel() is not None for kernel in self.kernels)


class Powerless(GroupKernel):
    """Fails."""

    def execute(self) -> None:
        raise DelegateExecuteError("no power")


class Failing(Known):
    """Makes graph kernels that always fail."""

    name = "failing"

    def create_graph_kernel(self, run: Any, model: DelegateModel) -> Kernel:
        return Powerless("group", model.boundary_of(run), run)


def ones(*shape: int) -> np.ndarray[Any, Any]:
    return np.ones(shape, np.float32)


def opened(device: str = "CPU", properties: Mapping[str, object] | None = None) -> CompiledModel:
    """x [open, 3] -> x + 1 + 2."""
    shapes: dict[str, list[int | tuple[int, int]]] = {"x": [(1, 128), 3]} if device in BOUNDED else {}
    return Core().compile_model(chain(2, OPEN), device, properties or {}, shapes=shapes)


def on_known() -> tuple[CompiledModel, Known]:
    delegate, core = Known(), Core()
    core.register_device("known", lambda options: delegate)
    return core.compile_model(chain(2, OPEN), "known"), delegate


@pytest.mark.parametrize("device", ["CPU", "NPU", "HETERO:NPU,CPU", "AUTO", "MULTI:NPU,CPU"])
def test_a_request_runs_with_any_shape(device: str) -> None:
    compiled = opened(device)
    expected = "[1..128, 3]" if device in BOUNDED else "[0.., 3]"
    assert [compiled.input().shape_text, compiled.output().shape_text] == [expected, expected]
    request = compiled.create_infer_request()
    for rows in (4, 1, 7, 4):
        np.testing.assert_array_equal(request.infer([ones(rows, 3)])[0], np.full((rows, 3), 4.0))
        np.testing.assert_array_equal(compiled([ones(rows + 1, 3)])[0], np.full((rows + 1, 3), 4.0))
        request.start_async([ones(rows + 2, 3)])
        request.wait()
        np.testing.assert_array_equal(request.results[0], np.full((rows + 2, 3), 4.0))
    compiled.close()


def test_the_profile_says_whether_the_plan_was_made_or_there() -> None:
    compiled = opened()
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    uses = []
    for request, rows in ((first, 1), (first, 5), (first, 5), (second, 5), (second, 1)):
        request.infer([ones(rows, 3)])
        assert request.profile.plan is not None
        uses.append((request.profile.plan.shapes, request.profile.plan.made_ns is not None))
    one, five = ((1, 3),), ((5, 3),)
    assert uses == [(one, False), (five, True), (five, False), (five, False), (one, False)]
    assert str(second.profile.plan) == "plan for [1, 3]: reused"
    first.infer([ones(6, 3)])
    plan, stages = first.profile.plan, first.profile.stages
    assert plan is not None
    assert plan.made_ns is not None
    assert plan.made_ns <= stages[Stage.PREPROCESS] <= first.profile.latency_ns == sum(stages.values())
    static = Core().compile_model(chain(1), "CPU").create_infer_request()
    static.infer([ones(2, 3)])
    assert static.profile.plan is None


def test_sixteen_plans_are_kept_and_the_one_goes_that_was_not_used_for_the_longest_time() -> None:
    compiled, delegate = on_known()
    request = compiled.create_infer_request()
    for rows in range(2, 102):
        np.testing.assert_array_equal(request.infer([ones(rows, 3)])[0], np.full((rows, 3), 4.0))
        request.infer([ones(2, 3)])
        assert delegate.living <= 17
    assert "16 plans are kept" in compiled.partition.notes[0]
    assert delegate.living == 16
    assert len(delegate.kernels) == 101  # one for each shape: that of 2 rows, always in use, was made once
    assert delegate.inits == 1


def test_a_request_keeps_its_plan() -> None:
    compiled, delegate = on_known()
    keeping, other = compiled.create_infer_request(), compiled.create_infer_request()
    keeping.infer([ones(50, 3)])
    for rows in range(2, 22):
        other.infer([ones(rows, 3)])
    before = len(delegate.kernels)
    np.testing.assert_array_equal(keeping.infer([ones(50, 3)])[0], np.full((50, 3), 4.0))
    assert len(delegate.kernels) == before
    other.infer([ones(50, 3)])
    assert len(delegate.kernels) == before + 1


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (ones(4, 4), r"Input 0 'x': expected shape \[0\.\., 3\], got \[4, 4\]: dimension 1 must be 3"),
        (ones(3), r"Input 0 'x': expected shape \[0\.\., 3\], got \[3\]: 1 dimension instead of 2"),
        (ones(2, 3, 1), r"Input 0 'x': expected shape \[0\.\., 3\], got \[2, 3, 1\]: 3 dimensions instead of 2"),
    ],
)
def test_a_shape_that_does_not_fit_is_named_with_its_dimension(given: Any, text: str) -> None:
    compiled = opened()
    request = compiled.create_infer_request()
    for call in (compiled, request.infer, request.start_async, lambda inputs: request.set_tensor("x", inputs["x"])):
        with pytest.raises(InputError, match=text):
            call({"x": given})
    np.testing.assert_array_equal(request.infer([ones(2, 3)])[0], np.full((2, 3), 4.0))


def test_tensors_of_a_request_follow_the_shapes() -> None:
    request = opened().create_infer_request()
    with pytest.raises(InputError, match="Nothing was set for the inputs 0 'x'"):
        request.infer()
    with pytest.raises(InputError, match="no data was set and the shape"):
        _ = request.get_tensor("x").data
    output = request.get_output_tensor()
    with pytest.raises(RequestError, match="nothing has run yet"):
        _ = output.data
    request.get_tensor("x").data = ones(3, 3)
    request.infer()
    assert output.shape == [3, 3]
    request.set_tensor("x", ones(5, 3))
    request.infer()
    assert output.shape == [5, 3]
    request.set_tensors("x", [ones(1, 3)] * 4)
    given = Tensor(shape=[2, 3], dtype=DataType.FLOAT32)
    request.set_output_tensor(0, given)
    request.infer()
    np.testing.assert_array_equal(given.data, np.full((4, 3), 4.0))


def test_threads_with_other_shapes_get_their_own_results() -> None:
    compiled, _ = on_known()
    barrier = threading.Barrier(4)

    def runs(rows: int) -> None:
        request = compiled.create_infer_request()
        barrier.wait(timeout=60)
        for number in range(30):
            size = 1 + (rows + number) % 5
            for results in (request.infer([ones(size, 3)]), compiled([ones(size, 3)])):
                np.testing.assert_array_equal(results[0], np.full((size, 3), 4.0))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(runs, range(4)))


def test_a_closed_model_says_so_and_gives_all_plans_back() -> None:
    compiled, delegate = on_known()
    request = compiled.create_infer_request()
    for rows in (2, 3, 4):
        request.infer([ones(rows, 3)])
    before = Releasing.released
    compiled.close()
    assert Releasing.released == before + 4
    for call in (compiled, request.infer):
        with pytest.raises(ModelClosed):
            call([ones(2, 3)])
    with pytest.raises(ModelClosed):
        compiled.create_infer_request()
    assert compiled.is_closed
    del call
    del request, compiled
    assert delegate.living == 0


def test_a_model_that_is_let_go_lives_as_long_as_its_requests() -> None:
    compiled, delegate = on_known()
    request = compiled.create_infer_request()
    del compiled
    np.testing.assert_array_equal(request.infer([ones(9, 3)])[0], np.full((9, 3), 4.0))
    assert delegate.living == 2
    del request
    assert delegate.living == 0


def test_states_go_along_and_those_of_other_shapes_begin_anew() -> None:
    """x [open, 3] -> x + s; s -> s + s."""
    x, s = Value("x", DataType.FLOAT32, OPEN), Value("s", DataType.FLOAT32, (1, 3))
    y, after = Value("y", DataType.FLOAT32, OPEN), Value("after", DataType.FLOAT32, (1, 3))
    nodes = [
        Node("add", make_primitive("AddFusion"), [x, s], [y]),
        Node("twice", make_primitive("AddFusion"), [s, s], [after]),
    ]
    graph = make_stateful(Graph("main", [x, s], [y, after], nodes), {"s": "after"}, {"s": ones(1, 3)})
    request = Core().compile_model(graph, "CPU").create_infer_request()
    for run, rows in enumerate((2, 4, 2, 1)):
        np.testing.assert_array_equal(request.infer([ones(rows, 3)])[0], np.full((rows, 3), 1.0 + 2**run))
    request.reset_state()
    np.testing.assert_array_equal(request.infer([ones(3, 3)])[0], np.full((3, 3), 2.0))


def test_exported_and_cached_models_stay_open(tmp_path: Path) -> None:
    for status in (CacheStatus.MISS, CacheStatus.HIT):
        compiled = opened("NPU", {"CACHE_DIR": str(tmp_path)})
        assert compiled.cache_outcome.status is status
        np.testing.assert_array_equal(compiled([ones(5, 3)])[0], np.full((5, 3), 4.0))
    imported = Core().import_model(compiled.export_model(), "NPU")
    assert imported.input().shape == [-1, 3]
    np.testing.assert_array_equal(imported([ones(6, 3)])[0], np.full((6, 3), 4.0))
    assert imported.export_model() == compiled.export_model() == opened("NPU").export_model()


def test_shapes_that_are_given_are_not_open() -> None:
    compiled = Core().compile_model(chain(2, OPEN), "CPU", shapes={"x": [2, 3]})
    assert compiled.input().shape == [2, 3]
    with pytest.raises(InputError, match=r"expected shape \[2, 3\], got \[4, 3\]\.$"):
        compiled([ones(4, 3)])


def test_a_shape_that_the_graph_rejects_is_an_error_and_changes_nothing() -> None:
    """x [open] -> reshaped to [2, open]: only even sizes."""
    x = Value("x", DataType.FLOAT32, (-1,))
    y = Value("y", DataType.FLOAT32, (2, -1))
    shape = np.array([2, -1], np.int32)
    node = Node("reshape", make_primitive("Reshape"), [x, constant("to", shape)], [y])
    compiled = Core().compile_model(Graph("main", [x], [y], [node]), "CPU")
    request = compiled.create_infer_request()
    np.testing.assert_array_equal(request.infer([ones(4)])[0], ones(2, 2))
    with pytest.raises(ShapeError, match="reshape"):
        request.infer([ones(3)])
    np.testing.assert_array_equal(request.get_output_tensor().data, ones(2, 2))
    np.testing.assert_array_equal(request.infer([ones(6)])[0], ones(2, 3))


def test_properties_that_are_set_count_for_plans_that_are_made_later(capsys: pytest.CaptureFixture[str]) -> None:
    compiled = opened("NPU")
    for level, is_told in (("LOG_DEBUG", True), ("LOG_NONE", False)):
        compiled.set_property({"LOG_LEVEL": level})
        for rows in (1, 2, 3, 1):
            capsys.readouterr()
            compiled([ones(rows, 3)])
            assert (" ran in " in capsys.readouterr().err) is is_told


def test_a_device_that_fails_is_switched_for_all_plans() -> None:
    core = Core()
    core.register_device("failing", lambda options: Failing())
    compiled = core.compile_model(chain(2, OPEN), "HETERO:failing,CPU", {"ON_DEVICE_ERROR": "FALLBACK"})
    for level in ("RAISE", "FALLBACK"):
        compiled.set_property({"ON_DEVICE_ERROR": level})
        for rows in (1, 2, 3, 4 if level == "RAISE" else 5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DelegateWarning)
                if level == "RAISE":
                    with pytest.raises(DelegateExecuteError, match="no power"):
                        compiled([ones(rows, 3)])
                else:
                    np.testing.assert_array_equal(compiled([ones(rows, 3)])[0], np.full((rows, 3), 4.0))


def counting(*, forks: bool, follows: bool) -> tuple[CompiledModel, Counting]:
    """On a device whose graph kernels go over to other shapes, or are made anew; are shared by runs, or are not."""
    delegate, core = Counting(forks=forks, follows=follows), Core()
    core.register_device("counting", lambda options: delegate)
    return core.compile_model(chain(2, OPEN), "counting"), delegate


kinds = pytest.mark.parametrize(("forks", "follows"), list(product([False, True], repeat=2)))


@kinds
def test_graph_kernels_of_every_kind_follow_the_shapes_and_are_given_back(forks: bool, follows: bool) -> None:
    compiled, delegate = counting(forks=forks, follows=follows)
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    for rows in (1, 4, 2, 1, *range(2, 25), 1, 4):
        for run in (first.infer, second.infer, compiled):
            np.testing.assert_array_equal(run([ones(rows, 3)])[0], np.full((rows, 3), 4.0))
        second.infer([ones(rows + 1, 3)])
    assert delegate.inits == 1
    assert (len(delegate.prepared) == 1) == follows
    compiled.close()
    del first, second, compiled, run
    gc.collect()
    delegate.assert_all_given_back()


@kinds
def test_threads_with_any_shapes_beside_closing(forks: bool, follows: bool) -> None:
    compiled, delegate = counting(forks=forks, follows=follows)
    started = threading.Barrier(4)

    def runs(compiled: CompiledModel, number: int) -> int:
        request, done = compiled.create_infer_request(), 0
        started.wait(timeout=60)
        try:
            for turn in range(40):
                rows = 1 + (turn * (number + 1)) % 20
                for run in (request.infer, compiled):
                    np.testing.assert_array_equal(run([ones(rows, 3)])[0], np.full((rows, 3), 4.0))
                done += 1
                if number == 0 and done == 20:
                    compiled.close()
        except ModelClosed:
            pass
        return done

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(partial(runs, compiled), range(4)))
    assert done[0] == 20
    del compiled
    gc.collect()
    delegate.assert_all_given_back()


@pytest.mark.parametrize("follows", [False, True])
def test_what_a_model_was_compiled_for_is_there_after_its_graph_kernels_went_over(follows: bool) -> None:
    compiled, _ = counting(forks=False, follows=follows)
    np.testing.assert_array_equal(compiled([ones(9, 3)])[0], np.full((9, 3), 4.0))
    parts = compiled.parts()
    assert [tensor.shape for tensor in parts.scheduled.plan.inputs] == [[1, 3]]
    parts.scheduled.lease.check()
    other = compiled.reshaped([(5, 3)])
    np.testing.assert_array_equal(other([ones(5, 3)])[0], np.full((5, 3), 4.0))
    np.testing.assert_array_equal(compiled([ones(9, 3)])[0], np.full((9, 3), 4.0))


def test_requests_can_be_made_when_no_plan_is_left_but_that_of_the_last_run() -> None:
    compiled, delegate = counting(forks=False, follows=True)
    for rows in (2, 3, 4):
        compiled([ones(rows, 3)])
        request = compiled.create_infer_request()
        np.testing.assert_array_equal(request.infer([ones(rows, 3)])[0], np.full((rows, 3), 4.0))
    assert len(delegate.prepared) == 1


class Thinking(Known):
    """Waits, where it is told to, before it answers for which kernels it claims."""

    name = "thinking"

    def __init__(self) -> None:
        super().__init__()
        self.waits = False
        self.asked, self.answer = threading.Event(), threading.Event()

    def supports(self, kernel: Kernel) -> SupportResult:
        if self.waits:
            self.asked.set()
            assert self.answer.wait(timeout=60)
        return super().supports(kernel)


def test_runs_are_cancelled_while_they_plan_and_while_others_do() -> None:
    delegate, core = Thinking(), Core()
    core.register_device("thinking", lambda options: delegate)
    compiled = core.compile_model(chain(2, OPEN), "thinking")
    planning, waiting, other = (compiled.create_infer_request() for _ in range(3))
    other.infer([ones(1, 3)])
    delegate.waits = True
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(planning.infer, [ones(5, 3)])
        assert delegate.asked.wait(timeout=60)
        second = pool.submit(waiting.infer, [ones(6, 3)])
        np.testing.assert_array_equal(other.infer([ones(1, 3)])[0], np.full((1, 3), 4.0))  # its plan is there
        while not waiting.cancel():
            assert not second.done()
        with pytest.raises(RequestCancelled):
            second.result(60)
        assert planning.cancel()
        assert not first.done()
        delegate.waits = False
        delegate.answer.set()
        with pytest.raises(RequestCancelled):
            first.result(60)
    assert (planning.outcome, waiting.outcome) == (Outcome.CANCELLED, Outcome.CANCELLED)
    for request in (planning, waiting):
        np.testing.assert_array_equal(request.infer([ones(5, 3)])[0], np.full((5, 3), 4.0))


def test_shapes_that_fail_leave_request_states_and_plan_as_they_were() -> None:
    """x [open] -> y: x as [2, open]; s -> s + s."""
    x, s = Value("x", DataType.FLOAT32, (-1,)), Value("s", DataType.FLOAT32, (1,))
    y, after = Value("y", DataType.FLOAT32, (2, -1)), Value("after", DataType.FLOAT32, (1,))
    nodes = [
        Node("twice", make_primitive("AddFusion"), [s, s], [after]),
        Node("reshape", make_primitive("Reshape"), [x, constant("to", np.array([2, -1], np.int32))], [y]),
    ]
    graph = make_stateful(Graph("main", [x, s], [y, after], nodes), {"s": "after"}, {"s": ones(1)})
    compiled = Core().compile_model(graph, "CPU")
    request = compiled.create_infer_request()
    request.infer([ones(4)])
    plan, results = compiled.plan, request.results
    with pytest.raises(ShapeError, match="reshape"):
        request.infer([ones(3)])
    assert compiled.plan is plan
    np.testing.assert_array_equal(request.get_output_tensor().data, ones(2, 2))
    np.testing.assert_array_equal(results[0], ones(2, 2))
    np.testing.assert_array_equal(request.query_state()[0].value, [2.0])
    np.testing.assert_array_equal(request.infer([ones(4)])[0], ones(2, 2))
    assert request.profile.plan is not None
    assert request.profile.plan.made_ns is None
    np.testing.assert_array_equal(request.query_state()[0].value, [4.0])


def test_release_memory_gives_up_the_plans_that_no_request_has() -> None:
    compiled, delegate = on_known()
    keeping = compiled.create_infer_request()
    keeping.infer([ones(50, 3)])
    for rows in (2, 3, 4):
        compiled([ones(rows, 3)])
    before = Releasing.released
    assert compiled.release_memory() == 0  # its graph kernels hold no memory of a device
    assert Releasing.released == before + 3
    assert delegate.living == 2  # that of the compilation, and that of the request
    made = len(delegate.kernels)
    np.testing.assert_array_equal(keeping.infer([ones(50, 3)])[0], np.full((50, 3), 4.0))
    assert len(delegate.kernels) == made
    np.testing.assert_array_equal(compiled([ones(3, 3)])[0], np.full((3, 3), 4.0))
    assert len(delegate.kernels) == made + 1


def test_release_memory_says_by_how_much_the_device_is_freer() -> None:
    core = Core()
    compiled = core.compile_model(chain(2, OPEN), "NPU", shapes={"x": [(1, 64), 3]})
    first = core.telemetry("NPU").allocated_bytes
    for rows in (2, 4, 8):
        compiled([ones(rows, 3)])
    kept = core.telemetry("NPU").allocated_bytes
    assert kept > first
    assert compiled.release_memory() == kept - first
    assert core.telemetry("NPU").allocated_bytes == first
    assert compiled.release_memory() == 0


@kinds
def test_threads_with_any_shapes_beside_releasing(forks: bool, follows: bool) -> None:
    compiled, delegate = counting(forks=forks, follows=follows)
    started, done = threading.Barrier(3), threading.Event()

    def runs(number: int) -> None:
        request = compiled.create_infer_request()
        started.wait(timeout=60)
        for turn in range(40):
            rows = 1 + (turn * (number + 1)) % 9
            for run in (request.infer, compiled):
                np.testing.assert_array_equal(run([ones(rows, 3)])[0], np.full((rows, 3), 4.0))

    def releases() -> None:
        started.wait(timeout=60)
        while not done.is_set():
            compiled.release_memory()

    with ThreadPoolExecutor(3) as pool:
        releasing = pool.submit(releases)
        try:
            list(pool.map(runs, range(2)))
        finally:
            done.set()
        releasing.result()
    compiled.close()
    gc.collect()
    delegate.assert_all_given_back()
