"""Runner: what executes a compiled model, one run at a time, without anything that lasts between runs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

from lite_delegate_kernels import Array

from ...delegate.answers.device_run import DeviceReservation
from ...delegate.calls.log import DelegateLog
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.lifetimes.lease import Lease
from ...runtime.records.records import CPU


class Runner(Protocol):
    """What a run needs that no other run may use at the same time.

    ``PlanRunner`` has one plan, ``DynamicRunner`` one for the shapes of each run; runners of devices that are made of
    others (AUTO, MULTI, BATCH) have runners of these.

    Attributes:
        plan: that the latest run executed, or the first one will.
        lease: of what the plan needs; whoever runs enters it before, and leaves it afterwards.
        log: of the compiled model.
        shared_state_buffers: whether a request's state has one buffer for what goes in and what comes out.
    """

    plan: ExecutionPlan
    lease: Lease
    log: DelegateLog
    shared_state_buffers: bool

    @property
    def next_plan(self) -> ExecutionPlan:
        """The plan of the next run, as far as that can be told."""
        return self.plan

    @property
    def device(self) -> str:
        """Where the latest run was: the names of the delegates that take part, or the CPU."""
        return self.plan.record.delegate or CPU

    @abstractmethod
    def take_request_memory(self) -> None:
        """Takes the memory that a request needs on devices, until it is given back.

        Raises:
            DelegateBuildError: there is no room.
        """

    @abstractmethod
    def give_back_memory(self) -> int:
        """Gives the memory of a request back; the bytes that it was."""

    def reserve(self, ready_us: float) -> DeviceReservation | None:
        """Takes the place of a run on its simulated device; None where there is none, or more than one.

        Args:
            ready_us: simulated time before which the run cannot begin.
        """
        del ready_us
        return None

    @abstractmethod
    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """The outputs, in memory that is the caller's, for inputs that have been checked. No lease is entered.

        Args:
            arrays: the inputs in order.
            state: the values of the variables before, and afterwards; None: their initial values.

        Raises:
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and no CPU kernel takes over; the message names it.
        """
