"""RunningRequest: the begin, the computation and the commit of a request's run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from itertools import count
from time import perf_counter_ns

from lite_delegate_kernels import Array

from ...basics.words.one_line import OneLine, quoted, some
from ...delegate import SpanKind, set_token
from ...delegate.calls.cancel import cancelled
from ...delegate.calls.spans import start_clock, told
from ...runtime.execution.watching import CHECK_INPUTS, GIVE_OUTPUTS
from ..executor.completion import Completion
from ..profiling.stages import Stage, StageClock
from ..running.runner import Runner
from ..state.state import RequestStates
from ..tensors.given_inputs import Inputs
from ..tensors.port import Port
from ..tensors.remote_ports import leave_on_devices, with_remote
from ..tensors.request_tensors import RequestTensors
from .job import Job
from .lifecycle import Attempt, Lifecycle, Outcome
from .run_log import tell_run

_NUMBERS = count(1)
_DONE = Outcome.DONE
_CPU, _POSTPROCESS = Stage.CPU, Stage.POSTPROCESS


SHORT_NS = 1_000_000
"""Nanoseconds; after a shorter run the next run does not read the thread's CPU clock, which would take too long."""


class RunningRequest(OneLine):
    """The part of a request that computes runs. Its own time dominates short runs, so keep the code short.

    Args:
        runner: of the model.
        inputs: of the model.
        outputs: of the model.
    """

    def __init__(self, runner: Runner, inputs: Sequence[Port], outputs: Sequence[Port]) -> None:
        self.number = next(_NUMBERS)
        """The number of the request in this process, for messages."""
        self._runner = runner
        self._lifecycle = Lifecycle()
        self._outputs = tuple(outputs)
        self._tensors = RequestTensors(inputs, outputs)
        self._last: Job | None = None
        self._queue: Callable[[StageClock], object] | None = None
        self._completions: dict[Job, Completion] = {}  # of asynchronous runs, and of awaited runs
        check, shared = self._lifecycle.check_idle, runner.shared_state_buffers
        self._states = RequestStates(runner.plan, check, shared=shared)
        self._has_states = bool(self._states.infos)
        self._gate = runner.lease.gate
        runner.lease.watch(self._lifecycle)

    def _begin(self, job: Job, call: str, inputs: Inputs) -> None:
        """Begins a run in the caller's thread, all or nothing; at a shut gate, the caller leaves the lease at the end.

        Args:
            job: the new run.
            call: the name of the method, for messages.
            inputs: as ``infer`` takes them.
        """
        last, tensors = self._last, self._tensors
        job.request = self.number
        job.arrays = arrays = tensors.ready(inputs)
        if last is None or last.ended_ns - last.started_ns > SHORT_NS:
            job.reads_cpu = True
        elif tensors.keeps and not self._has_states:
            job.plain = arrays
        if last is not None and last.is_simulated:
            self._go_on_from(last, job)
        if arrays is None:
            self._read(job, call, inputs)
        before = self._lifecycle.latest
        self._lifecycle.begin(call, job)
        if self._gate.is_shut:
            self._pass_gate(job, before)
        if tensors.own:
            job.protect(tensors.own)

    def _go_on_from(self, last: Job, job: Job) -> None:
        """Begins a run on the clocks of simulated devices where the last run ended."""
        if last.reservation is not None and self._queue is None:
            last.settle()
        if last.simulated_us:
            job.simulated_us, job.is_simulated = last.simulated_us, True

    def _read(self, job: Job, call: str, inputs: Inputs) -> None:
        """Checks the inputs of a run that may need conversions."""
        try:
            job.inputs = told(SpanKind.HOST, CHECK_INPUTS, self._tensors.read, inputs)
        except Exception:
            self._lifecycle.check_idle(call)
            raise

    def _pass_gate(self, job: Job, before: Attempt | None) -> None:
        """Waits while the lease is suspended; takes the begin of a run back once the lease is closed."""
        lease = self._runner.lease
        try:
            lease.enter()
        except BaseException:
            self._lifecycle.withdraw(job, before)
            lease.leave()
            raise

    def _leave(self) -> None:
        """Leaves the lease after the end of a run."""
        if self._gate.is_shut:
            self._runner.lease.leave()

    def _run_once(self, job: Job) -> list[Array]:
        """Computes a run that has begun, in any thread, and commits or fails it; the request is idle afterwards.

        The clock and the token are set in a separate context: an interrupt at any point leaves neither to the thread.

        Returns:
            The outputs, in memory of the caller.
        """
        return copy_context().run(self._computed, job)

    def _computed(self, job: Job) -> list[Array]:
        recorder = start_clock(job)
        set_token(job)
        try:
            plain = job.plain if recorder is None else None
            results = self._run_fully(job) if plain is None else self._run_plainly(job, plain)
            if self._runner.log.writes("LOG_DEBUG"):
                tell_run(self._runner, self.number, job.profile, None)
            return results
        except BaseException as e:
            if self._lifecycle.run_under_way is not job:  # interrupted after the end of the run
                raise
            if job.is_committing:  # interrupted during the commit, which is completed
                self._commit(job)
                raise
            raised = self._fail(job, e)
            if raised is e:
                raise
            raise raised from e

    def _run_plainly(self, job: Job, arrays: Sequence[Array]) -> list[Array]:
        """Runs the plan over ``Job.plain``, in few calls, since each counts in a short run."""
        decided = job.decided
        job.stage = _CPU
        job.marks.append((_CPU, perf_counter_ns()))
        results = self._runner.run(arrays, [])
        job.marks.append((_POSTPROCESS, perf_counter_ns()))
        if not job.gives_results:
            job.kept = results
        elif len(results) == 1:
            job.kept = [results[0].copy()]
        else:
            job.kept = [result.copy() for result in results]
        decided.append(_DONE)
        if decided[0] is not _DONE:
            raise cancelled()
        self._tensors.kept = job.kept
        job.conclude_kept()
        self._last = job
        self._lifecycle.succeed()
        return results

    def _run_fully(self, job: Job) -> list[Array]:
        """Runs the plan with conversions, states, tensors of the user, and readings of the thread's CPU clock."""
        if job.reads_cpu:
            job.read_cpu()
        remote = self._tensors.remote
        arrays = job.brought(self._runner) if job.arrays is None else job.arrays
        if remote:
            leave_on_devices(self._runner.next_plan, remote, job.made_copies)
        state = self._states.begin(job.made_copies) if self._has_states else []
        job.go_on(_CPU)
        if job.reads_cpu:
            job.read_cpu()
        results = self._runner.run(arrays, state)
        job.go_on(_POSTPROCESS)
        if job.reads_cpu:
            job.read_cpu()
        told(SpanKind.HOST, GIVE_OUTPUTS, self._give_out, job, arrays, state, results)
        return with_remote(results, remote) if remote else results

    def _give_out(self, job: Job, arrays: Sequence[Array], state: list[Array], results: Sequence[Array]) -> None:
        """Finds memory for the results of a run, and commits the run."""
        if self._tensors.keeps:
            job.kept = [result.copy() for result in results]
        else:
            job.results = [(p, p.place(r), r) for p, r in zip(self._tensors.outputs, results, strict=True)]
        if state:
            job.state = self._states.prepare(state, arrays, results, job.made_copies)
        if not job.decide(_DONE):
            raise cancelled()
        self._commit(job)

    def _commit(self, job: Job) -> None:
        """Changes outputs and states at once. The commit cannot fail, and a second commit has no effect."""
        if job.kept is not None:
            self._tensors.kept = job.kept
        job.commit()
        if job.state is not None:
            self._states.commit(job.state)
        if job.reads_cpu:
            job.read_cpu()
        job.conclude()
        self._last = job
        self._lifecycle.succeed()

    def _fail(self, job: Job, error: BaseException) -> BaseException:
        """Ends a run without a result, computed or not; gives the error for the caller."""
        job.conclude(job.cancelled_ns)
        self._last = job
        raised = self._lifecycle.fail(job, error)
        if isinstance(raised, Exception):
            raised.add_note(f"In request {self.number}.")
        if self._runner.log.writes("LOG_DEBUG"):
            tell_run(self._runner, self.number, job.profile, raised)
        return raised

    def _let_go(self, job: Job) -> None:
        """Makes sure, after an interrupt at any point, that the request is idle."""
        if self._lifecycle.run_under_way is job:
            self._fail(job, KeyboardInterrupt())

    def _line(self) -> str:
        inputs = (place.port for place in self._tensors.inputs)
        ends = (some(quoted(port.name) for port in ports) for ports in (inputs, self._outputs))
        return f"{self.number}: {self._lifecycle.status}, {' -> '.join(ends)}"
