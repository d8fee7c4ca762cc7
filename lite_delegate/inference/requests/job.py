"""Job: one run of a request, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import thread_time_ns
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

_set_writeable: Callable[[Array, bool], None] = cast(Any, np.ndarray.setflags)
"""By position: a keyword takes longer than all the rest of it."""


class Job(Attempt):
    """One run of a request.

    Args:
        stage: that it begins with.

    Attributes:
        clock: its stages.
        arrays: what it reads, where that is known to be as the model reads it.
        inputs: what it reads, where that is to be looked at.
        reads_cpu: whether the thread's CPU clock is read.
        is_written: whether the outputs have what it gave.
        made_copies: of its inputs and states.
        results: what it gave, with the places of the outputs and the memory that is to hold them; none in the end.
        kept: what it gave, copied, where that stays aside until somebody looks at the outputs.
        state: what it left in the variables; None before its end, and where there are none.
        callback: when the user's callback was called at its end, once that is over; None without one.
    """

    arrays: list[Array] | None = None
    inputs: Sequence[Ready] = ()
    results: Sequence[tuple[OutputPlace, Array, Array]] = ()
    kept: Sequence[Array] | None = None
    state: tuple[Array, ...] | None = None
    callback: Stretch | None = None
    reads_cpu = False
    _protected: Sequence[Array] = ()
    is_written = False
    _cpu_ns: tuple[int, ...] = ()
    _cancelled_ns = 0

    def __init__(self, stage: Stage) -> None:
        self.clock = StageClock(stage)
        self.decided = []
        self.made_copies: list[Copy] = []

    def brought(self, runner: Runner) -> list[Array]:
        """The inputs as the model reads them; the run may be cancelled between them."""
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
        """Lets nobody write to the contents of tensors until the end of the run; views of them are not seen."""
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
        """All places of outputs get what the run gave. Nothing of it can fail, and doing it twice is as once."""
        if self._protected:
            self._let_write()
        for place, memory, result in self.results:
            place.commit(memory, result)
        self.is_written = True

    def cancel(self) -> None:
        """As ``CancelToken.cancel``; its place on a simulated device is free."""
        super().cancel()
        if self.clock.reservation is not None:
            self.clock.reservation.withdraw()

    def end(self, cancelled_ns: int = 0) -> None:
        """The run has ended; nothing is kept of what it read and gave.

        Args:
            cancelled_ns: when it was cancelled, on its clock; 0: it was not.
        """
        if self._protected:  # nothing was committed
            self._let_write()
        self.inputs = self.results = ()
        self.arrays = self.kept = self.state = None
        self._cancelled_ns = cancelled_ns
        self.clock.finish()

    def read_cpu(self) -> None:
        """One more reading of the clock of this thread."""
        self._cpu_ns = (*self._cpu_ns, thread_time_ns())

    @property
    def cpu_ns(self) -> Sequence[int | None]:
        """What the thread's clock said at each of the points that it came to, see ``profiling_infos``."""
        if self.reads_cpu:
            return self._cpu_ns
        stages = self.clock.sums()
        return [None] * (1 + (Stage.CPU in stages) + (Stage.POSTPROCESS in stages) + self.is_written)

    @property
    def profile(self) -> RequestProfile:
        """What its time went into, once it has ended."""
        return RequestProfile.of(self.clock, self._cancelled_ns, self.callback)
