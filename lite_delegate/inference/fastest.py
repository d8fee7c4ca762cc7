"""The fastest of several plans: each delegate alone, pairs of them, the CPU alone; measured, and one is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
from lite_delegate_kernels import Array

from ..data_class import dataclass
from ..delegate import Delegate
from ..errors import LiteDelegateError
from ..failures import said
from ..partition.options import COUNT
from ..runtime.execution.fallback import Fallbacks
from ..runtime.execution.random_inputs import not_random, random_array
from ..runtime.records import AlternativeRecord, PartitionRecord
from ..runtime.records.notices import Notices
from ..runtime.records.records import CPU
from ..runtime.settings import Settings
from .choice import NOT_MEASURED, chosen
from .making import runner_of
from .model_file.parts import ModelParts
from .turns import CLOCK, LIMITS, TurnClock, TurnLimits

Plan = Callable[[Settings, Notices], ModelParts]
"""Plans the model for settings of a single placement."""
SIMULATED = "the device is simulated: how long it takes here says nothing about it"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A plan that can be measured, what was said while it was made, and the delegates that it was made with."""

    parts: ModelParts
    notices: Notices
    delegates: tuple[Delegate, ...]

    @property
    def record(self) -> PartitionRecord:
        return self.parts.scheduled.plan.record


def fastest_parts(
    settings: Settings,
    notices: Notices,
    plan: Plan,
    limits: TurnLimits = LIMITS,
    clock: TurnClock = CLOCK,
) -> ModelParts:
    """The parts of the fastest plan. The others are given back.

    Plans are made with each delegate alone, but for simulated ones; where nodes are left on the CPU, with a second
    delegate behind it; and without any. Which one stays is said in ``choice.chosen``.

    Args:
        settings: with the delegates, in order of preference, and ``placement`` "fastest".
        notices: gets what the plan that is kept has to say.
        plan: makes one.
        limits: of measuring.
        clock: time.

    Raises:
        LiteDelegateError: no plan can be made; what was raised for the first one.
    """
    found: list[_Candidate] = []
    tried: list[AlternativeRecord] = []
    first_error: LiteDelegateError | None = None
    for simulated in (each for each in settings.delegates if each.is_simulated):
        tried.append(AlternativeRecord(simulated.name, None, chosen=False, reason=SIMULATED))
    for delegates in _orders([each for each in settings.delegates if not each.is_simulated], found):
        heard = Notices([*notices.notes], [*notices.warnings])
        try:
            parts = plan(_with(settings, delegates), heard)
        except LiteDelegateError as e:
            first_error = first_error or e
            tried.append(AlternativeRecord(_name(delegates), None, chosen=False, reason=said(e)))
            continue
        candidate = _Candidate(parts, heard, delegates)
        if delegates and len({each.delegate for each in candidate.record.subgraphs}) < len(delegates):
            tried.append(AlternativeRecord(_name(delegates), None, chosen=False, reason=_idle(candidate, delegates)))
            _give_back(candidate)
            continue
        found.append(candidate)
    if not found:
        assert first_error is not None
        raise first_error
    calls = _calls(found, settings)
    choice = chosen(calls, [len(each.delegates) > 1 for each in found], limits, clock) if calls else NOT_MEASURED
    for i, candidate in enumerate(found):
        if i != choice.best:
            _give_back(candidate)
    rows = [choice.row(i, _told(each)) for i, each in enumerate(found)]
    return _kept(found[choice.best], [*rows, *tried], settings, notices)


def _orders(delegates: Sequence[Delegate], found: Sequence[_Candidate]) -> Iterator[tuple[Delegate, ...]]:
    """Delegates to plan with, in order: one; two, where the first leaves nodes; none. ``found`` grows meanwhile."""
    yield from ((each,) for each in delegates)
    leaves = {c.record.delegate for c in found if any(node.subgraph is None for node in c.record.nodes)}
    yield from (pair for pair in permutations(delegates, 2) if pair[0].name in leaves)
    yield ()


def _with(settings: Settings, delegates: tuple[Delegate, ...]) -> Settings:
    """The settings for a plan with some of the delegates, each with all that it claims; one that can run."""
    partition, needs = replace(settings.partition, placement=COUNT), settings.needs_all and bool(delegates)
    return replace(settings, delegates=delegates, partition=partition, needs_all=needs, plan_only=False)


def _calls(found: Sequence[_Candidate], settings: Settings) -> list[Callable[[], object]]:
    """A prediction with each plan; none where none can be made."""
    inputs = found[0].parts.scheduled.plan.inputs
    if len(found) == 1 or any(not_random(tensor) for tensor in inputs):
        return []
    rng = np.random.default_rng(0)
    arrays = [random_array(tensor, rng, settings.budget) for tensor in inputs]
    return [_prediction(each, arrays) for each in found]


def _prediction(candidate: _Candidate, arrays: Sequence[Array]) -> Callable[[], object]:
    scheduled = candidate.parts.scheduled
    runner = runner_of(scheduled, Fallbacks(scheduled.plan))

    def predict() -> object:
        with np.errstate(all="ignore"):
            return runner.run(arrays)

    return predict


def _kept(
    candidate: _Candidate, alternatives: Sequence[AlternativeRecord], settings: Settings, notices: Notices
) -> ModelParts:
    """The parts of a plan; its record has the others, and what the user asked for."""
    scheduled = candidate.parts.scheduled
    options = replace(candidate.record.options, placement=settings.partition.placement)
    record = replace(candidate.record, alternatives=tuple(alternatives), options=options)
    notices.notes[:], notices.warnings[:] = candidate.notices.notes, candidate.notices.warnings
    return replace(candidate.parts, scheduled=replace(scheduled, plan=replace(scheduled.plan, record=record)))


def _give_back(candidate: _Candidate) -> None:
    candidate.parts.scheduled.lease.close("Another plan was faster.")


def _idle(candidate: _Candidate, delegates: Sequence[Delegate]) -> str:
    took = {each.delegate for each in candidate.record.subgraphs}
    idle = ", ".join(each.name for each in delegates if each.name not in took)
    return f"{idle} takes nothing of what is left" if len(delegates) > 1 else f"{idle} takes nothing"


def _name(delegates: Sequence[Delegate]) -> str:
    return ", ".join(each.name for each in delegates) or CPU


def _told(candidate: _Candidate) -> str:
    """The devices of a plan: delegates in order, and the CPU where nodes are left to it."""
    record = candidate.record
    names = [record.delegate] if record.delegate else []
    on_cpu = sum(node.subgraph is None for node in record.nodes)
    return ", ".join([*names, *([CPU] if on_cpu else [])])
