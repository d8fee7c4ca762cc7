"""Bisecting: finds the kernels for which no graph kernel can be made, by trying ever smaller parts of a failed run."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from ....basics.data_class import dataclass
from ....delegate import Delegate, Kernel
from ..claims.partitioning import Planned
from .building import Failure, attempt
from .plan_kernels import PlanKernels
from .tries import Tries


@dataclass(slots=True)
class Findings:
    """The outcome of trying parts.

    Attributes:
        guilty: kernels that cannot be made even alone (or alone with their group), with the error.
        unsolved: kernels of parts that failed and were not split further, because the tries were used up, the device
            went away or its ``build`` passes over parts so small, with the error.
        untried: kernels that failed only beside guilty kernels, as the failure itself says.
    """

    guilty: dict[Kernel, Exception] = field(default_factory=dict)
    unsolved: dict[Kernel, Exception] = field(default_factory=dict)
    untried: set[Kernel] = field(default_factory=set)


def try_parts(
    delegate: Delegate,
    planned: Planned,
    failures: Iterable[Failure],
    groups: Sequence[Collection[str]],
    tries: Tries,
    made: PlanKernels,
) -> Findings:
    """Halves a failed stretch until every part is made or is a single kernel that cannot be; the largest parts come
    first.

    A part that is made stays in the model, so that later parts are tried beside it: a stretch that exceeds the device's
    memory ends in parts that fit.

    Args:
        delegate: makes the graph kernels.
        planned: the graph, with the graph kernels so far.
        failures: the stretches that failed.
        groups: names of kernels that must not be torn apart.
        tries: the remaining tries; each part takes one.
        made: the graph kernels so far.
    """
    found = Findings()
    queue = deque(failures)
    while queue:
        failure = queue.popleft()
        parts = halves(failure.run, groups)
        if failure.is_lost:
            found.unsolved.update(dict.fromkeys(failure.run, failure.error))
            continue
        blamed = failure.blamed()
        if blamed:
            found.guilty.update(blamed)
            found.untried.update(kernel for kernel in failure.run if kernel not in blamed)
            continue
        if len(parts) == 1:
            found.guilty.update(dict.fromkeys(failure.run, failure.error))
            continue
        for part in parts:
            if tries.take():
                planned.draft.offer([part])
                further = _failed(delegate, planned, made, tries, found)
                found.unsolved.update(dict.fromkeys(_passed_over(part, further, planned), failure.error))
                queue.extend(further)
            else:
                found.unsolved.update(dict.fromkeys(part, failure.error))
    return found


def _failed(delegate: Delegate, planned: Planned, made: PlanKernels, tries: Tries, found: Findings) -> list[Failure]:
    """The kernels that fail of an offered part. All that a build leaves when it raises for no known reason is to blame:
    the part is what an earlier failure was narrowed down to.
    """
    result = attempt(delegate, planned, made, tries)
    if result.stopped is None or result.is_explained:
        found.unsolved.update(result.left_out())
        return result.failures
    return result.failures + [Failure(run, result.stopped) for run in (*result.rest, *result.taken_back)]


def _passed_over(part: Sequence[Kernel], failures: Sequence[Failure], planned: Planned) -> list[Kernel]:
    """The kernels of a part that a ``build`` neither replaced nor failed on: some take no single kernels."""
    failed = {kernel for failure in failures for kernel in failure.run}
    return [kernel for kernel in part if kernel in planned.draft.order and kernel not in failed]


def halves(run: Sequence[Kernel], groups: Sequence[Collection[str]]) -> list[tuple[Kernel, ...]]:
    """A run cut in two as near to its middle as groups let it; whole where it cannot be cut."""
    allowed = set(range(1, len(run)))
    for group in groups:
        positions = [i for i, kernel in enumerate(run) if kernel.name in group]
        if positions:
            allowed.difference_update(range(positions[0] + 1, positions[-1] + 1))
    if not allowed:
        return [tuple(run)]
    cut = min(allowed, key=lambda position: (abs(2 * position - len(run)), position))
    return [tuple(run[:cut]), tuple(run[cut:])]
