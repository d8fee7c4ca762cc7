"""RunSetup: the plans of a compiled model, and how they are run; made before the model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...delegate import Kernel
from ..planned.planned_model import PlannedModel
from ..running.runner_maker import RunnerMaker, runner_of
from ..tensors.port import Port
from .at_once import made_by, runs_at_once
from .plans import Plans

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


@dataclass(frozen=True, slots=True, eq=False)
class RunSetup:
    """The plans of a compiled model, and how they are run.

    Attributes:
        plans: the plan that the model was compiled for, in a model with open dimensions a plan for each set of shapes.
        inputs: the model's.
        outputs: the model's.
        make_runner: makes runners; it has no compiled model, which would keep itself.
        owners: the name of the delegate that made each graph kernel that runs may use.
        optimal_requests: runs at once that keep the devices busy: no more than these have memory for, and at least 1.
        note: why they are fewer than the devices do best with; "" where they are not.
        shares_worker: whether EXCLUSIVE_ASYNC_REQUESTS gives the model a worker together with others; not where runs
            wait for each other.
    """

    plans: Plans
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    make_runner: RunnerMaker
    owners: Mapping[Kernel, str]
    optimal_requests: int
    note: str
    shares_worker: bool = True


def setup_of(parts: ModelParts) -> RunSetup:
    """The setup for the plan in these parts; with bounds for a plan per set of shapes."""
    planned = PlannedModel(parts)
    scheduled = parts.scheduled
    used = {subgraph.delegate for subgraph in scheduled.plan.record.subgraphs}
    delegates = [each for each in scheduled.settings.delegates if each.name in used]
    owners = scheduled.delegation.owners
    optimal, note = runs_at_once(made_by(delegates, owners))
    inputs, outputs = planned.inputs, planned.outputs
    plans: Plans = planned
    if parts.bounds is not None:
        from ..shapes.dynamic import DynamicPlans, with_ranges  # most models leave nothing open
        from ..shapes.dynamic_runner import dynamic_runners
        from ..shapes.output_ranges import output_ranges

        plans = dynamic = DynamicPlans(planned, parts.bounds)
        inputs = with_ranges(inputs, parts.bounds)
        ranges = output_ranges(parts.graph, scheduled.settings, parts.bounds, planned.declared_outputs())
        outputs = with_ranges(outputs, ranges)
        make: RunnerMaker = dynamic_runners(dynamic)
    elif parts.shape_error is not None:
        from ..planned.waiting import no_runner  # models that are planned do without what it imports

        make = partial(no_runner, parts.graph, parts.closed_shapes, parts.shape_error)
    else:
        make = partial(runner_of, scheduled, planned.fallbacks)
    return RunSetup(plans, inputs, outputs, make, owners, optimal, note)
