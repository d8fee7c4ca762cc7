"""Runner: the executor of a compiled model's runs, one at a time, without tensors that last between runs."""

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
    """The resources that a run uses alone.

    ``PlanRunner`` has one plan, ``DynamicRunner`` a plan for the shapes of each run; the runners of AUTO, MULTI and
    BATCH have a runner for each of their devices.

    Attributes:
        plan: of the latest run, or of the first run to come.
        lease: of the plan; the caller of ``run`` enters the lease before and leaves it afterwards.
        log: of the compiled model.
        is_under_way: whether a run without a request is under way, for the lease, which watches the runner.
        shared_state_buffers: whether the old and the new value of a request's state share one buffer.
    """

    plan: ExecutionPlan
    lease: Lease
    log: DelegateLog
    shared_state_buffers: bool
    is_under_way: bool = False

    def after_fork(self) -> None:
        """See ``forking``: no run of the parent process is under way here."""
        self.is_under_way = False

    @property
    def next_plan(self) -> ExecutionPlan:
        """The expected plan of the next run."""
        return self.plan

    @property
    def device(self) -> str:
        """The device of the latest run: the names of the delegates, or the CPU."""
        return self.plan.record.delegate or CPU

    @abstractmethod
    def take_request_memory(self) -> None:
        """Takes the memory that a request needs on devices, until ``give_back_memory``.

        Raises:
            DelegateBuildError: a device has no memory left.
        """

    @abstractmethod
    def give_back_memory(self) -> int:
        """Gives the device memory of a request back; returns its bytes."""

    def reserve(self, ready_us: float) -> DeviceReservation | None:
        """Reserves the place of a run on its simulated device; None without a simulated device, or with several.

        Args:
            ready_us: the simulated time before which the run cannot begin.
        """
        del ready_us
        return None

    @abstractmethod
    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """Runs the model for checked inputs; gives the outputs, in memory of the caller. The caller enters the lease.

        Args:
            arrays: the inputs in order.
            state: the values of the variables before the run, replaced by the values after it; None: the initial
                values.

        Raises:
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and no CPU kernel takes over; the message names it.
        """
