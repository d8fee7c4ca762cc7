"""Job: one run of a request, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter_ns, thread_time_ns
from typing import Any, cast

import numpy as np
from lite_delegate_kernels import Array

from ...tensors.tensor import Tensor
from ..profiling.profile import RequestProfile
from ..profiling.stages import Stage, StageClock, Stretch
from ..running.runner import Runner
from ..tensors.copies import Copy
from ..tensors.joined_input import Ready
from ..tensors.output_place import OutputPlace
from ..tensors.remote_ports import RemoteInput
from .lifecycle import Attempt

_POSTPROCESS = Stage.POSTPROCESS
_set_writeable: Callable[[Array, bool], None] = cast(Any, np.ndarray.setflags)
"""Called by position, because a keyword takes longer than the call itself."""


class Job(Attempt, StageClock):
    """One run of a request: the token of its cancellation, and the clock of its stages.

    Args:
        stage: the first stage of the run.

    Attributes:
        arrays: the inputs, where they need no check or conversion.
        inputs: the checked inputs, where some may need a conversion.
        plain: the inputs of a run that has only to run the plan and to keep the results; None for other runs.
        reads_cpu: whether the thread's CPU clock is read.
        gives_results: whether somebody gets the results beside the request's tensors.
        is_written: whether the outputs have the results of the run.
        results: the results with their places and their memory; empty after the end.
        kept: copies of the results, kept until the user reads the outputs.
        state: the new values of the variables; None before the end, and for a model without variables.
        callback: the time of the user's callback, once the callback is over; None without a callback.
    """

    arrays: list[Array] | None = None
    inputs: Sequence[Ready] = ()
    results: Sequence[tuple[OutputPlace, Array, Array]] = ()
    kept: Sequence[Array] | None = None
    state: tuple[Array, ...] | None = None
    callback: Stretch | None = None
    plain: list[Array] | None = None
    reads_cpu = False
    gives_results = True
    _protected: Sequence[Array] = ()
    is_written = False
    _cpu_ns: tuple[int, ...] = ()
    _cancelled_ns = 0
    _copies: list[Copy] | None = None

    def __init__(self, stage: Stage) -> None:
        self.stage = stage  # as ``StageClock`` does, without a call
        self.started_ns = started_ns = perf_counter_ns()
        self.marks = [(stage, started_ns)]
        self.decided = []

    @property
    def made_copies(self) -> list[Copy]:
        """The copies of inputs and states, to be added to."""
        copies = self._copies
        if copies is None:
            copies = self._copies = []
        return copies

    def brought(self, runner: Runner) -> list[Array]:
        """The inputs as the model reads them; a check for cancellation precedes each conversion."""
        arrays = []
        for given in self.inputs:
            if isinstance(given, np.ndarray):
                arrays.append(given)
                continue
            self.check()
            if isinstance(given, RemoteInput):
                arrays.append(given.read(runner.next_plan, self.made_copies))
            else:
                arrays.append(given.brought(self.made_copies))
        return arrays

    def protect(self, tensors: Sequence[Tensor]) -> None:
        """Makes the contents of tensors read-only until the end of the run; existing views stay writeable."""
        protected: list[Array] = []
        self._protected = protected
        for tensor in tensors:
            array = tensor.held
            if array is not None and array.flags.writeable:
                protected.append(array)
                _set_writeable(array, False)

    def _let_write(self) -> None:
        for array in self._protected:
            _set_writeable(array, True)
        self._protected = ()

    def commit(self) -> None:
        """Puts the results in the places of outputs. The commit cannot fail, and a second commit has no effect."""
        if self._protected:
            self._let_write()
        for place, memory, result in self.results:
            place.commit(memory, result)
        self.is_written = True

    def cancel(self) -> None:
        """As ``CancelToken.cancel``; also frees the run's place on a simulated device."""
        super().cancel()
        if self.reservation is not None:
            self.reservation.withdraw()

    def conclude(self, cancelled_ns: int = 0) -> None:
        """Ends the run, and drops its inputs and results.

        Args:
            cancelled_ns: the time of the cancellation, on the run's clock; 0: no cancellation.
        """
        if self._protected:  # the run was not committed
            self._let_write()
        self.inputs = self.results = ()
        self.arrays = self.plain = self.kept = self.state = None
        self._cancelled_ns = cancelled_ns
        self.ended_ns = ended_ns = perf_counter_ns()
        self.marks.append((self.stage, ended_ns))

    def conclude_kept(self) -> None:
        """As ``commit`` and ``conclude``, of a plain run."""
        if self._protected:
            self._let_write()
        self.is_written = True
        self.arrays = self.plain = self.kept = None
        self.ended_ns = ended_ns = perf_counter_ns()
        self.marks.append((_POSTPROCESS, ended_ns))

    def read_cpu(self) -> None:
        """Takes one more reading of the thread's CPU clock."""
        self._cpu_ns = (*self._cpu_ns, thread_time_ns())

    @property
    def cpu_ns(self) -> Sequence[int | None]:
        """The readings of the thread's CPU clock so far, see ``profiling_infos``."""
        if self.reads_cpu:
            return self._cpu_ns
        stages = self.sums()
        return [None] * (1 + (Stage.CPU in stages) + (Stage.POSTPROCESS in stages) + self.is_written)

    @property
    def profile(self) -> RequestProfile:
        """The profile of the run, after its end."""
        return RequestProfile.of(self, self._cancelled_ns, self.callback)
