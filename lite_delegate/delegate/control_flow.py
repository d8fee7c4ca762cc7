"""Branches and Rounds: the bodies of a control flow kernel, for delegates that take loops and choices whole."""

from __future__ import annotations

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..tensors.tensor import Tensor
from .flow import ControlFlow
from .kernel import Kernel


@dataclass(frozen=True, slots=True, eq=False)
class Body(Brief):
    """Kernels that run together, over tensors of their own.

    Attributes:
        inputs: its inputs, in order.
        kernels: its kernels in execution order.
        outputs: its outputs, in order: outputs of kernels, inputs or constants.
    """

    inputs: tuple[Tensor, ...]
    kernels: tuple[Kernel, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Branches(ControlFlow):
    """A choice between two bodies. Both get the kernel's inputs except the first, and give its outputs.

    Attributes:
        if_true: the body that runs where the kernel's first input, one truth value, is true.
        if_false: the body that runs where it is false.
    """

    if_true: Body
    if_false: Body

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All of them."""
        return self.if_true, self.if_false


@dataclass(frozen=True, slots=True, eq=False)
class Rounds(ControlFlow):
    """A loop over a state, which begins as the kernel's inputs.

    ``condition`` gets the state before each round. As long as it gives true, ``body`` computes the next state from the
    state. Then ``end`` computes the kernel's outputs from the last state.

    Attributes:
        condition: gives one truth value.
        body: gives the state, and behind it the collected tensors of the round.
        end: gets the state, and behind it the collected tensors, each in one array (rounds, ...); a dimension that is
            known only after the loop has run is -1.
        count: the number of rounds; None where only running the loop tells.
        most: the most rounds; None where no constant bounds them.
    """

    condition: Body
    body: Body
    end: Body
    count: int | None
    most: int | None

    @property
    def bodies(self) -> tuple[Body, ...]:
        """All of them."""
        return self.condition, self.body, self.end
