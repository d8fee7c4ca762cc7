"""What a model holds of its delegates is given back once: when it is closed or collected, or could not be built."""

from __future__ import annotations

import gc
import logging
import threading
import warnings
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lite_delegate import (
    Context,
    DelegateBuildError,
    DelegateModel,
    DelegateUnavailable,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    Kernel,
    LiteDelegateError,
    Model,
    ModelClosed,
    ResizeUnsupported,
    Tensor,
)
from lite_delegate.inference import Outcome, RequestStatus, compile_graph
from lite_delegate.inference.shapes.plan_cache import MOST_PLANS
from lite_delegate.runtime.settings import Settings
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain, result_of

X = np.zeros((2, 3), np.float32)


class Counted(GroupKernel):
    """Counts what it is called for. Without forks it runs for one prediction at a time: ``is_running``."""

    delegate: Counting
    is_running = False

    def prepare(self) -> None:
        self.delegate.prepared[self] += 1
        if self.delegate.at_prepare is not None:
            raise self.delegate.at_prepare

    def release(self) -> None:
        self.delegate.wrong += self.is_running
        self.delegate.released[self] += 1
        if self.delegate.at_release is not None:
            raise self.delegate.at_release

    def execute(self) -> None:
        self.delegate.wrong += self in self.delegate.released
        self.is_running = True
        try:
            self.delegate.behave()
            super().execute()
        finally:
            self.is_running = False

    def resize(self) -> None:
        if not self.delegate.follows:
            raise ResizeUnsupported("no")


class CountedFork(Kernel):
    def __init__(self, first: Counted, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        super().__init__(first.name, first.type, inputs, outputs)
        self.first = first

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return CountedFork(self.first, inputs, outputs)

    def prepare(self) -> None:
        self.first.delegate.wrong += 1

    release = prepare

    def resize(self) -> None:
        self.first.resize()

    def execute(self) -> None:
        first = self.first
        first.delegate.wrong += first in first.delegate.released
        known = {t: mine.data for t, mine in zip(first.inputs, self.inputs, strict=True)}
        for kernel in first.kernels:
            known[kernel.outputs[0]] = result_of(kernel, [t.data if t.is_const else known[t] for t in kernel.inputs])
        for tensor, mine in zip(first.outputs, self.outputs, strict=True):
            mine.data = known[tensor]


class ForkingCounted(Counted):
    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return CountedFork(self, inputs, outputs)


class Counting(NamedDelegate):
    """Counts inits, closes, and what its kernels are called for. Options are one number."""

    name = "counting"

    def __init__(self, names: Sequence[str] | None = None, *, forks: bool = False, follows: bool = False) -> None:
        super().__init__(names)
        self.forks, self.follows = forks, follows
        self.closes = self.wrong = self.option = 0
        self.prepared: Counter[Counted] = Counter()
        self.released: Counter[Counted] = Counter()
        self.at_prepare: Exception | None = None
        self.at_release: Exception | None = None
        self.at_close: Exception | None = None
        self.behave = lambda: None

    def close(self) -> None:
        self.wrong += set(self.prepared) != set(self.released) and self.inits == self.closes + 1
        self.closes += 1
        if self.at_close is not None:
            raise self.at_close

    def version(self) -> str:
        return str(self.option)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        kind = ForkingCounted if self.forks else Counted
        kernel = kind("Counted", model.boundary_of(run), run)
        kernel.delegate = self
        return kernel

    def assert_all_given_back(self) -> None:
        assert self.wrong == 0
        assert self.released == self.prepared
        assert set(self.prepared.values()) <= {1}
        assert self.closes == self.inits


def built(*delegates: NamedDelegate, length: int = 3) -> Model:
    context, model = Context(), Model()
    context.set_delegates(delegates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(chain(length), context)
    return model


def resize(model: Model, *shape: int) -> None:
    model.resize(model.get_inputs(), [list(shape)])


def test_init_is_called_once_whatever_the_shapes() -> None:
    delegate = Counting(["n0", "n2"])
    model = built(delegate)
    for rows in range(1, 6):
        resize(model, rows, 3)
    assert (delegate.inits, delegate.closes, len(delegate.prepared)) == (1, 0, 10)
    model.close()
    delegate.assert_all_given_back()
    assert delegate.inits == 1


@pytest.mark.parametrize("how", ["close", "with", "twice", "collected"])
def test_everything_is_given_back_once(how: str) -> None:
    delegate = Counting(["n0", "n2"], forks=True, follows=True)
    model = built(delegate)
    resize(model, 5, 3)
    model.predict({"x": np.zeros((5, 3), np.float32)})
    assert delegate.released == Counter()
    if how == "with":
        with model as same:
            assert same is model
    elif how != "collected":
        model.close()
    if how == "twice":
        model.close()
    del model
    gc.collect()
    delegate.assert_all_given_back()
    assert len(delegate.prepared) == 2


def test_every_call_of_a_closed_model_says_so() -> None:
    model = built(Counting())
    inputs = model.get_inputs()
    compiled = model.compiled
    model.close()
    calls = [
        model.get_inputs,
        model.get_outputs,
        model.get_partition,
        model.get_graph_kernels,
        model.calibrate,
        lambda: model.compiled,
        lambda: model.predict({"x": X}),
        lambda: model.predict({"wrong": X}),
        lambda: model.resize(inputs, [[1, 1]]),
        lambda: model.build_from_graph(chain(1)),
        model.__enter__,
        compiled.create_infer_request,
        lambda: compiled.reshaped([(1, 1)]),
    ]
    for call in calls:
        with pytest.raises(ModelClosed, match=r"^The Model has been closed; make another one\.$"):
            call()
    assert compiled.is_closed


def test_a_model_that_was_never_built_can_be_closed() -> None:
    model = Model()
    model.close()
    with pytest.raises(ModelClosed):
        model.build_from_graph(chain(1))


def test_a_request_keeps_what_it_needs() -> None:
    delegate = Counting()
    compiled = compile_graph(chain(2), Settings(delegates=(delegate,)))
    request = compiled.create_infer_request()
    del compiled
    gc.collect()
    np.testing.assert_array_equal(request.infer([X])[0], X + 3)
    assert not delegate.released
    del request
    gc.collect()
    delegate.assert_all_given_back()


@pytest.mark.parametrize("is_started", [True, False])
def test_a_run_of_a_request_ends_before_anything_is_given_back(is_started: bool) -> None:
    delegate, started, go_on = Counting(["n0"]), threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        assert go_on.wait(30)

    compiled = compile_graph(chain(2), Settings(delegates=(delegate,)))
    request = compiled.create_infer_request()
    for _ in range(2):
        request.infer([X])  # the next run is a short one of a request that ran before
    delegate.behave = wait
    thread = threading.Thread(target=request.infer, args=([X],))
    request.start_async([X]) if is_started else thread.start()
    assert started.wait(30)
    compiled.close()
    with pytest.raises(ModelClosed):
        compiled.create_infer_request().infer([X])
    assert not delegate.released
    go_on.set()
    request.wait() if is_started else thread.join()
    np.testing.assert_array_equal(request.results[0], X + 3)
    delegate.assert_all_given_back()


def test_a_run_that_a_closed_model_refuses_leaves_the_request_as_it_was() -> None:
    delegate = Counting()
    compiled = compile_graph(chain(2), Settings(delegates=(delegate,)))
    request = compiled.create_infer_request()
    request.infer([X])
    compiled.close()
    for call in (request.infer, request.start_async):
        with pytest.raises(ModelClosed):
            call([X])
        assert (request.status, request.outcome, request.error) == (RequestStatus.IDLE, Outcome.DONE, None)
    request.wait()
    np.testing.assert_array_equal(request.results[0], X + 3)
    delegate.assert_all_given_back()


def test_delegates_are_closed_where_the_model_cannot_be_built() -> None:
    first, second = Counting(["n0"]), Counting([])
    second.name = "second"
    context = Context()
    context.set_delegates([first, second])
    context.strict = True
    with pytest.raises(FallbackError):
        Model().build_from_graph(chain(2), context)
    for delegate in (first, second):
        delegate.assert_all_given_back()
        assert delegate.inits == 1
    assert len(first.prepared) == 1


def test_a_device_that_is_not_there_is_not_closed() -> None:
    class Away(Counting):
        def init(self) -> None:
            raise DelegateUnavailable("no")

    away, there = Away(), Counting(["n0"])
    away.name = "away"
    model = built(away, there)
    model.close()
    assert away.closes == 0
    there.assert_all_given_back()


def test_a_kernel_that_cannot_be_prepared_is_released() -> None:
    delegate = Counting()
    delegate.at_prepare = DelegateBuildError("no room")
    model = built(delegate)
    assert delegate.released == delegate.prepared
    model.close()
    delegate.assert_all_given_back()
    assert len(delegate.prepared) > 1


def test_what_release_and_close_raise_is_logged_and_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    delegate = Counting(["n0", "n2"])
    delegate.at_release, delegate.at_close = OSError("stuck"), OSError("jammed")
    model = built(delegate)
    with caplog.at_level(logging.WARNING, "lite_delegate"):
        model.close()
    delegate.assert_all_given_back()
    assert caplog.messages == [
        "graph kernel 'Counted' could not be given back: OSError: stuck",
        "graph kernel 'Counted#2' could not be given back: OSError: stuck",
        "delegate 'counting' could not be closed: OSError: jammed",
    ]


def test_plans_that_are_evicted_release_their_kernels() -> None:
    delegate = Counting(["n0"])
    model = built(delegate)
    for rows in range(3, 3 + MOST_PLANS + 2):
        resize(model, rows, 3)
    assert len(delegate.prepared) == MOST_PLANS + 3
    assert len(delegate.released) == 3
    model.close()
    delegate.assert_all_given_back()


def test_what_forks_share_is_released_with_the_last_plan() -> None:
    delegate = Counting(["n0"], forks=True, follows=True)
    model = built(delegate)
    for rows in range(3, 3 + MOST_PLANS + 2):
        resize(model, rows, 3)
        assert not delegate.released
    assert len(delegate.prepared) == 1
    model.close()
    delegate.assert_all_given_back()


def test_other_options_are_planned_anew_and_both_plans_are_kept() -> None:
    delegate = Counting(["n0"], forks=True, follows=True)
    model = built(delegate)
    resize(model, 5, 3)
    delegate.option = 1
    resize(model, 2, 3)
    assert len(delegate.prepared) == 2
    resize(model, 5, 3)
    assert len(delegate.prepared) == 2
    delegate.option = 0
    first, _ = delegate.prepared
    resize(model, 2, 3)
    assert model.get_graph_kernels() == (first,)
    assert (len(delegate.prepared), delegate.inits) == (2, 1)
    model.close()
    delegate.assert_all_given_back()


def test_other_delegates_of_the_context_are_initialized_for_the_next_shape() -> None:
    first, second = Counting(["n0"]), Counting(["n1"])
    context, model = Context(), Model()
    context.set_delegate(first)
    model.build_from_graph(chain(2), context)
    context.set_delegate(second)
    resize(model, 5, 3)
    assert (first.inits, second.inits) == (1, 1)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n1",)]
    model.close()
    first.assert_all_given_back()
    second.assert_all_given_back()


def test_a_lost_device_is_initialized_anew_by_the_next_plan() -> None:
    delegate = Counting(["n0"])

    def lose() -> None:
        raise DeviceLost("gone")

    model = built(delegate)
    delegate.behave = lose
    with pytest.raises(DeviceLost):
        model.predict({"x": X})
    delegate.behave = lambda: None
    resize(model, 2, 3)
    assert (delegate.inits, delegate.closes) == (2, 1)
    model.predict({"x": X})
    model.close()
    delegate.assert_all_given_back()


def test_a_version_that_cannot_be_said_leaves_the_model_as_it_was() -> None:
    class Speechless(Counting):
        def version(self) -> str:
            if self.option:
                raise OSError("no answer")
            return ""

    delegate = Speechless(["n0"])
    model = built(delegate)
    delegate.option = 1
    with pytest.raises(DelegateBuildError, match="asking for its version failed: OSError: no answer"):
        resize(model, 5, 3)
    np.testing.assert_array_equal(model.predict({"x": X})[0].get_data_to_numpy(), X + 6)


@pytest.mark.parametrize("forks", [True, False])
def test_a_prediction_under_way_ends_before_anything_is_given_back(forks: bool) -> None:
    delegate = Counting(["n0"], forks=forks)
    started, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        started.set()
        assert go_on.wait(30)

    other = Counting(["n1"])
    other.name, other.behave = "other", wait
    model = built(delegate, other)
    results: list[np.ndarray] = []
    thread = threading.Thread(target=lambda: results.append(model.predict({"x": X})[0].get_data_to_numpy()))
    thread.start()
    assert started.wait(30)
    model.close()
    with pytest.raises(ModelClosed):
        model.predict({"x": X})
    assert not delegate.released
    assert (delegate.closes, other.closes) == (0, 0)
    go_on.set()
    thread.join()
    np.testing.assert_array_equal(results[0], X + 6)
    delegate.assert_all_given_back()
    other.assert_all_given_back()


def test_closing_beside_predictions_and_resizes() -> None:
    for _ in range(20):
        delegate = Counting(["n0", "n2"], follows=True)
        model = built(delegate)
        errors: list[BaseException] = []

        def work(model: Model = model, errors: list[BaseException] = errors) -> None:
            try:
                for rows in range(1, 100):
                    model.predict({"x": np.zeros(model.get_inputs()[0].shape, np.float32)})
                    if rows % 5 == 0:
                        resize(model, rows % 3 + 1, 3)
            except ModelClosed:
                return
            except LiteDelegateError as e:
                if "expected" not in str(e):  # resized between two calls
                    errors.append(e)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        model.close()
        for thread in threads:
            thread.join()
        assert errors == []
        delegate.assert_all_given_back()


class Lifetimes(RuleBasedStateMachine):
    """Models over one delegate: whatever happens to them, what was prepared is released once they are gone."""

    def __init__(self) -> None:
        super().__init__()
        self.delegate = Counting(["n0", "n2"])
        self.models: list[Model] = []

    @rule(forks=st.booleans(), follows=st.booleans())
    def build(self, forks: bool, follows: bool) -> None:
        self.delegate.forks, self.delegate.follows = forks, follows
        self.models.append(built(self.delegate))

    @rule(follows=st.booleans(), option=st.integers(0, 1))
    def change(self, follows: bool, option: int) -> None:
        self.delegate.follows, self.delegate.option = follows, option

    @precondition(lambda self: self.models)
    @rule(data=st.data(), rows=st.integers(1, 3))
    def resize(self, data: st.DataObject, rows: int) -> None:
        resize(data.draw(st.sampled_from(self.models)), rows, 3)

    @precondition(lambda self: self.models)
    @rule(data=st.data())
    def predict(self, data: st.DataObject) -> None:
        model = data.draw(st.sampled_from(self.models))
        x = np.ones(model.get_inputs()[0].shape, np.float32)
        np.testing.assert_array_equal(model.predict({"x": x})[0].get_data_to_numpy(), x + 6)

    @precondition(lambda self: self.models)
    @rule(data=st.data(), closes=st.booleans())
    def go(self, data: st.DataObject, closes: bool) -> None:
        model = self.models.pop(data.draw(st.integers(0, len(self.models) - 1)))
        if closes:
            model.close()
        del model

    @invariant()
    def nothing_is_released_that_is_needed(self) -> None:
        needed = {k for m in self.models for k in m.get_graph_kernels() if isinstance(k, Counted)}
        assert needed.isdisjoint(self.delegate.released)
        assert self.delegate.wrong == 0

    def teardown(self) -> None:
        self.models.clear()
        gc.collect()
        self.delegate.assert_all_given_back()


TestLifetimes = Lifetimes.TestCase
TestLifetimes.settings = settings(max_examples=25, stateful_step_count=12, deadline=None)
