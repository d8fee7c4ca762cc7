"""BATCH: runs of several requests that a device gets at once."""

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
from ..settings.part_options import BATCH_TIMEOUT
from .batchable import Shape, item_shapes
from .batches import Batches
from .groups import Groups

LATENCY_MS, THROUGHPUT_MS = 10, 100
HINT = "PERFORMANCE_HINT"


def properties_of_batch(timeout_ms: int = LATENCY_MS) -> Registry:
    """The properties that a batched model has beside those of its device.

    Args:
        timeout_ms: of a run that waits for others, where nobody says.
    """
    timeout = PropertySpec(
        BATCH_TIMEOUT,
        "milliseconds for which a run waits at most for others that it is computed with",
        Integer(0, 3_600_000),
        timeout_ms,
        scope="c",
        when="R",
        usual=f"{LATENCY_MS}, {THROUGHPUT_MS} with {HINT}=THROUGHPUT",
    )
    optimal = PropertySpec("OPTIMAL_BATCH_SIZE", "runs that are computed together at most", scope="c")
    most = PropertySpec(
        "MAX_BATCH_SIZE",
        f"runs whose inputs and outputs the devices had memory for, {MOST_IN_BATCH} at most; where no size is given, "
        "none is chosen that is larger",
        scope="c",
    )
    return Registry("BATCH", (timeout, optimal, most))


class BatchRunner(Runner):
    """A runner whose runs wait for those of others.

    Args:
        single: computes a run alone.
        groups: what they wait in.
        shapes: of the inputs of a run that waits; one with others, of a model with open dimensions, is computed alone.
    """

    def __init__(self, single: Runner, groups: Groups, shapes: Sequence[Shape]) -> None:
        self.plan, self.lease, self.log = single.plan, single.lease, single.log
        self.shared_state_buffers = False
        self._single = single
        self._groups = groups
        self._shapes = list(shapes)

    def take_request_memory(self) -> None:
        """As ``Runner.take_request_memory``, of a run alone; for larger batches runs share it."""
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
    """Gives the timeout of groups to who sets properties."""

    name = "BATCH"

    def __init__(self, groups: Groups) -> None:
        self._groups = groups

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets it."""
        self._groups.change_timeout(Integer(0).parse(properties[BATCH_TIMEOUT]))


class BatchDevices(ModelDevices):
    """A device that computes several runs at once: it answers for one run, and changes go to all batches.

    Args:
        single: the device as it computes one run, with the properties of all batches.
        registry: of these properties.
        batches: has a compiled model for each batch.
        groups: what runs wait in.
    """

    def __init__(self, single: PlanDevices, registry: Registry, batches: Batches, groups: Groups) -> None:
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
        """As ``ModelDevices.close``; runs that wait for others do not any more."""
        self.groups.change_timeout(0)
        for model in self.batches.models.values():
            model.close(reason)
        self.batches.release()


def batch_model(models: Mapping[int, CompiledModel], values: Values, most: int) -> CompiledModel:
    """A model whose runs are computed several at once; each request gives and gets what is its own.

    Args:
        models: compiled, by batch, 1 among them.
        values: of ``properties_of_batch``.
        most: runs that there is room for on the devices.
    """
    single, size, batches = models[1], max(models), Batches(models)
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
    """Makes runners whose runs wait for those of others."""
    refusal = "BATCH joins runs; compile without it to run something instead of graph kernels."
    return wrapping(single, partial(BatchRunner, groups=groups, shapes=shapes), refusal)
