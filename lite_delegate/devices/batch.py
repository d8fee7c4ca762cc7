"""BATCH: runs of several requests that a device gets at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from lite_delegate_kernels import Array

from ..data_class import dataclass
from ..delegate import Kernel
from ..errors import InputError, LiteDelegateError, RequestCancelled, RequestError
from ..inference.compiled_model import CompiledModel
from ..inference.making import RunnerMaker
from ..inference.model_properties import ON_ERROR, DeviceProperties
from ..inference.runner import Runner
from ..inference.runners import Runners
from ..ir import Graph
from ..properties import Integer, Layer, PropertySpec, Registry, Values
from ..runtime.execution.run import Instead
from ..runtime.records import PartitionRecord
from .batchable import Shape, item_shapes, times, why_not_batchable
from .groups import Groups, Item
from .names import MOST_IN_BATCH
from .part_options import AUTO_BATCHING, BATCH_TIMEOUT

MOST_CHOSEN = 16
"""The largest batch that is chosen where none is given."""
NEAR_BEST = 0.95
"""Of the best throughput: the smallest batch that reaches it is chosen."""
LATENCY_MS, THROUGHPUT_MS = 10, 100
HINT, REQUESTS_HINT = "PERFORMANCE_HINT", "PERFORMANCE_HINT_NUM_REQUESTS"


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


Compile = Callable[[Graph, Sequence[Sequence[int]]], CompiledModel]
"""Compiles a graph for shapes of its inputs, in order."""


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


class Batches:
    """A model compiled for several batches, which computes any number of runs together.

    Args:
        models: by batch, 1 among them.
    """

    def __init__(self, models: Mapping[int, CompiledModel]) -> None:
        self.models = dict(sorted(models.items()))
        self._runners = {size: Runners(model.create_runner) for size, model in self.models.items() if size > 1}
        self._costs = {size: estimate_of(model) for size, model in self.models.items()}

    def together(self, runs: Sequence[Item]) -> list[list[Array]]:
        """The outputs of each run; at most as many runs as the largest batch."""
        found: list[list[Array]] = []
        for size in self.cover(len(runs)):
            found += self._batch(runs[len(found) : len(found) + size], size)
        return found

    def cover(self, count: int) -> list[int]:
        """The batches that runs are computed in: one with room to spare, or smaller ones that fit if that is less work.

        Work is what devices estimate; where one gives no estimate it is one batch.
        """
        padded = next(size for size in self.models if size >= count)
        exact, left = [], count
        for size in reversed(self.models):
            while size <= left:
                exact.append(size)
                left -= size
        cost = self._costs[padded]
        costs = [self._costs[size] for size in exact]
        if cost is None or None in costs or cost <= sum(each for each in costs if each is not None):
            return [padded]
        return exact

    def release(self) -> int:
        """As ``CompiledModel.release_memory``."""
        return sum(runners.release() for runners in self._runners.values())

    def _batch(self, runs: Sequence[Item], size: int) -> list[list[Array]]:
        if size == 1:
            return [runs[0].alone(runs[0].arrays)]
        given = [run.arrays for run in (*runs, *[runs[-1]] * (size - len(runs)))]
        results = self._runners[size].run([np.concatenate(arrays) for arrays in zip(*given, strict=True)])
        return [[_part(result, size, number) for result in results] for number in range(len(runs))]


def _part(whole: Array, size: int, number: int) -> Array:
    """The result of one run, in memory of its own."""
    length = len(whole) // size
    return whole[number * length : (number + 1) * length].copy()


def estimate_of(model: CompiledModel) -> float | None:
    """Microseconds of a run on the devices, an estimate; None where one gives none or the CPU takes part."""
    record = model.partition
    found = [subgraph.estimated_us for subgraph in record.subgraphs]
    if not found or None in found or any(node.device == "CPU" for node in record.nodes):
        return None
    return sum(each for each in found if each is not None)


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

    def give_back_request_memory(self) -> int:
        """As ``Runner.give_back_request_memory``."""
        return self._single.give_back_request_memory()

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
        self._shapes = item_shapes(models[1])
        self._batches = Batches(models)
        self._size = max(models)
        self._groups = Groups(self._size, Integer(0).parse(values.value(BATCH_TIMEOUT)), self._batches.together)
        parts = models[1].parts()
        super().__init__(parts.graph, parts.scheduled, parts.closed_shapes, parts.shape_error, parts.bounds)
        facts = {"OPTIMAL_BATCH_SIZE": self._size, "MAX_BATCH_SIZE": max(most, self._size)}
        mine = DeviceProperties(_Timeout(self._groups), values, facts)
        self._properties = self._properties.with_first(mine)
        self.with_cache_outcome(models[1].cache_outcome)

    @property
    def batch(self) -> BatchStatus:
        """How it stands."""
        return BatchStatus(self._size, tuple(self._batches.models), MappingProxyType(dict(self._groups.sizes)))

    @property
    def partition(self) -> PartitionRecord:
        """The partition of one run; its notes say which batches there are."""
        record = super().partition
        sizes = ", ".join(map(str, self._batches.models))
        return replace(record, notes=(f"BATCH: up to {self._size} runs at once, compiled for {sizes}", *record.notes))

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

    def _makers(self) -> Mapping[Kernel, str]:
        """Those of all batches."""
        owners = (model.parts().scheduled.delegation.owners for model in self._batches.models.values())
        return {kernel: name for each in owners for kernel, name in each.items()}

    def _optimal_count(self) -> int:
        return self._size * super()._optimal_count()

    def _runner_maker(self) -> RunnerMaker:
        """Makes runners whose runs wait for those of others."""
        single, groups, shapes = super()._runner_maker(), self._groups, self._shapes

        def make(instead: Instead | None = None) -> Runner:
            if instead is not None:
                raise RequestError("BATCH joins runs; compile without it to run something instead of graph kernels.")
            return BatchRunner(single(), groups, shapes)

        return make


def compile_batched(
    single: CompiledModel, compiled: Compile, size: int | None, properties: Mapping[str, object], said: list[str]
) -> CompiledModel:
    """A model whose runs are computed several at once; one that is compiled as it is where they cannot be joined.

    Args:
        single: compiled for a device; it is closed where this fails.
        compiled: compiles for the same device.
        size: runs at once; None: the smallest batch near the best throughput that the device estimates, up to 16.
        properties: AUTO_BATCH_TIMEOUT; PERFORMANCE_HINT; PERFORMANCE_HINT_NUM_REQUESTS: the size at most.
        said: gets what the user is to be warned of.

    Raises:
        InputError: the model keeps state, or a property has no such value.
        LiteDelegateError: it cannot be compiled.
    """
    try:
        return _batched(single, compiled, size, properties, said)
    except BaseException:
        single.close()
        raise


def _batched(
    single: CompiledModel, compiled: Compile, size: int | None, properties: Mapping[str, object], said: list[str]
) -> CompiledModel:
    words = {str(name).upper(): value for name, value in properties.items()}
    registry = properties_of_batch(THROUGHPUT_MS if str(words.get(HINT, "")).upper() == "THROUGHPUT" else LATENCY_MS)
    given = {BATCH_TIMEOUT: words[BATCH_TIMEOUT]} if BATCH_TIMEOUT in words else {}
    values = Values(registry).with_layer(Layer.FLAT, given)
    if single.states and words.get(AUTO_BATCHING) is True:
        said.append("BATCH: every run is computed alone, because the model keeps state.")
        return single
    if single.states:
        raise InputError(
            f"BATCH: the model keeps state ('{single.states[0].name}'), which each run of a request continues: runs of "
            "several requests cannot be one. Compile for the device without BATCH."
        )
    reason = why_not_batchable(single)
    if reason:
        said.append(f"BATCH: every run is computed alone, because {reason}.")
        return single
    shapes = item_shapes(single)

    def of(count: int) -> CompiledModel:
        return single if count == 1 else compiled(single.graph, [times(shape, count) for shape in shapes])

    room = room_of(single)
    most = min(Integer(0).parse(words.get(REQUESTS_HINT, 0)) or MOST_CHOSEN, MOST_CHOSEN, room)
    models = _given(of, size) if size is not None else _chosen(of, most, said)
    return BatchModel(models, values, room)


def room_of(model: CompiledModel) -> int:
    """Runs of a model whose inputs and outputs the devices have memory for now; at least 1, and no more than a batch
    may have.
    """
    owners = model.parts().scheduled.delegation.owners
    made = {each: [kernel for kernel, name in owners.items() if name == each.name] for each in model.delegates.values()}
    rooms = [each.requests_that_fit(kernels) for each, kernels in made.items() if kernels]
    return max(min((room for room in rooms if room is not None), default=MOST_IN_BATCH), 1)


def _given(of: Callable[[int], CompiledModel], size: int) -> dict[int, CompiledModel]:
    """Compiled for 1, 2, 4 and so on, and the size."""
    return {count: of(count) for count in sorted({size, *_powers(size)})}


def _chosen(of: Callable[[int], CompiledModel], most: int, said: list[str]) -> dict[int, CompiledModel]:
    """Compiled for 1, 2, 4 and so on, up to the smallest batch near the best throughput, or the largest with room."""
    models = _with_room(of, most, said)
    costs = {count: estimate_of(model) for count, model in models.items()}
    rates = {count: count / cost for count, cost in costs.items() if cost}
    if len(rates) < len(models):  # without estimates there is nothing to choose by
        return models
    best = max(rates.values())
    size = next(count for count, rate in rates.items() if rate >= NEAR_BEST * best)
    for count in [count for count in models if count > size]:
        models.pop(count).close()
    return models


def _with_room(of: Callable[[int], CompiledModel], most: int, said: list[str]) -> dict[int, CompiledModel]:
    """Compiled for 1, 2, 4 and so on, as long as devices take the batch and have memory for its runs, too."""
    models: dict[int, CompiledModel] = {}
    for count in _powers(most):
        why = "the devices have no memory for the inputs and outputs of more"
        try:
            models[count] = of(count)
            if count == 1 or room_of(models[1]) >= count:
                continue
            models.pop(count).close()
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            why = str(e)
        said.append(f"BATCH: {max(models)} runs are computed at once at most, because {why}")
        break
    return models


def _powers(most: int) -> list[int]:
    return [1 << n for n in range(most.bit_length()) if 1 << n <= most]
