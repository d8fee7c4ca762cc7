"""Running a plan with something else in place of its graph kernels, or around them."""

from __future__ import annotations

from collections.abc import Callable

from .plan import ExecutionPlan, Step, StepFunction
from .run import Run


class ShadowRun(Run):
    """A prediction in which a function of the caller's runs in the step of every graph kernel.

    Args:
        plan: the plan.
        function_of: gives what runs in a graph kernel's step. It is handed arrays as ``Guard.run_on_cpu`` is, and gives
            a tuple with the graph kernel's outputs.
    """

    def __init__(self, plan: ExecutionPlan, function_of: Callable[[Step], StepFunction]) -> None:
        super().__init__(plan)
        self._function_of = function_of

    def _graph_call(self, step: Step, *, repeats: bool) -> StepFunction:
        return self._function_of(step)
