"""Budget: the most memory and steps that a model may take."""

from __future__ import annotations

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...errors import LimitError
from .at_hand import bytes_at_hand
from .sizes import shown_bytes

DEFAULT_STEPS = 1_000_000
"""Calls that the loops of a model make in a prediction at most, where the user says nothing."""
TERMS_PER_STEP = 1_000_000
"""Terms (products, elements of windows) that count as one step of a single kernel: about a millisecond."""
SMALL = 64 << 20
"""Bytes below which nobody asks how much memory is at hand: that takes longer than to allocate them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a model may take.

    Attributes:
        memory: bytes; None: the memory at hand at the moment.
        steps: see ``Context.step_limit``.
    """

    memory: int | None = None
    steps: int = DEFAULT_STEPS

    def check(self, what: str, nbytes: int) -> None:
        """Checks that the budget has the memory that a taker asks for.

        Args:
            what: the taker and its purpose, for the message: "Node 'x' (TileFusion): its outputs".
            nbytes: the bytes that it takes in all.

        Raises:
            LimitError: the memory does not suffice.
        """
        if nbytes <= SMALL and (self.memory is None or nbytes <= self.memory):
            return
        most = bytes_at_hand() if self.memory is None else self.memory
        if most is None or nbytes <= most:
            return
        bound = (
            f"Context.memory_limit, {shown_bytes(most)}"
            if self.memory is not None
            else (f"the {shown_bytes(most)} at hand (Context.memory_limit or --memory-limit sets another limit)")
        )
        raise LimitError(f"{what} would take {shown_bytes(nbytes)} of memory, more than {bound}.")

    def check_held(self, what: str, held: int, nbytes: int) -> None:
        """Checks a limit that the user has set against the memory in use and the memory to be taken. Memory at hand
        already excludes the memory in use.

        Args:
            what: the taker and its purpose, for the message.
            held: bytes that it has already.
            nbytes: bytes that it takes beside them.

        Raises:
            LimitError: both together are more than the limit.
        """
        if self.memory is not None:
            self.check(what, held + nbytes)

    def check_work(self, what: str, terms: int) -> None:
        """Checks that a kernel ends in reasonable time.

        Args:
            what: the kernel, for the message: "Node 'x' (Conv2DFusion)".
            terms: products, or elements of windows, that it goes through.

        Raises:
            LimitError: the kernel has too many terms.
        """
        steps = -(-terms // TERMS_PER_STEP)
        if steps > self.steps:
            raise LimitError(
                f"{what} would take {counted(steps, 'step')} of a million terms each, more than Context.step_limit "
                f"(--step-limit), {self.steps:,}."
            )
