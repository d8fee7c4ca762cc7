"""Job: one run of a request, from its start to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lite_delegate_kernels import Array

from ..tensor import Tensor
from .copies import Copy
from .given import Conversion
from .joined import JoinedInput
from .outputs import OutputPlace
from .port import Port
from .profile import RequestProfile
from .stages import Stage, StageClock, Stretch

COPIED_RESULT = "a step's result is written to the tensor at the commit"


class Job:
    """One run of a request.

    Args:
        stage: that it begins with.

    Attributes:
        clock: its stages.
        callback: when the user's callback was called at its end, once that is over; None without one.
        read_cpu: reads the thread's CPU clock, if the run does that.
        cpu_ns: the readings, see ``profiling_infos``.
        inputs: what it reads.
        made_copies: of its inputs and states.
        state: what it left in the variables; None before its end.
        results: what it gave, with the places of the outputs and the memory that is to hold them; none in the end.
    """

    __slots__ = (
        "_cancelled_ns",
        "_protected",
        "_written",
        "callback",
        "clock",
        "cpu_ns",
        "inputs",
        "made_copies",
        "read_cpu",
        "results",
        "state",
    )

    def __init__(self, stage: Stage) -> None:
        self.clock = StageClock(stage)
        self.inputs: Sequence[Array | Conversion | JoinedInput] = ()
        self.made_copies: list[Copy] = []
        self._written: Sequence[tuple[Port, int]] = ()
        self.results: Sequence[tuple[OutputPlace, Array, Array]] = ()
        self.state: tuple[Array, ...] | None = None
        self._protected: list[Array] = []
        self._cancelled_ns = 0
        self.callback: Stretch | None = None
        self.read_cpu: Callable[[], int | None] = _not_read
        self.cpu_ns: list[int | None] = []

    def protect(self, tensors: Iterable[Tensor]) -> None:
        """Lets nobody write to the contents of tensors until ``unprotect``; views of them are not seen."""
        for tensor in tensors:
            array = tensor.held
            if array is not None and array.flags.writeable:
                self._protected.append(array)
                array.setflags(write=False)

    def unprotect(self) -> None:
        """Lets them be written to again."""
        for array in self._protected:
            array.setflags(write=True)
        self._protected = []

    def end(self, cancelled_ns: int = 0) -> None:
        """The run has ended; nothing is kept of what it read and gave.

        Args:
            cancelled_ns: when it was cancelled, on its clock; 0: it was not.
        """
        if self.results:
            self._written = [(place.port, result.nbytes) for place, _, result in self.results]
        self.inputs, self.results, self.state = (), (), None
        self._cancelled_ns = cancelled_ns
        self.clock.finish()

    @property
    def profile(self) -> RequestProfile:
        """What its time went into, once it has ended."""
        return RequestProfile.of(self.clock, self._cancelled_ns, self.callback)

    @property
    def copies(self) -> list[Copy]:
        """That it made, until it ended."""
        return [*self.made_copies, *(Copy(port, nbytes, COPIED_RESULT) for port, nbytes in self._written)]


def _not_read() -> None:
    """In place of the clock of a thread, where that is not read."""
