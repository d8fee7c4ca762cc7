"""The rest: the nodes that all delegates leave to the CPU, on the kernels of CPU runtimes where these are faster.

The runtimes are delegates like any other, and are asked through the same interface; but their nodes still count as
nodes of the CPU: no delegate's subgraphs are touched, and the numpy kernels stand in where a runtime fails.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace

from ....basics.counted import counted
from ....basics.data_class import dataclass
from ....basics.failures import said
from ....delegate import Delegate, Kernel, RejectCode, Rejected, SupportResult
from ....errors import DelegateBuildError, DelegateError
from ....ir import DataType, custom_type
from ....partition import PartitionOptions
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from ...drafting.draft import GraphDraft
from ...execution.stand_in import StandIn, stand_ins_of
from ...execution.threads import limited_threads
from ...lifetimes.session import open_session
from ...records.notices import Notices
from ...settings import Settings
from ..building.plan_kernels import PlanKernels
from ..building.tries import Tries
from ..claims.claims import ask
from .group_times import measured_groups
from .groups import Rest, device_of
from .worth import is_worth_loading, may_pay, pays

NOT_FOR_BACKENDS = Rejected(RejectCode.POLICY, "it stays on the CPU's own kernels")


def rest_on_backends(
    graphs: Sequence[BoundGraph], models: Mapping[str, GraphDraft], settings: Settings, made: PlanKernels
) -> Rest:
    """Groups of nodes that were left to the CPU, on the runtimes of ``settings.cpu_backends``, each in its turn.

    The nodes that a runtime claims form the fewest possible groups around the delegates' subgraphs, which stay as they
    are; the runtime gets the groups that it runs faster than numpy (``worth``). A group that cannot be made stays with
    numpy. A runtime that is not there takes nothing, and a runtime is loaded only where a group can gain from it.

    Args:
        graphs: the graphs of the model.
        models: the graphs by label, with the delegates' graph kernels.
        settings: name the runtimes.
        made: keeps account of the groups' graph kernels.

    Raises:
        RequestCancelled: nobody wants the plan any more.
    """
    taking = _Taking(graphs, dict(models), settings, made)
    for backend in settings.cpu_backends:
        if backend.name not in settings.delegate_names:
            taking.take(backend)
    if taking.owners and settings.measures_cpu_groups and not settings.plan_only:
        taking.give_back_slower()
    return Rest(taking.models, taking.owners, taking.stand_ins, tuple(taking.notes))


@dataclass(frozen=True, slots=True, eq=False)
class _Taking:
    """The runtimes take their groups, one runtime after the other."""

    graphs: Sequence[BoundGraph]
    models: dict[str, GraphDraft]
    settings: Settings
    made: PlanKernels
    owners: dict[Kernel, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def stand_ins(self) -> dict[Kernel, StandIn]:
        """The numpy kernels of each group."""
        found = stand_ins_of(self.models.values(), []) if self.owners else {}
        return {kernel: each for kernel, each in found.items() if kernel in self.owners}

    def give_back_slower(self) -> None:
        """Groups that numpy was measured to run faster go back to it, each with a note."""
        with limited_threads(self.settings.threads):
            found = list(measured_groups(self.stand_ins))
        for kernel, times in found:
            if times.is_slower:
                run = self._restore(kernel)
                self.notes.append(
                    f"numpy runs {_said(run)}: {times.numpy_us:,.1f} us, and {device_of(self.owners.pop(kernel))} "
                    f"{times.runtime_us:,.1f} us, measured"
                )

    def _restore(self, kernel: Kernel) -> tuple[Kernel, ...]:
        """Puts the nodes of a group in its place again."""
        model = next(model for model in self.models.values() if kernel in model.replaced)
        run = model.replaced[kernel]
        model.restore(kernel, DelegateBuildError("numpy is faster"))
        self.made.give_up([kernel])
        return run

    def take(self, backend: Delegate) -> None:
        """One runtime takes its groups of all graphs."""
        movable = {graph.label: _movable(self.models[graph.label], self.settings.customs) for graph in self.graphs}
        worth_it = [graph for graph in self.graphs if may_pay(movable[graph.label], backend.name)]
        if self.owners and not is_worth_loading(k for graph in worth_it for k in movable[graph.label]):
            return
        if worth_it and self._is_there(backend):
            for graph in worth_it:
                self._take(backend, graph, movable[graph.label])

    def _is_there(self, backend: Delegate) -> bool:
        """Initializes a runtime. True if it is there; a runtime that fails here is worth a note, since known absent
        runtimes are not asked.
        """
        try:
            session = open_session([backend])
        except DelegateError as e:
            self.notes.append(f"{device_of(backend.name)} takes no part: {said(e)}")
            return False
        absent = session.absent.get(backend.name)
        if absent is None:
            self.made.share(session)
        else:
            self.notes.append(f"{device_of(backend.name)} is not there, its nodes are left to other runtimes: {absent}")
        session.let_go()  # the graph kernels that were made have their own share
        return absent is None

    def _take(self, backend: Delegate, graph: BoundGraph, movable: Collection[Kernel]) -> None:
        from ..building.building import attempt  # plans that are only restored do without
        from ..claims.partitioning import plan_partition
        from ..claims.trial import trial_of

        standing = self.models[graph.label]
        claims: dict[Kernel, SupportResult | None] = dict.fromkeys(standing, NOT_FOR_BACKENDS)
        claims.update(ask(backend, list(movable), []))
        if None in claims.values():
            return
        planned = plan_partition(graph, claims, PartitionOptions(), standing)
        runs = [run for run in planned.draft.runs if pays(run, backend.name)]
        if not runs:
            return
        before = standing.replaced
        planned.draft.offer(runs)
        planned = replace(planned, trial=trial_of(backend, self.settings, Notices(self.notes)))
        tried = attempt(backend, planned, self.made, Tries(0))
        self.models[graph.label] = planned.draft
        for kernel in planned.draft.replaced:
            if kernel not in before:
                self.owners[kernel] = backend.name
                self.made.rename(kernel, f"cpu_{backend.name}")  # delegates number theirs over all models
        for failure in tried.failures:
            self._note(backend, failure.run, failure.error)
        if tried.stopped is not None:
            self._note(backend, [k for run in (*tried.taken_back, *tried.rest) for k in run], tried.stopped)

    def _note(self, backend: Delegate, run: Sequence[Kernel], error: Exception) -> None:
        if run:
            self.notes.append(f"{device_of(backend.name)} cannot run {_said(run)}, numpy does: {said(error)}")


def _said(run: Sequence[Kernel]) -> str:
    return f"{counted(len(run), 'kernel')} from '{run[0].name}' ({run[0].type})"


def _movable(model: GraphDraft, customs: Collection[str]) -> list[Kernel]:
    """The nodes that numpy runs and that may be moved: all dimensions are known, and a runtime has the types."""
    replaced = model.replaced
    return [k for k in model if k not in replaced and isinstance(k, NodeKernel) and _may_move(k, customs)]


def _may_move(kernel: NodeKernel, customs: Collection[str]) -> bool:
    if isinstance(kernel, HostKernel) or kernel.function is None:
        return False
    if kernel.type == "Custom" and custom_type(kernel.node.primitive) in customs:
        return False  # a user's own CPU kernel keeps its node
    return all(t.has_known_shape and t.dtype != DataType.STRING for t in (*kernel.inputs, *kernel.outputs))
