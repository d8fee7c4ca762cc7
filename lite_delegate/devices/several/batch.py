"""BATCH: runs of several requests that a device gets at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from lite_delegate_kernels import Array

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...inference.model.compiled_model import CompiledModel
from ...inference.properties.model_properties import ON_ERROR, DeviceProperties
from ...inference.running.runner import Runner
from ...inference.running.runner_maker import RunnerMaker, wrapping
from ...properties import Integer, PropertySpec, Registry, Values
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


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How BATCH stands.

    Attributes:
        size: runs in a full group.
        compiled: the batches that there are programs for.
        groups: how many groups there were, by the number of their runs.
    """

    size: int
    compiled: tuple[int, ...]
    groups: Mapping[int, int]


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


class BatchModel(CompiledModel):
    """A model whose runs are computed several at once; each request gives and gets what is its own.

    Args:
        models: compiled, by batch, 1 among them.
        values: of ``properties_of_batch``.
        most: runs that there is room for on the devices.
    """

    def __init__(self, models: Mapping[int, CompiledModel], values: Values, most: int) -> None:
        single, size, batches = models[1].setup, max(models), Batches(models)
        groups = Groups(size, Integer(0).parse(values.value(BATCH_TIMEOUT)), batches.together)
        owners = (model.setup.owners for model in models.values())
        super().__init__(
            replace(
                single,
                make_runner=_runner_maker(single.make_runner, groups, item_shapes(models[1])),
                owners={kernel: name for each in owners for kernel, name in each.items()},
                optimal_requests=size * single.optimal_requests,
                shares_worker=False,
            ),
            models[1].origin,
        )
        self._batches, self._size, self._groups = batches, size, groups
        facts = {"OPTIMAL_BATCH_SIZE": self._size, "MAX_BATCH_SIZE": max(most, self._size)}
        mine = DeviceProperties(_Timeout(self._groups), values, facts)
        self._properties = self._properties.with_first(mine)

    @property
    def batch(self) -> BatchStatus:
        """How it stands."""
        return BatchStatus(self._size, tuple(self._batches.models), MappingProxyType(dict(self._groups.sizes)))

    @property
    def partition(self) -> PartitionRecord:
        """The partition of one run; its notes say which batches there are."""
        record = super().partition
        sizes = ", ".join(map(str, self._batches.models))
        return replace(
            record, notes=(f"BATCH: up to {counted(self._size, 'run')} at once, compiled for {sizes}", *record.notes)
        )

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``CompiledModel.set_property``, of all batches."""
        super().set_property(properties)
        on_error = self._properties.registry.checked(properties).get(ON_ERROR)
        for model in self._batches.models.values() if on_error is not None else ():
            model.set_property({ON_ERROR: on_error})

    def release_memory(self) -> int:
        """As ``CompiledModel.release_memory``, of all batches."""
        return super().release_memory() + self._batches.release()

    def close(self, reason: str = "The compiled model has been closed.") -> None:
        """As ``CompiledModel.close``, of all batches; runs that wait for others do not any more."""
        self._groups.change_timeout(0)
        super().close(reason)
        for model in self._batches.models.values():
            model.close(reason)


def _runner_maker(single: RunnerMaker, groups: Groups, shapes: Sequence[Shape]) -> RunnerMaker:
    """Makes runners whose runs wait for those of others."""
    refusal = "BATCH joins runs; compile without it to run something instead of graph kernels."
    return wrapping(single, partial(BatchRunner, groups=groups, shapes=shapes), refusal)
