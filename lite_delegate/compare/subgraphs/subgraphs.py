"""The subgraphs of a model that is compared."""

from __future__ import annotations

from collections.abc import Mapping

from ...delegate import Kernel
from ...errors import InputError
from ...inference import CompiledModel
from ...ir import DataType
from ...runtime.planning.claims.trial import trial_of
from ...runtime.records.notices import Notices
from .judge import Judge
from .subgraph import Subgraph
from .tolerance import AskedTolerance


def subgraphs_of(compiled: CompiledModel, asked: AskedTolerance) -> dict[Kernel, Subgraph]:
    """The subgraphs of a model, by their graph kernels.

    Args:
        compiled: the model.
        asked: the tolerance that the user asks for.

    Raises:
        InputError: the model has no delegate, or does not keep the reference kernels of what the delegate took.
    """
    delegates, plan = compiled.delegates, compiled.plan
    if not delegates:
        raise InputError("There is nothing to compare: the model has no delegate. Set one before it is built.")
    graphs = {s.name: s.graph for s in plan.record.subgraphs}
    owners = {node.subgraph: node.device for node in plan.record.nodes}
    found: dict[Kernel, Subgraph] = {}
    for kernel in plan.graph_kernels:
        if kernel not in plan.stand_ins:
            raise InputError(
                "A model that is to be compared must be built with Context.on_delegate_error = 'fallback', "
                "which keeps the reference kernels of delegated nodes."
            )
        delegate = delegates[owners[kernel.name]]
        judge = Judge(asked, kernel.storage_dtype or delegate.storage_dtype)
        stand_in = plan.stand_ins[kernel]
        trial = trial_of(delegate, compiled.settings, Notices())
        found[kernel] = Subgraph(kernel.name, kernel.type, graphs[kernel.name], stand_in, delegate, judge, trial)
    return found


def storage_of(subgraphs: Mapping[Kernel, Subgraph]) -> DataType | None:
    """The type in which the first device that states one stores real numbers."""
    return next((s.judge.storage for s in subgraphs.values() if s.judge.storage is not None), None)
