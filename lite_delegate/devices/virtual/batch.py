"""BATCH: a device computes runs of several requests at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from types import MappingProxyType

from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...delegate import Kernel
from ...inference.model.compiled_model import CompiledModel
from ...inference.model.model_devices import ModelDevices, PlanDevices
from ...inference.model.status import BatchStatus
from ...inference.model_file.parts import ModelParts
from ...inference.properties.model_properties import ON_ERROR, DeviceProperties, ModelProperties, device_properties
from ...inference.running.runner import Runner
from ...inference.running.runner_maker import RunnerMaker, wrapping
from ...properties import Explanation, Integer, PropertySpec, Registry, Values
from ...runtime.records import PartitionRecord
from ..registry.names import MOST_IN_BATCH
from ..settings.virtual_properties import BATCH_TIMEOUT, LATENCY_MS, VIRTUAL_PROPERTIES
from .batch_models import BatchModels
from .batchability import Shape, item_shapes
from .run_groups import Groups


def properties_of_batch(timeout_ms: int = LATENCY_MS) -> Registry:
    """The properties that a batched model has beside the properties of its device.

    Args:
        timeout_ms: the default of AUTO_BATCH_TIMEOUT, in milliseconds.
    """
    given = next(spec for spec in VIRTUAL_PROPERTIES if spec.name == BATCH_TIMEOUT)
    effect = "milliseconds that a run waits at most for other runs to be computed with"
    timeout = replace(given, effect=effect, default=timeout_ms, scope="c", when="R")
    optimal = PropertySpec("OPTIMAL_BATCH_SIZE", "runs that are computed together at most", scope="c")
    most = PropertySpec(
        "MAX_BATCH_SIZE",
        f"runs whose inputs and outputs the devices had memory for, {MOST_IN_BATCH} at most; a batch size that is not "
        "given is chosen no larger",
        scope="c",
    )
    return Registry("BATCH", (timeout, optimal, most))


class BatchRunner(Runner):
    """A runner whose runs wait for the runs of other requests.

    Args:
        single: the runner that computes a run alone.
        groups: the groups in which runs wait.
        shapes: the shapes of the inputs of a run that waits; a run with other shapes is computed alone.
    """

    def __init__(self, single: Runner, groups: Groups, shapes: Sequence[Shape]) -> None:
        self.plan, self.lease, self.log = single.plan, single.lease, single.log
        self.shared_state_buffers = False
        self._single = single
        self._groups = groups
        self._shapes = list(shapes)

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, for a run alone; the runs of a larger batch share memory."""
        self._single.take_request_memory()

    def give_back_memory(self) -> int:
        """As ``Runner.give_back_memory``."""
        return self._single.give_back_memory()

    def run(self, arrays: Sequence[Array], state: list[Array] | None = None) -> list[Array]:
        """As ``Runner.run``; the model has no state."""
        if [array.shape for array in arrays] != self._shapes:
            results = self._single.run(arrays, state)
            self.plan = self._single.plan
            return results
        return self._groups.run(arrays, self._single.run)


class _Timeout:
    """The target of AUTO_BATCH_TIMEOUT, which changes the timeout of groups."""

    name = "BATCH"

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets the timeout."""
        self._groups.change_timeout(Integer(0).parse(properties[BATCH_TIMEOUT]))


class BatchDevices(ModelDevices):
    """A device that computes several runs at once. Answers are about one run, and changes go to all batch sizes.

    Args:
        single: the device as it computes one run, with the properties of all batch sizes.
        registry: the registry of these properties.
        batches: has a compiled model for each batch size.
        groups: the groups in which runs wait.
    """

    def __init__(self, single: PlanDevices, registry: Registry, batches: BatchModels, groups: Groups) -> None:
        self._single = single
        self._registry = registry
        self.batches = batches
        self.groups = groups

    @property
    def batch(self) -> BatchStatus:
        """As ``ModelDevices.batch``."""
        return BatchStatus(self.groups.size, tuple(self.batches.models), MappingProxyType(dict(self.groups.sizes)))

    @property
    def partition(self) -> PartitionRecord:
        """As ``ModelDevices.partition``."""
        record, sizes = self.batches.models[1].partition, ", ".join(map(str, self.batches.models))
        note = f"BATCH: up to {counted(self.groups.size, 'run')} at once, compiled for {sizes}"
        return replace(record, notes=(note, *record.notes))

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """As ``ModelDevices.graph_kernels``."""
        return self._single.graph_kernels

    def parts(self) -> ModelParts:
        """As ``ModelDevices.parts``."""
        return self._single.parts()

    @property
    def at_run_time(self) -> Mapping[str, object]:
        """As ``ModelDevices.at_run_time``."""
        return self._single.at_run_time

    def explain(self, key: str, facts: Mapping[str, object]) -> Explanation:
        """As ``ModelDevices.explain``."""
        return self._single.explain(key, facts)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``ModelDevices.set_property``."""
        self._single.set_property(properties)
        on_error = self._registry.checked(properties).get(ON_ERROR)
        for model in self.batches.models.values() if on_error is not None else ():
            model.set_property({ON_ERROR: on_error})

    def release(self) -> int:
        """As ``ModelDevices.release``."""
        return self._single.release() + self.batches.release()

    def close(self, reason: str) -> None:
        """As ``ModelDevices.close``; waiting runs stop to wait for other runs."""
        self.groups.change_timeout(0)
        for model in self.batches.models.values():
            model.close(reason)
        self.batches.release()


def batch_model(models: Mapping[int, CompiledModel], values: Values, most: int) -> CompiledModel:
    """A model that computes several runs at once; each request keeps its own inputs and outputs.

    Args:
        models: compiled models by batch size, 1 among the sizes.
        values: the values of ``properties_of_batch``.
        most: the number of runs that the devices have memory for.
    """
    single, size, batches = models[1], max(models), BatchModels(models)
    setup, parts = single.setup, single.parts()
    groups = Groups(size, Integer(0).parse(values.value(BATCH_TIMEOUT)), batches.together)
    owners = [model.parts().scheduled.delegation.owners.items() for model in models.values()]
    of_devices = device_properties(parts.scheduled.settings, dict(chain.from_iterable(owners)))
    facts = {"OPTIMAL_BATCH_SIZE": size, "MAX_BATCH_SIZE": max(most, size)}
    properties = ModelProperties((DeviceProperties(_Timeout(groups), values, facts), *of_devices))
    batched = replace(
        setup,
        devices=BatchDevices(PlanDevices(setup.plans, properties), properties.registry, batches, groups),
        properties=properties,
        make_runner=_runner_maker(setup.make_runner, groups, item_shapes(single)),
        optimal_requests=size * setup.optimal_requests,
        shared_worker=None,
    )
    return CompiledModel(batched, single.origin)


def _runner_maker(single: RunnerMaker, groups: Groups, shapes: Sequence[Shape]) -> RunnerMaker:
    """The maker of runners whose runs wait for the runs of other requests."""
    refusal = "BATCH joins runs; compile without BATCH to run something instead of graph kernels."
    return wrapping(single, partial(BatchRunner, groups=groups, shapes=shapes), refusal)
