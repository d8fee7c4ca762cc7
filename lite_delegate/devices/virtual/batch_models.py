"""BatchModels: a model compiled for several batch sizes, which computes any number of runs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from lite_delegate_kernels import Array

from ...inference.model.compiled_model import CompiledModel
from ...inference.running.runners import Runners, with_memory
from .run_groups import Item


class BatchModels:
    """A model compiled for several batch sizes, which computes any number of runs together.

    Args:
        models: compiled models by batch size, 1 among the sizes.
    """

    def __init__(self, models: Mapping[int, CompiledModel]) -> None:
        self.models = dict(sorted(models.items()))
        larger = {size: model for size, model in self.models.items() if size > 1}
        self._runners = {size: Runners(with_memory(model.create_runner)) for size, model in larger.items()}
        self._costs = {size: estimate_of(model) for size, model in self.models.items()}

    def together(self, runs: Sequence[Item]) -> list[list[Array]]:
        """The outputs of each run; the runs are at most as many as the largest batch size."""
        found: list[list[Array]] = []
        for size in self.cover(len(runs)):
            found += self._batch(runs[len(found) : len(found) + size], size)
        return found

    def cover(self, count: int) -> list[int]:
        """The batch sizes that compute a number of runs: one padded batch, or smaller exact batches if they cost less.

        The costs are the devices' estimates; without an estimate the runs are one batch.
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
    """The result of one run of a batch, in memory of its own."""
    length = len(whole) // size
    return whole[number * length : (number + 1) * length].copy()


def estimate_of(model: CompiledModel) -> float | None:
    """The estimated microseconds of a run on the devices; None without an estimate, or where the CPU takes part."""
    record = model.partition
    found = [subgraph.estimated_us for subgraph in record.subgraphs]
    if not found or None in found or any(node.device == "CPU" for node in record.nodes):
        return None
    return sum(each for each in found if each is not None)
