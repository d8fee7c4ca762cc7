"""Compilation for BATCH: the batch sizes that a model is compiled for, where its runs can be joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...basics.counted import counted
from ...errors import InputError, LiteDelegateError, RequestCancelled
from ...inference.model.compiled_model import CompiledModel
from ...inference.model.optimal_requests import made_by
from ...ir import Graph
from ...properties import Integer, Layer, Values
from ..registry.names import MOST_IN_BATCH
from ..settings.hints import HINT
from ..settings.virtual_properties import AUTO_BATCHING, BATCH_TIMEOUT, LATENCY_MS, THROUGHPUT_MS
from .batch import batch_model, properties_of_batch
from .batch_models import estimate_of
from .batchability import item_shapes, times, why_not_batchable

MOST_CHOSEN = 16
"""The largest batch size that is chosen where no size is given."""
NEAR_BEST = 0.95
"""The share of the best throughput that the smallest chosen batch size must reach."""
REQUESTS_HINT = "PERFORMANCE_HINT_NUM_REQUESTS"
Compile = Callable[[Graph, Sequence[Sequence[int]]], CompiledModel]
"""Compiles a graph for shapes of its inputs, in order."""


def compile_batched(
    single: CompiledModel, compiled: Compile, size: int | None, properties: Mapping[str, object], said: list[str]
) -> CompiledModel:
    """A model that computes several runs at once; the model of single runs where its runs cannot be joined.

    Args:
        single: the model compiled for a device; it is closed where the batch compilation fails.
        compiled: compiles a graph for the same device.
        size: the batch size; None: the smallest size near the best throughput by the device's estimate, up to 16.
        properties: AUTO_BATCH_TIMEOUT; PERFORMANCE_HINT; PERFORMANCE_HINT_NUM_REQUESTS: the size at most.
        said: receives the warnings for the user.

    Raises:
        InputError: the model keeps state, or a property has no such value.
        LiteDelegateError: the model cannot be compiled.
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
            "several requests cannot be joined. Compile for the device without BATCH."
        )
    if single.runs_in_order:
        raise InputError(
            "BATCH: the model's runs go one at a time, as NPU_RUN_INFERENCES_SEQUENTIALLY says, and cannot be joined. "
            "Leave out BATCH or the property."
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
    return batch_model(models, values, room)


def room_of(model: CompiledModel) -> int:
    """The number of runs whose inputs and outputs fit into the devices now; from 1 to MOST_IN_BATCH."""
    made = made_by(list(model.delegates.values()), model.parts().scheduled.delegation.owners)
    rooms = [each.requests_that_fit(kernels) for each, kernels in made.items() if kernels]
    return max(min((room for room in rooms if room is not None), default=MOST_IN_BATCH), 1)


def _given(of: Callable[[int], CompiledModel], size: int) -> dict[int, CompiledModel]:
    """The models compiled for the batch sizes 1, 2, 4 and so on, and for the given size."""
    return {count: of(count) for count in sorted({size, *_powers(size)})}


def _chosen(of: Callable[[int], CompiledModel], most: int, said: list[str]) -> dict[int, CompiledModel]:
    """The models compiled for 1, 2, 4 and so on, up to the smallest size near the best throughput, or the largest."""
    models = _with_room(of, most, said)
    costs = {count: estimate_of(model) for count, model in models.items()}
    rates = {count: count / cost for count, cost in costs.items() if cost}
    if len(rates) < len(models):  # without estimates the throughputs cannot be compared
        return models
    best = max(rates.values())
    size = next(count for count, rate in rates.items() if rate >= NEAR_BEST * best)
    for count in [count for count in models if count > size]:
        models.pop(count).close()
    return models


def _with_room(of: Callable[[int], CompiledModel], most: int, said: list[str]) -> dict[int, CompiledModel]:
    """The models compiled for 1, 2, 4 and so on, as long as the devices take the batch and have memory for its runs."""
    models: dict[int, CompiledModel] = {}
    for count in _powers(most):
        why = "the devices have no memory for the inputs and outputs of more runs"
        try:
            models[count] = of(count)
            if count == 1 or room_of(models[1]) >= count:
                continue
            models.pop(count).close()
        except RequestCancelled:
            raise
        except LiteDelegateError as e:
            why = str(e)
        said.append(f"BATCH: {counted(max(models), 'run is', 'runs are')} computed at once at most, because {why}")
        break
    return models


def _powers(most: int) -> list[int]:
    return [1 << n for n in range(most.bit_length()) if 1 << n <= most]
