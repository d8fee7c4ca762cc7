"""DynamicRunner: a runner of a model with open dimensions, which follows the shapes of each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from lite_delegate_kernels import Array

from ...basics.warned import warn
from ...errors import DelegateExecuteError, DelegateWarning, DeviceLost, KernelError, ModelClosed
from ...runtime.lifetimes.lease import UnderWay
from ..profiling.plan_use import PlanUse
from ..profiling.stages import StageClock
from ..running.runner import Runner
from ..running.runner_maker import RunnerMaker, runner_of, wrapping
from ..tensors.snapshot import states_of
from .dynamic_plans import DynamicPlans, Shapes
from .padding import Padded


class DynamicRunner(Runner):
    """A runner with the plan for the shapes of the latest run, which is kept for the next run.

    States keep their values when the plan changes. A state whose shape differs in the new plan is reset, with a
    warning.

    Args:
        first: a runner of any plan.
        plans: of the model.
    """

    def __init__(self, first: Runner, plans: DynamicPlans) -> None:
        self.plan, self.lease = first.plan, plans.lease
        self.log, self.shared_state_buffers = first.log, first.shared_state_buffers
        self._plans = plans
        self._shapes: Shapes | None = None
        self._runner = first
        plans.add(self)

    @property
    def shapes(self) -> Shapes | None:
        """The shapes of the kept plan; None for the first plan only."""
        return self._shapes

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, for the kept plan."""
        self._runner.take_request_memory()

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``, for the kept plan; the next run takes the memory again."""
        self._shapes = None
        return self._runner.give_back_memory()

    @property
    def device(self) -> str:
        """As ``Runner.device``."""
        return self._runner.device

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``.

        Raises:
            LiteDelegateError: the model rejects the shapes, see ``DynamicPlans.plan_for``.
        """
        shapes = self._plans.shapes_of(arrays)
        padded = self._plans.padded(shapes)
        if padded.outputs:
            try:
                return self._run_padded(shapes, padded, arrays, state)
            except DeviceLost:
                raise
            except (KernelError, DelegateExecuteError) as e:  # an operator may reject the values of the padding
                padded = Padded(shapes, reason=f"the padded run failed: {e}")
        return self._run_padded(shapes, padded, arrays, state)

    def _run_padded(
        self, shapes: Shapes, padded: Padded, arrays: Sequence[Array], state: list[Array] | None
    ) -> list[Array]:
        begun, use = self._entered(padded.shapes)
        clock = StageClock.current()
        if clock is not None:
            clock.plan = use
            if padded.outputs or padded.reason:
                clock.plan = replace(use, padded=shapes if padded.outputs else (), reason=padded.reason)
        try:
            if state:
                self._restart(state)
            if padded.outputs:
                return padded.results(self._runner.run(padded.inputs(arrays), state))
            return self._runner.run(arrays, state)
        finally:
            del begun
            self._runner.lease.leave()

    def _entered(self, shapes: Shapes) -> tuple[UnderWay, PlanUse]:
        """Enters the lease of the plan for shapes, which is planned anew if its graph kernels moved to another plan."""
        while True:
            try:
                use = PlanUse(shapes) if shapes == self._shapes else self._follow(shapes)
                return self._runner.lease.enter(), use
            except ModelClosed:  # only the plan is closed: the run holds the lease of the model
                self._shapes = None

    def _follow(self, shapes: Shapes) -> PlanUse:
        plan, use = self._plans.plan_for(shapes)
        parts = plan.parts()
        self._runner.give_back_memory()
        self._shapes = None
        self._runner = runner_of(parts.scheduled, plan.fallbacks)
        self._runner.take_request_memory()
        self.plan, self._shapes = plan.plan, shapes
        return use

    def _restart(self, state: list[Array]) -> None:
        """Resets the states whose shapes differ in the plan."""
        for number, info in enumerate(states_of(self.plan)):
            if not info.takes(state[number]):
                warn(DelegateWarning(f"{info.where} begins anew: it was {list(state[number].shape)}, expected {info}."))
                state[number] = self.plan.state[number]


REFUSAL = (
    "A model with open dimensions has other graph kernels for other shapes; make a model for one set of shapes "
    "(CompiledModel.reshaped) to run something instead of them."
)


def dynamic_runners(plans: DynamicPlans) -> RunnerMaker:
    """A maker of runners for any shapes, which allow no replacement of graph kernels: these change with the shapes."""
    return wrapping(plans.runner, partial(DynamicRunner, plans=plans), REFUSAL)
