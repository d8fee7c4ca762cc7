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
    """A plan with everything that it stands on.

    Attributes:
        graph: what the plan is of: as given, in the form for these shapes and these delegates.
        plan: what each prediction executes.
        settings: what the user asked for.
        partition: what the user asked of the partitioner, in names of kernels.
        graphs: the model, bound to the plan's tensors.
        delegation: who took what.
        session: with the delegates.
        versions: of the delegates, by name, as they were.
        held: what the plan holds of each graph kernel.
        lease: gives all of it back.
        log: says what becomes of it.
        is_restored: it comes from a file: nobody knows what the delegates answered.
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
