"""Branches and Rounds: what a kernel of control flow runs, for delegates that take loops and choices whole."""

from __future__ import annotations

from ..basics.data_class import dataclass
from ..tensors.tensor import Tensor
from .flow import ControlFlow
from .kernel import Kernel


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Kernels that run as one, over tensors of their own.

    Attributes:
        inputs: what it is given, in order.
        kernels: in execution order.
        outputs: what it gives, in order: what kernels give, inputs or constants.
    """

    inputs: tuple[Tensor, ...]
    kernels: tuple[Kernel, ...]
    outputs: tuple[Tensor, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Branches(ControlFlow):
    """A choice between two bodies. Both get the kernel's inputs except the first, and give its outputs.

    Attributes:
        if_true: what runs where the kernel's first input, one truth value, is true.
        if_false: what runs where it is not.
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

    ``condition`` is given the state before each round. As long as it gives true, ``body`` is given it, and gives the
    next one. Then ``end`` is given it, and gives the kernel's outputs.

    Attributes:
        condition: gives one truth value.
        body: gives the state, and behind it what is collected: one tensor of each round.
        end: is given the state, and behind it what was collected, in one array (rounds, ...) each; a dimension of it
            that only running the loop tells is -1.
        count: how many rounds there are; None where only running it tells.
        most: how many there are at most; None where no constant bounds them.
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
