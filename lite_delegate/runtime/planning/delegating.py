"""Delegating: each delegate in turn takes its part of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.failures import said
from ...delegate import Delegate, Kernel, RejectCode, Rejected, SupportResult
from ...errors import DelegateUnavailable
from ...ir import DataType
from ..binding.bind import BoundGraph
from ..drafting.draft import GraphDraft
from ..lifetimes.session import Session
from ..records.notices import Notices
from ..settings import Settings
from .building.building import Previous, unfollowed
from .building.placing import Placed, Placing
from .building.plan_kernels import PlanKernels
from .claims.claims import Claims, claims_of, held_from, is_rejected, nothing_claimed, of_the_host, reject_all
from .claims.delegation import Delegation
from .claims.off_device import say_off_device
from .claims.partitioning import Planned, plan_partition, unheeded, untouched
from .claims.trial import trial_of

if TYPE_CHECKING:
    from .timing.timing import Timing


def delegate_graphs(
    graphs: Sequence[BoundGraph],
    settings: Settings,
    session: Session,
    previous: Previous | None,
    made: PlanKernels,
    notices: Notices,
    timing: Timing | None = None,
) -> Delegation:
    """Lets each delegate in turn take its claimed kernels from those that the earlier delegates left.

    Args:
        graphs: the graphs of the model, the main graph first.
        settings: the delegates, and the user's options, in names of kernels (``naming``).
        session: the session of the delegates.
        previous: the plan for other shapes, whose graph kernels are reused where they can follow.
        made: keeps account of the graph kernels.
        notices: gets the notes and warnings for the user.
        timing: the source of times for placement by gain, None without it.

    Raises:
        InputError: placement by gain has no times.
        DelegateUnavailable: see ``say_absent``.
        DelegateError: initializing a delegate failed for another reason.
    """
    names = settings.delegate_names
    result = Delegation(names)
    say_absent(settings, session, notices)
    result.models.update({graph.label: untouched(graph) for graph in graphs})
    if not names:
        kernels = [k for g in graphs for k in g.kernels]
        _note_rejections(result, "", reject_all(kernels, "no delegate was set") | of_the_host(kernels))
    for delegate in settings.delegates:
        away = session.absent.get(delegate.name)
        _DelegateTurn(delegate, graphs, settings, away, previous, made, notices, result, timing).take()
    return result


def say_absent(settings: Settings, session: Session, notices: Notices) -> None:
    """Notes and warns of delegates whose device is not there, and of delegates that compile off-device.

    Raises:
        DelegateUnavailable: ``settings.strict`` is set, and the device of none is there; or ``settings.needs_all``, and
            one is not.
    """
    absent = session.absent
    if absent and (settings.needs_all or (settings.strict and len(absent) == len(settings.delegates))):
        raise next(iter(absent.values()))
    others = "the CPU runs" if len(settings.delegates) == 1 else "other delegates and the CPU run"
    for name, error in absent.items():
        text = f"Delegate '{name}' is not available, {others} everything: {error}"
        notices.note(text)
        notices.warn(text, error)
    say_off_device(session, notices)


@dataclass(frozen=True, slots=True, eq=False)
class _DelegateTurn:
    """One delegate's turn at a model: its questions and its means. ``result`` gets the outcome."""

    delegate: Delegate
    graphs: Sequence[BoundGraph]
    settings: Settings
    absent: DelegateUnavailable | None
    previous: Previous | None
    made: PlanKernels
    notices: Notices
    result: Delegation
    timing: Timing | None

    def take(self) -> None:
        """The delegate takes its part of all graphs."""
        result, name = self.result, self.delegate.name
        claims = self._claims()
        if None in claims.values() and (ignored := unheeded(self.settings.partition)):
            self.notices.note(f"Delegate '{name}' does not state its claims: no effect on it has {', '.join(ignored)}.")
        if self.timing is not None and self.absent is None:
            self._time(claims, self.timing)
        result.answers[name] = dict(claims)
        if self._has_shapes() and (text := nothing_claimed(name, claims)):
            self.notices.note(text)
            self.notices.warn(text)
        failed = self._take_all(claims)
        result.errors.update(failed)
        result.answers[name].update({k: claims[k] for k in failed})
        self._warn(failed)
        left = self._left()
        _note_rejections(result, name, {k: _rejection(self.delegate, claims[k]) for k in left})
        if self.absent is not None:
            result.errors.update(dict.fromkeys(left, self.absent))
            result.absent[name] = str(self.absent)

    def _has_shapes(self) -> bool:
        """True unless the model's inputs are not known, so that delegates are asked again once they are."""
        return all(t.has_known_shape or t.dtype == DataType.STRING for t in self.graphs[0].inputs)

    def _take_all(self, claims: Claims) -> dict[Kernel, Exception]:
        """Takes the claimed kernels, graph after graph. Returns the kernels that do not compile, with the error.

        ``claims`` gets the reason why a claimed kernel was not taken."""
        result = self.result
        failed: dict[Kernel, Exception] = {}
        for graph in self.graphs:
            standing = result.models[graph.label]
            if all(is_rejected(claims[k]) for k in _untaken(standing)):
                continue
            before = standing.replaced
            placed = self._placed(graph, claims, standing)
            new = [k for k in placed.draft.replaced if k not in before]
            result.models[graph.label] = placed.draft
            result.owners.update(dict.fromkeys(new, self.delegate.name))
            claims.update(placed.rejected)
            failed.update(placed.errors)
            if placed.unfollowed is not None and (told := unfollowed(placed.unfollowed)) not in self.notices.warnings:
                self.notices.warnings.append(told)
            if placed.note:
                self.notices.note(placed.note)
        return failed

    def _warn(self, failed: Mapping[Kernel, Exception]) -> None:
        if failed:
            first, error = next(iter(failed.items()))
            is_last = self.delegate is self.settings.delegates[-1]
            one, many = ("goes", "go") if is_last else ("is left", "are left")
            where = "back to the CPU" if is_last else "to other delegates and the CPU"
            kernels = counted(len(failed), f"kernel {one}", f"kernels {many}")
            text = f"{kernels} {where}, the first is '{first.name}': {said(error)}"
            self._say(text, error)

    def _say(self, text: str, error: Exception) -> None:
        self.notices.warn(f"Delegate '{self.delegate.name}': {text}", error)

    def _left(self) -> list[Kernel]:
        """The kernels of all graphs that no delegate has taken so far."""
        return [k for model in self.result.models.values() for k in _untaken(model)]

    def _claims(self) -> Claims:
        affinity, away = self.settings.partition.affinity, self.absent is not None
        return claims_of(self.delegate, self._left(), affinity, is_absent=away, warnings=self.notices.warnings)

    def _placed(self, graph: BoundGraph, claims: Claims, standing: GraphDraft) -> Placed:
        result, name = self.result, self.delegate.name
        options = self.settings.partition
        trial = trial_of(self.delegate, self.settings, self.notices)
        held = list(held_from(self.delegate, graph.kernels, options.affinity))

        def plan(without: Mapping[Kernel, Rejected]) -> Planned:
            planned = plan_partition(graph, {**claims, **without}, options, standing, result.times.get(name))
            if planned.placement is not None:
                result.placements.setdefault((name, graph.label), planned.placement)
            planned.draft.withhold([*held, *without, *planned.rejected])
            return replace(planned, trial=trial)

        return Placing(self.delegate, plan, options, self.made, repairs=not self.settings.strict).run(self.previous)

    def _time(self, claims: Claims, timing: Timing) -> None:
        """Finds the times of the kernels that the delegate claims, if it claims any."""
        from .timing.timing import whole_claims

        options, models = whole_claims(self.settings.partition), self.result.models
        planned = [plan_partition(g, claims, options, models[g.label]).draft for g in self.graphs]
        times = timing.of(self.delegate, claims, planned)
        if times is not None:
            self.result.times[self.delegate.name] = times


def _untaken(model: GraphDraft) -> list[Kernel]:
    """The kernels of a graph that no delegate has taken so far."""
    replaced = model.replaced
    return [k for k in model if k not in replaced]


def _rejection(delegate: Delegate, claim: SupportResult | None) -> Rejected:
    """Why a delegate does not run a kernel that is left over."""
    if isinstance(claim, Rejected):
        return claim
    if claim is None:
        return Rejected(RejectCode.POLICY, f"delegate '{delegate.name}' did not take it and states no reason")
    return Rejected(RejectCode.POLICY, f"delegate '{delegate.name}' claims it, but its build left it out")


def _note_rejections(result: Delegation, name: str, claims: Mapping[Kernel, SupportResult | None]) -> None:
    for kernel, claim in claims.items():
        if isinstance(claim, Rejected):
            result.rejections.setdefault(kernel, {})[name] = claim


def by_name(rejections: Mapping[Kernel, Mapping[str, Rejected]]) -> dict[tuple[str, str], Rejected]:
    """Why a delegate does not run a node, by the names of both."""
    return {(name, kernel.name): why for kernel, each in rejections.items() for name, why in each.items()}
