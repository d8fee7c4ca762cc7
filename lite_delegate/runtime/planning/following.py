"""Following: a plan for other shapes made with the graph kernels of the plan before, where all of them can follow."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from ...basics.data_class import dataclass
from ...basics.unforeseen import FAILURES
from ...delegate import Kernel, RejectCode, Rejected, SupportResult
from ...delegate.calls.calls import resize
from ...errors import ResizeUnsupported
from ...ir import Value
from ...partition.options import COST
from ...tensors.tensor import Tensor
from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from ..drafting.draft import GraphDraft
from ..lifetimes.session import Session
from ..settings import Settings
from .building.building import unfollowed
from .building.plan_kernels import PlanKernels
from .claims.claims import claims_of
from .claims.delegation import Delegation
from .scheduled import Scheduled
from .shapes.inferring import InferredModel
from .shapes.moves import Moves
from .shapes.sameness import TensorTwins, twins_of

_log = logging.getLogger("lite_delegate")

AnswersByDelegate = dict[str, dict[str, SupportResult | None]]
"""The answers of each delegate, by its name and the node's."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A plan whose graph kernels have all followed.

    Attributes:
        graphs: the model, bound for the new shapes.
        delegation: the owners of the kernels; the same as before.
        moves: the graph kernels that went over themselves, so that the plan before is of no use any more.
        notes: the notes of the plan before.
    """

    graphs: Sequence[BoundGraph]
    delegation: Delegation
    moves: Moves
    notes: Sequence[str]


def follow(
    previous: Scheduled,
    inferred: InferredModel,
    graphs: Sequence[BoundGraph],
    settings: Settings,
    session: Session,
    versions: Mapping[str, str],
    made: PlanKernels,
    warnings: list[str],
) -> Followed | None:
    """Tells every graph kernel of a plan of new shapes. All graph kernels follow, or none has changed.

    A kernel that can be forked is forked for the new shapes, and the fork is told (``Kernel.resize``). A kernel that
    cannot be forked takes the new shapes itself, while no prediction with its plan is under way, and goes over.

    Args:
        previous: the plan for other shapes.
        inferred: the model with the new shapes.
        graphs: the graphs of ``inferred``, bound.
        settings: the user's present settings, in names of kernels.
        session: the session of the delegates.
        versions: the present versions of the delegates.
        made: gets the graph kernels that followed.
        warnings: gets the warnings for the user.

    Returns:
        None where a graph kernel cannot follow, and where the plan would differ now: the delegates, their claims, the
        user's settings or the constants have changed. The model has to be planned anew then.
    """
    twins = twins_of(previous.graphs, graphs) if _is_for(previous, settings, session, versions) else None
    if twins is None:
        return None
    try:
        return _Following(previous, inferred, settings, session, made, warnings, twins).run(graphs)
    except FAILURES as e:  # whatever a delegate raises here only costs a new plan
        made.give_up_all()
        if isinstance(e, ResizeUnsupported):
            _log.debug("the model is planned anew: %s", e)
        else:
            warnings.append(unfollowed(e))
        return None


def _is_for(previous: Scheduled, settings: Settings, session: Session, versions: Mapping[str, str]) -> bool:
    """True if a new plan would differ in its shapes only, and all claimed kernels were made."""
    then = previous.settings
    asked = settings.partition, settings.strict, settings.falls_back
    codes = {why.code for each in previous.delegation.rejections.values() for why in each.values()}
    return (
        bool(previous.held)
        and not previous.is_restored
        and previous.session is session
        and previous.versions == versions
        and (previous.partition, then.strict, then.falls_back) == asked
        and settings.partition.placement != COST
        and RejectCode.COMPILE_FAILED not in codes
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Following:
    """The way of a plan's graph kernels to other shapes.

    The attributes are the arguments of ``follow``, and a map from the tensors of the plan before to the new ones.
    """

    previous: Scheduled
    inferred: InferredModel
    settings: Settings
    session: Session
    made: PlanKernels
    warnings: list[str]
    twins: TensorTwins

    def run(self, graphs: Sequence[BoundGraph]) -> Followed | None:
        """As ``follow``; after an error only ``made`` has changed.

        Raises:
            Exception: any error of the delegates' code, ``ResizeUnsupported`` among them.
        """
        forks = self._forks(self.twins)
        alone = [kernel for kernel, fork in forks.items() if fork is None]
        if not alone:
            for fork in forks.values():
                _told(fork)
        answers = self._answers(graphs)
        if answers is None:
            return None
        if not alone:
            return self._taken_over(graphs, forks, answers, Moves())
        return self._moved(graphs, alone, answers) if self.previous.lease.suspend() else None

    def _moved(self, graphs: Sequence[BoundGraph], alone: Sequence[Kernel], answers: AnswersByDelegate) -> Followed:
        """A plan for which some graph kernels take the new shapes themselves."""
        moves = Moves(self.previous.lease)
        try:
            graphs = self.inferred.bind(self._reshaped(graphs, alone, moves))
            twins = twins_of(self.previous.graphs, graphs)
            assert twins is not None
            followers = {kernel: kernel if fork is None else fork for kernel, fork in self._forks(twins).items()}
            for kernel, follower in followers.items():
                if kernel is follower:
                    moves.tell(kernel)
                else:
                    _told(follower)
            return self._taken_over(graphs, followers, answers, moves)
        except BaseException:
            moves.undo()
            raise

    def _forks(self, twins: TensorTwins) -> dict[Kernel, Kernel | None]:
        """A fork of each graph kernel on the twins of its tensors; None for one that cannot be forked."""
        return {kernel: _fork(kernel, twins) for kernel in self.previous.held}

    def _reshaped(
        self, graphs: Sequence[BoundGraph], alone: Sequence[Kernel], moves: Moves
    ) -> dict[int, dict[Value, Tensor]]:
        """The tensors of graph kernels that go over, and the nodes they stand for, in the new shapes."""
        runs = {k: run for draft in self.previous.delegation.models.values() for k, run in draft.replaced.items()}
        touched = {t for kernel in alone for each in (kernel, *runs[kernel]) for t in (*each.inputs, *each.outputs)}
        old = {new: tensor for tensor, new in self.twins.items() if tensor in touched}
        for new, tensor in old.items():
            moves.reshape(tensor, new.shape)
        return {each.index: {v: old[t] for v, t in each.tensors.items() if t in old} for each in graphs}

    def _answers(self, graphs: Sequence[BoundGraph]) -> AnswersByDelegate | None:
        """The delegates' answers for the nodes that they were asked for before; None where one says something else."""
        affinity, named = self.settings.partition.affinity, _by_name(graphs)
        answers: AnswersByDelegate = {}
        for delegate in self.session.delegates:
            before = {kernel.name: claim for kernel, claim in self.previous.delegation.answers[delegate.name].items()}
            left = [named[name] for name in before]
            is_absent = delegate.name in self.session.absent
            claims = claims_of(delegate, left, affinity, is_absent=is_absent, warnings=self.warnings)
            now = answers[delegate.name] = {kernel.name: claim for kernel, claim in claims.items()}
            if any(type(claim) is not type(now[name]) for name, claim in before.items()):
                return None
        return answers

    def _taken_over(
        self,
        graphs: Sequence[BoundGraph],
        followers: Mapping[Kernel, Kernel | None],
        answers: AnswersByDelegate,
        moves: Moves,
    ) -> Followed:
        """The delegation with the same parts for the graph kernels that followed, and the delegates' answers for the
        other kernels.
        """
        before, named = self.previous.delegation, _by_name(graphs)
        result = Delegation(before.delegates, absent=before.absent)
        for graph in graphs:
            draft = result.models[graph.label] = _redrafted(graph, before.models[graph.label])
            for kernel, run in before.models[graph.label].replaced.items():
                follower = followers[kernel]
                assert follower is not None
                self.made.borrow(follower, self.previous.held[kernel], kernel.name)
                draft.adopt([named[node.name] for node in run], follower)
                result.owners[follower] = before.owners[kernel]
        for name, each in answers.items():
            result.answers[name] = {named[node]: claim for node, claim in each.items()}
        for old, reasons in before.rejections.items():
            left = named[old.name]
            result.rejections[left] = {name: _reason(name, left, why, answers) for name, why in reasons.items()}
            result.errors.update((left, error) for error in self.session.absent.values())
        return Followed(graphs, result, moves, self.previous.plan.record.notes)


def _told(fork: Kernel | None) -> None:
    """Tells a fork that its tensors have other shapes than the tensors of the original kernel."""
    assert fork is not None
    resize(fork)


def _fork(kernel: Kernel, twins: TensorTwins) -> Kernel | None:
    inputs, outputs = ([t if t.is_const else twins[t] for t in ends] for ends in (kernel.inputs, kernel.outputs))
    return kernel.fork(inputs, outputs)


def _redrafted(graph: BoundGraph, before: GraphDraft) -> GraphDraft:
    """A graph in the order that it had, of which nothing is taken yet."""
    named, replaced = {kernel.name: kernel for kernel in graph.kernels}, before.replaced
    order = [named[node.name] for kernel in before for node in replaced.get(kernel, (kernel,))]
    fixed = [kernel for kernel in graph.kernels if isinstance(kernel, HostKernel)]
    return GraphDraft(order, graph.inputs, graph.outputs, (), fixed, tuple(graph.variables))


def _by_name(graphs: Sequence[BoundGraph]) -> dict[str, Kernel]:
    return {kernel.name: kernel for graph in graphs for kernel in graph.kernels}


def _reason(delegate: str, kernel: Kernel, before: Rejected, answers: AnswersByDelegate) -> Rejected:
    """Why a delegate does not run a kernel: its present answer, or the reason in the plan before."""
    answer = answers.get(delegate, {}).get(kernel.name)
    return answer if isinstance(answer, Rejected) else before
