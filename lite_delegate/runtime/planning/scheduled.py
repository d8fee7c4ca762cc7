"""Scheduled: a plan, and the graph, settings and resources that it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel
from ...delegate.calls.log import DelegateLog
from ...ir import Graph
from ...partition import PartitionOptions
from ..binding.bind import BoundGraph
from ..execution.plan import ExecutionPlan
from ..lifetimes.lease import Lease
from ..lifetimes.session import Session
from ..lifetimes.shared import Shared
from ..settings import Settings
from .claims.delegation import Delegation


@dataclass(frozen=True, slots=True, eq=False)
class Scheduled:
    """A plan with the objects that it was made from and that it uses.

    Attributes:
        graph: the given graph, in the form for these shapes and these delegates.
        plan: the plan that each prediction executes.
        settings: the user's settings.
        partition: the user's partition options, in names of kernels.
        graphs: the model, bound to the plan's tensors.
        delegation: the owner of each kernel.
        session: the session of the delegates.
        versions: the delegates' versions when the plan was made, by name.
        held: the plan's hold on each graph kernel.
        lease: gives graph kernels and session back.
        log: the log of the model.
        is_restored: whether the plan comes from a file: the delegates' answers are not known.
    """

    graph: Graph
    plan: ExecutionPlan
    settings: Settings
    partition: PartitionOptions
    graphs: Sequence[BoundGraph]
    delegation: Delegation
    session: Session
    versions: Mapping[str, str]
    held: Mapping[Kernel, Shared]
    lease: Lease
    log: DelegateLog
    is_restored: bool = False
