"""A failing model made small: the first value that is wrong, and no node before it that is not needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from tests.random_models.sample import Sample, part_of

Shows = Callable[[Sample], bool]
"""Whether a smaller model still shows the fault."""
Part = Callable[[], Sample]
"""Makes a smaller model, or raises an error where there is no such model."""
MOST_TRIES = 200


def shrunk(sample: Sample, shows: Shows) -> Sample:
    """The smallest part of a model that was found to show a fault; the model itself where no part does.

    1. The outputs are tried one by one, then the results on the way, first to last.
    2. Then each output, and each node, is tried to be left out: what a node gave becomes an input with the numbers
       that it had.
    3. Then open dimensions are tried as known ones.

    Args:
        sample: the failing model.
        shows: whether a model fails in the same way.
    """
    tries = iter(range(MOST_TRIES))
    sample = _first(_one_output(sample), shows, tries) or sample
    while (smaller := _first(_one_less(sample), shows, tries)) is not None:
        sample = smaller
    return _first(_known_shapes(sample), shows, tries) or sample


def _first(candidates: Iterator[Part], shows: Shows, tries: Iterator[int]) -> Sample | None:
    for candidate in candidates:
        if next(tries, None) is None:
            return None
        try:
            smaller = candidate()
            if shows(smaller):
                return smaller
        except Exception:  # a part that is no model
            continue
    return None


def _one_output(sample: Sample) -> Iterator[Part]:
    made = [name for step in sample.parts.steps for name in step.gives]
    for name in dict.fromkeys((*made, *sample.parts.outputs)):
        yield partial(part_of, sample, sample.parts.steps, [name])


def _one_less(sample: Sample) -> Iterator[Part]:
    parts = sample.parts
    for name in parts.outputs if len(parts.outputs) > 1 else ():
        yield partial(part_of, sample, parts.steps, [each for each in parts.outputs if each != name])
    for step in parts.steps:
        rest = [each for each in parts.steps if each is not step]
        if rest and not set(step.gives) & set(parts.outputs):
            yield partial(part_of, sample, rest, parts.outputs)


def _known_shapes(sample: Sample) -> Iterator[Part]:
    yield partial(part_of, sample, sample.parts.steps, sample.parts.outputs, is_open=False)
