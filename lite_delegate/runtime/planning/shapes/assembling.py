"""Assembling: an execution plan made of graphs in which every kernel has its position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....delegate import Kernel
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.model_inference import MAIN
from ...budget import Budget
from ...drafting.draft import GraphDraft
from ...execution.lending import lent_outputs, lent_state
from ...execution.plan import EMPTY, ExecutionPlan, plan_graph
from ...execution.stand_in import StandIn, handed
from ...records.records import PartitionRecord
from .inferring import InferredModel


def assembled(
    graphs: Sequence[BoundGraph],
    models: Mapping[str, GraphDraft],
    stand_ins: Mapping[Kernel, StandIn],
    inferred: InferredModel,
    record: PartitionRecord,
    budget: Budget,
    cpu_groups: Mapping[Kernel, tuple[str, ...]] = EMPTY,
) -> ExecutionPlan:
    """The execution plan of a model.

    Args:
        graphs: the graphs of the model.
        models: the graphs by label, with graph kernels in place of the nodes they stand for.
        stand_ins: the CPU kernels that run in place of graph kernels that fail.
        inferred: the model, for its variables.
        record: the partition of the plan.
        budget: the most steps that a prediction may take.
        cpu_groups: the graph kernels that are part of the CPU, and the names of the nodes that each stands for.
    """
    for graph in graphs:
        _tell_states(graph, models[graph.label])
    main = next(g for g in graphs if g.index == MAIN)
    plans = {g.index: plan_graph(g, list(models[g.label]), handed(stand_ins)) for g in graphs}
    is_alone = len(plans) == 1  # else results of graph kernels are copied at once, because of loops
    return ExecutionPlan(
        inputs=main.inputs,
        outputs=main.outputs,
        graphs=plans,
        state=inferred.state,
        record=record,
        graph_kernels={
            kernel: tuple(node.name for node in run)
            for model in models.values()
            for kernel, run in model.replaced.items()
            if kernel not in cpu_groups
        },
        stand_ins=stand_ins,
        lent=lent_outputs(plans[MAIN]) if is_alone else frozenset(),
        most_calls=budget.steps,
        state_names=inferred.state_names,
        state_shapes=inferred.state_shapes,
        lent_state=lent_state(plans[MAIN]) if is_alone else frozenset(),
        cpu_groups=cpu_groups,
    )


def _tell_states(graph: BoundGraph, draft: GraphDraft) -> None:
    """Tells graph kernels which of their tensors are states: variables, and values that are assigned to them."""
    if not graph.variables:
        return
    assignments = (kernel for kernel in draft if isinstance(kernel, HostKernel) and kernel.assigned)
    states = {*graph.variables, *(tensor for each in assignments for tensor in each.inputs)}
    for kernel in draft.replaced:
        kernel.states = frozenset(states.intersection((*kernel.inputs, *kernel.outputs)))
