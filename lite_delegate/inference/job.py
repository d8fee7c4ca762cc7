"""Job: one run of a request, from its start to its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite_delegate_kernels import Array

from ..tensor import Tensor
from .copies import Copy
from .given import GivenInput
from .joined import JoinedInput
from .outputs import OutputPlace
from .stages import Stage, StageClock


class Job:
    """One run of a request.

    Args:
        stage: that it begins with.

    Attributes:
        clock: its stages.
        inputs: what it reads.
        copies: that it made so far.
        state: what it left in the variables; None before its end.
        results: what it gave, with the places of the outputs and the memory that is to hold them.
    """

    __slots__ = ("_protected", "clock", "copies", "inputs", "results", "state")

    def __init__(self, stage: Stage) -> None:
        self.clock = StageClock(stage)
        self.inputs: Sequence[GivenInput | JoinedInput] = ()
        self.copies: list[Copy] = []
        self.results: Sequence[tuple[OutputPlace, Array, Array]] = ()
        self.state: tuple[Array, ...] | None = None
        self._protected: list[Array] = []

    def protect(self, tensors: Iterable[Tensor]) -> None:
        """Lets nobody write to the contents of tensors until ``unprotect``; views of them are not seen."""
        for tensor in tensors:
            if tensor.has_data and tensor.data.flags.writeable:
                self._protected.append(tensor.data)
                tensor.data.flags.writeable = False

    def unprotect(self) -> None:
        """Lets them be written to again."""
        for array in self._protected:
            array.flags.writeable = True
        self._protected = []
