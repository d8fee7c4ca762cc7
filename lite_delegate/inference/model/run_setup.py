"""RunSetup: the plans, devices and run options of a compiled model, made before the model."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ..executor.exclusive import exclusive_executor
from ..executor.executor import Executor
from ..planned.planned_model import PlannedModel
from ..properties.cpu_properties import STREAMS
from ..properties.model_properties import ModelProperties, device_properties
from ..running.runner_maker import RunnerMaker, runner_of
from ..tensors.port import Port
from .model_devices import ModelDevices, PlanDevices
from .optimal_requests import made_by, runs_at_once
from .plans import Plans

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


@dataclass(frozen=True, slots=True, eq=False)
class RunSetup(Brief):
    """The plans, devices and run options of a compiled model.

    Attributes:
        plans: the plan of the model, or for open dimensions a plan for each set of shapes.
        devices: the devices of runs.
        properties: of the devices at compilation.
        inputs: of the model.
        outputs: of the model.
        make_runner: makes runners; holds no reference to the compiled model, which would be a cycle.
        optimal_requests: the number of runs at once that keep the devices busy and fit their memory, at least 1.
        runs_in_order: whether runs are computed one at a time, in the order of their starts.
        shared_worker: the worker that the model shares with other models by EXCLUSIVE_ASYNC_REQUESTS; None for workers
            of its own, which a model whose runs wait for each other needs.
    """

    plans: Plans
    devices: ModelDevices
    properties: ModelProperties
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    make_runner: RunnerMaker
    optimal_requests: int
    runs_in_order: bool
    shared_worker: Executor | None


def setup_of(parts: ModelParts) -> RunSetup:
    """The setup of a model's parts; parts with bounds get a plan for each set of shapes."""
    planned = PlannedModel(parts)
    scheduled = parts.scheduled
    used = {subgraph.delegate for subgraph in scheduled.plan.record.subgraphs}
    delegates = [each for each in scheduled.settings.delegates if each.name in used]
    owners = scheduled.delegation.owners
    optimal, note = runs_at_once(made_by(delegates, owners))
    inputs, outputs = planned.inputs, planned.outputs
    plans: Plans = planned
    if parts.bounds is not None:
        from ..shapes.dynamic_plans import DynamicPlans, with_ranges  # most models have no open dimensions
        from ..shapes.dynamic_runner import dynamic_runners
        from ..shapes.output_ranges import output_ranges

        plans = dynamic = DynamicPlans(planned, parts.bounds)
        inputs = with_ranges(inputs, parts.bounds)
        ranges = output_ranges(parts.graph, scheduled.settings, parts.bounds, planned.declared_outputs())
        outputs = with_ranges(outputs, ranges)
        make: RunnerMaker = dynamic_runners(dynamic)
    elif parts.shape_error is not None:
        from ..planned.unplanned_model import no_runner  # a planned model does not need the imports of this module

        make = partial(no_runner, parts.graph, parts.closed_shapes, parts.shape_error)
    else:
        make = partial(runner_of, scheduled, planned.fallbacks)
    found = device_properties(scheduled.settings, owners)
    properties = ModelProperties(found)
    in_order = properties.number("NPU_RUN_INFERENCES_SEQUENTIALLY") == 1
    devices, shared = PlanDevices(plans, properties, note), exclusive_executor(found)
    return RunSetup(plans, devices, properties, inputs, outputs, make, optimal, in_order, shared)


def executor_of(setup: RunSetup) -> Executor:
    """The workers of a compiled model: NUM_STREAMS of them, or by default the optimal number of requests."""
    if setup.shared_worker is not None:
        return setup.shared_worker
    settings = setup.plans.parts().scheduled.settings
    streams = 1 if setup.runs_in_order else setup.properties.number(STREAMS) or setup.optimal_requests
    each = settings.stream_threads or settings.chosen_threads
    return Executor(streams, settings.threads, each, overlaps=not setup.runs_in_order)
