"""StandIn: the CPU kernels that can run in place of a graph kernel."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel
from ...tensors.tensor import Tensor
from ..binding.node_kernel import NodeKernel
from ..drafting.draft import GraphDraft


@dataclass(frozen=True, slots=True, eq=False)
class StandIn:
    """The CPU kernels that run in place of a graph kernel.

    Attributes:
        kernels: the nodes it stands for, in execution order; they are bound to the plan's tensors.
        inputs: their arguments, in order: the varying inputs of the graph kernel, then the further tensors they read.
        outputs: the outputs of the graph kernel, in order.
        obstacle: the reason why they cannot run, "" when they can.
    """

    kernels: tuple[NodeKernel, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    obstacle: str


def stand_in(kernel: Kernel, replaced: Sequence[Kernel], available: Collection[Tensor]) -> StandIn:
    """The CPU kernels for a graph kernel.

    Args:
        kernel: the graph kernel.
        replaced: the nodes it stands for, in execution order.
        available: every tensor that the plan has when the graph kernel runs, constants left out.
    """
    nodes = tuple(k for k in replaced if isinstance(k, NodeKernel))
    made = {t for k in nodes for t in k.outputs}
    taken = [t for t in kernel.inputs if not t.is_const]
    read = dict.fromkeys(t for k in nodes for t in k.inputs if not t.is_const and t not in made)
    given = (*taken, *(t for t in read if t not in taken))
    without = [f"'{k.name}' ({k.type})" for k in nodes if k.function is None]
    absent = [f"'{t.name}'" for t in given if t not in available]
    obstacle = ""
    if without:
        obstacle = f"it has no kernel for {', '.join(without)}"
    elif absent:
        obstacle = f"the delegate's build left nobody to give it {', '.join(absent)}"
    return StandIn(nodes, given, kernel.outputs, obstacle)


def stand_ins_of(models: Iterable[GraphDraft], notes: list[str]) -> dict[Kernel, StandIn]:
    """The CPU kernels for every graph kernel; a note is added for each that the CPU could not run."""
    found: dict[Kernel, StandIn] = {}
    for model in models:
        available, replaced = {*model.inputs, *model.variables}, model.replaced
        for kernel in model:
            if kernel in replaced:
                found[kernel] = made = stand_in(kernel, replaced[kernel], available)
                if made.obstacle:
                    notes.append(f"The CPU cannot run subgraph '{kernel.name}' if the device fails: {made.obstacle}.")
            available.update(kernel.outputs)
    return found


def handed(stand_ins: Mapping[Kernel, StandIn]) -> dict[Kernel, tuple[Tensor, ...]]:
    """The tensors that the plan hands to each graph kernel, so that the CPU can run in its place."""
    return {kernel: each.inputs for kernel, each in stand_ins.items() if not each.obstacle}
