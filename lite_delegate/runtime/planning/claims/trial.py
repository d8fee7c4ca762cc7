"""Trial of a run: it is built in another process first when the delegate's build may end its process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....basics.data_class import dataclass
from ....delegate import Boundary, Delegate, Kernel, current_samples
from ....errors import DelegateBuildError
from ....ir import custom_type
from ...binding.host import CustomOperator
from ...binding.node_kernel import NodeKernel
from ...binding.stretch_graph import stretch_graph
from ...records.notices import Notices
from ...settings import GraphTrier, Settings, Tried


@dataclass(frozen=True, slots=True, eq=False)
class DelegateTrial:
    """One delegate's runs are tried first.

    Attributes:
        delegate: that is to build them.
        trier: tries them.
        customs: the user's kernels of Custom nodes, by type.
        executes: whether they are run there as well.
        notices: gets why a run was not tried.
    """

    delegate: Delegate
    trier: GraphTrier
    customs: Mapping[str, CustomOperator]
    executes: bool
    notices: Notices

    def error(self, run: Sequence[Kernel], boundary: Boundary) -> DelegateBuildError | None:
        """Why a run must not be built here; None: it may be."""
        tried = self._tried(run, boundary)
        if tried.untried:
            note = f"Delegate '{self.delegate.name}' was not tried in a process of its own first: {tried.untried}"
            if note not in self.notices.notes:
                self.notices.note(note)
        if not tried.ended:
            return None
        return DelegateBuildError(f"the process in which it was tried {tried.ended}")

    def _tried(self, run: Sequence[Kernel], boundary: Boundary) -> Tried:
        nodes = [kernel for kernel in run if isinstance(kernel, NodeKernel) and kernel.control_flow is None]
        if len(nodes) < len(run):
            return Tried(untried="a loop or a choice cannot be sent to it")
        if self.delegate.wanted_samples and current_samples() is not None:
            return Tried(untried="samples cannot be sent to it")
        types = {custom_type(node.node.primitive) for node in nodes if node.type == "Custom"}
        customs = {name: each for name, each in self.customs.items() if name in types}
        graph = stretch_graph(run[0].name, nodes, boundary).graph
        return self.trier.tried(self.delegate, graph, customs, executes=self.executes)


def trial_of(delegate: Delegate, settings: Settings, notices: Notices) -> DelegateTrial | None:
    """The trial of a delegate's runs; None where the user asks for none, or the delegate does not end the process."""
    may_end = delegate.may_end_process or (delegate.has_own_process and not settings.plan_only)
    if settings.trier is None or not may_end:
        return None
    return DelegateTrial(delegate, settings.trier, settings.customs, not settings.plan_only, notices)
