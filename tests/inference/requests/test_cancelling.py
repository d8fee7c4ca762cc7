"""Runs that are cancelled: at each place where that is looked at, and how the request is afterwards."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from time import monotonic, perf_counter_ns, sleep
from typing import Any, ClassVar

import numpy as np
import pytest

from lite_delegate import Context, DelegateModel, Kernel, LiteDelegateError, Model, RequestCancelled, Tensor
from lite_delegate.inference import InferRequest, Outcome, RequestStatus
from lite_delegate.npu import Device, NPUDelegate
from lite_delegate.npu.device import interpreter, transfer
from lite_delegate.testing.delegates import NamedDelegate
from tests.inference.holding import LONG, STEP, Gate, X, held, open_gate
from tests.runtime import control_graphs as control
from tests.runtime.graphs import chain


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def until(condition: Callable[[], bool]) -> None:
    end = monotonic() + LONG
    while not condition():
        assert monotonic() < end
        sleep(0.001)


def ended_as_cancelled(request: InferRequest, run: Future[Any]) -> None:
    with pytest.raises(RequestCancelled):
        run.result(LONG)
    assert (request.status, request.outcome) == (RequestStatus.IDLE, Outcome.CANCELLED)
    with pytest.raises(RequestCancelled):
        _ = request.results
    assert request.profile.cancel_latency_ns is not None
    assert request.profile.cancel_latency_ns >= 0


def test_a_run_is_cancelled_from_another_thread_and_the_next_one_is_done(threads: ThreadPoolExecutor) -> None:
    gate = Gate()
    request = held(gate, 2).compiled.create_infer_request()
    run = threads.submit(request.infer, [X])
    gate.wait_for_a_run()
    assert request.cancel()
    ended_as_cancelled(request, run)
    gate.open()
    np.testing.assert_array_equal(request.infer([X])[0], X + STEP + 2)
    assert request.profile.cancel_latency_ns is None
    assert not request.cancel()
    assert request.outcome is Outcome.DONE


def test_outputs_are_the_outputs_of_the_last_finished_run(threads: ThreadPoolExecutor) -> None:
    gate = open_gate()
    request = held(gate).compiled.create_infer_request()
    request.infer([X])
    gate.opened.clear()
    gate.entered = threading.Semaphore(0)
    run = threads.submit(request.infer, [X + 7])
    gate.wait_for_a_run()
    request.cancel()
    ended_as_cancelled(request, run)
    np.testing.assert_array_equal(request.get_output_tensor().data, X + STEP)


def test_a_graph_kernel_that_never_looks_ends_first_and_the_report_says_so(threads: ThreadPoolExecutor) -> None:
    gate = Gate(looks=False)
    compiled = held(gate, 2).compiled
    request = compiled.create_infer_request()
    assert not any("cancel_point" in note for note in compiled.partition.notes)
    run = threads.submit(request.infer, [X])
    gate.wait_for_a_run()
    assert request.cancel()
    gate.open()
    ended_as_cancelled(request, run)
    assert any("'Holding0'" in note and "cancel_point" in note for note in compiled.partition.notes)


def test_a_graph_kernel_that_looks_has_no_note(threads: ThreadPoolExecutor) -> None:
    gate = Gate()
    compiled = held(gate).compiled
    request = compiled.create_infer_request()
    run = threads.submit(request.infer, [X])
    gate.wait_for_a_run()
    request.cancel()
    ended_as_cancelled(request, run)
    assert not any("cancel_point" in note for note in compiled.partition.notes)


def test_cpu_kernels_behind_the_cancelled_step_do_not_run(
    threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(looks=False)
    request = held(gate, 3, names=["n1"]).compiled.create_infer_request()
    run = threads.submit(request.infer, [X])
    gate.wait_for_a_run()
    request.cancel()
    gate.open()
    ended_as_cancelled(request, run)
    assert gate.inside == 0


class Sleeping(Kernel):
    """A step of 25 ms, y = x, that notes when it begins."""

    began_ns: ClassVar[list[int]] = []

    def execute(self) -> None:
        self.began_ns.append(perf_counter_ns())
        sleep(0.025)
        self.outputs[0].data = self.inputs[0].data.copy()

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return Sleeping(self.name, self.type, inputs, outputs)


class SleepingDelegate(NamedDelegate):
    """Makes one of every node."""

    def build(self, model: DelegateModel) -> None:
        for position, kernel in enumerate(list(model)):
            inputs = [t for t in kernel.inputs if not t.is_const]
            model.replace(position, position + 1, Sleeping(kernel.name, "Sleeping", inputs, kernel.outputs))


@pytest.mark.parametrize("number", [1, 20, 35])
def test_of_forty_steps_none_begins_after_the_one_in_which_a_run_is_cancelled(
    number: int, threads: ThreadPoolExecutor
) -> None:
    """So it goes on for a step at most; a bound on the clock would measure what else the machine does."""
    context, model, began_ns = Context(), Model(), Sleeping.began_ns
    began_ns.clear()
    context.set_delegate(SleepingDelegate(None))
    model.build_from_graph(chain(40), context)
    request = model.compiled.create_infer_request()
    run = threads.submit(request.infer, [X])
    until(lambda: len(began_ns) >= number)
    assert request.cancel()
    ended_as_cancelled(request, run)
    assert request.profile.cancel_latency_ns is not None
    cancelled_ns = request.profile.end_ns - request.profile.cancel_latency_ns
    late = [began for began in began_ns if began > cancelled_ns]
    assert len(late) <= 1, "one that had looked just before"
    assert number <= len(began_ns) < 40


def test_a_loop_that_never_ends_is_cancelled(threads: ThreadPoolExecutor) -> None:
    model = control.built(control.while_loop(lambda i, x: [control.add("n0", x, 2)], shape=(2, 3)))
    request = model.compiled.create_infer_request()
    known = {"x": X, "n": np.array(2**31 - 1, np.int32)}
    run = threads.submit(request.infer, {t.name: known[t.name] for t in model.get_inputs()})
    until(lambda: request.status is RequestStatus.RUNNING)
    assert request.cancel()
    ended_as_cancelled(request, run)


def on_npu(device: Device | None = None) -> Model:
    context, model = Context(), Model()
    context.set_delegate(NPUDelegate(device=device) if device else NPUDelegate())
    context.on_delegate_error = "raise"
    model.build_from_graph(chain(3, (64, 64)), context)
    return model


def test_a_cancelled_run_leaves_the_queue_at_once_and_later_runs_move_up(threads: ThreadPoolExecutor) -> None:
    device = Device()
    compiled = on_npu(device).compiled
    first, second = compiled.create_infer_request(), compiled.create_infer_request()
    x = np.ones((64, 64), np.float32)
    with device.turns.turn(Fraction(1)):
        run = threads.submit(first.infer, [x])
        until(lambda: device.turns.waiting == 1)
        behind = threads.submit(second.infer, [x])
        until(lambda: device.turns.waiting == 2)
        assert first.cancel()
        ended_as_cancelled(first, run)
        assert device.turns.waiting == 1
        assert not behind.done()
    np.testing.assert_array_equal(behind.result(LONG)[0], x + 6)
    np.testing.assert_array_equal(first.infer([x])[0], x + 6)


def test_the_device_looks_between_instructions_and_gives_its_turn_back(
    threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = Device()
    compiled = on_npu(device).compiled
    request, executed = compiled.create_infer_request(), []
    execute = interpreter._execute

    def cancelling(*arguments: Any) -> Any:
        executed.append(request.cancel())
        return execute(*arguments)

    x = np.ones((64, 64), np.float32)
    with monkeypatch.context() as patch:
        patch.setattr(interpreter, "_execute", cancelling)
        run = threads.submit(request.infer, [x])
        ended_as_cancelled(request, run)
    assert executed == [True]
    np.testing.assert_array_equal(compiled.create_infer_request().infer([x])[0], x + 6)


def test_transfers_are_cut_into_chunks_and_end_between_two(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(transfer, "cancel_point", lambda: looks.append(1))
    source = np.arange(3 * 5 * 7, dtype=np.float32).reshape(1, 3, 5, 7).transpose(0, 3, 1, 2)
    result = transfer.transferred(source, np.dtype(np.float16), 64)
    np.testing.assert_array_equal(result, source.astype(np.float16))
    assert result.flags.c_contiguous
    assert len(looks) > source.size * 2 // 64


def test_an_error_of_the_device_about_a_cancelled_run_is_no_failure(threads: ThreadPoolExecutor) -> None:
    """A kernel that wraps every exception in one of its own."""

    class Wrapping(Gate):
        def pass_through(self) -> None:
            try:
                super().pass_through()
            except LiteDelegateError as e:
                raise OSError("the device says no") from e

    gate = Wrapping()
    compiled = held(gate).compiled
    request = compiled.create_infer_request()
    run = threads.submit(request.infer, [X])
    gate.wait_for_a_run()
    request.cancel()
    ended_as_cancelled(request, run)
    assert not any(subgraph.failures for subgraph in compiled.partition.subgraphs)


def test_the_caller_of_cancel_is_told_the_outcome(threads: ThreadPoolExecutor) -> None:
    """Cancelling races with completion."""
    request = held(open_gate(), 2).compiled.create_infer_request()
    for _ in range(200):
        run = threads.submit(request.infer, [X])
        told = request.cancel()
        try:
            run.result(LONG)
            outcome = Outcome.DONE
        except RequestCancelled:
            outcome = Outcome.CANCELLED
        assert request.outcome is outcome
        if told:
            assert outcome is Outcome.CANCELLED


def test_an_interrupted_run_ends_and_the_request_can_be_used_again() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    gate = Gate(on_enter=interrupt)
    request = held(gate).compiled.create_infer_request()
    with pytest.raises(KeyboardInterrupt):
        request.infer([X])
    assert (request.status, request.outcome) == (RequestStatus.IDLE, Outcome.CANCELLED)
    gate.on_enter = lambda: None
    gate.open()
    np.testing.assert_array_equal(request.infer([X])[0], X + STEP)


class Interrupt:
    """Ctrl-C in the main thread, once: it raises KeyboardInterrupt there, as it does by default.

    The signal is sent until it has been seen: one that comes just before a thread blocks is seen when that ends.
    """

    def __init__(self) -> None:
        self.seen = threading.Event()

    def __enter__(self) -> Interrupt:
        self._before = signal.signal(signal.SIGINT, self._raise)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def send(self, ready: Callable[[], object]) -> None:
        """Waits for something, and interrupts."""
        ready()
        main = threading.main_thread().ident
        assert main is not None
        while not self.seen.wait(0.01):
            signal.pthread_kill(main, signal.SIGINT)

    def _raise(self, number: int, frame: object) -> None:
        if not self.seen.is_set():
            self.seen.set()
            raise KeyboardInterrupt


with_signals = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals to threads")


@with_signals
@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("times", [1, 2])
def test_a_signal_ends_infer_and_the_request_can_be_used_again(
    looks: bool, times: int, threads: ThreadPoolExecutor
) -> None:
    """The signal comes while the run waits in a graph kernel, in this thread, and more than once."""
    gate = Gate(looks=looks)
    request = held(gate, 2).compiled.create_infer_request()
    for _ in range(times):
        with Interrupt() as interrupt:
            sent = threads.submit(interrupt.send, gate.wait_for_a_run)
            with pytest.raises(KeyboardInterrupt):
                request.infer([X])
            sent.result(LONG)
        assert (request.status, request.outcome) == (RequestStatus.IDLE, Outcome.CANCELLED)
        with pytest.raises(RequestCancelled):
            _ = request.results
    gate.open()
    np.testing.assert_array_equal(request.infer([X])[0], X + STEP + 2)
    assert gate.inside == 0


@with_signals
def test_a_signal_ends_waiting_and_the_run_goes_on(threads: ThreadPoolExecutor) -> None:
    gate, asked = Gate(), threading.Event()
    request = held(gate).compiled.create_infer_request()

    def waited() -> None:
        asked.set()
        request.wait()

    request.start_async([X])
    gate.wait_for_a_run()
    with Interrupt() as interrupt:
        sent = threads.submit(interrupt.send, asked.wait)
        with pytest.raises(KeyboardInterrupt):
            waited()
        sent.result(LONG)
    assert request.status is RequestStatus.RUNNING
    gate.open()
    request.wait()
    np.testing.assert_array_equal(request.results[0], X + STEP)
