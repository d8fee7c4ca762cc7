"""The nodes that delegates leave to the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....basics.counted import counted
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from ...drafting.draft import GraphDraft
from ...settings import Settings
from ..building.plan_kernels import PlanKernels
from .groups import Rest

MAIN = ""
"""The label of the main graph of a model."""


def left_to_cpu(graphs: Mapping[str, GraphDraft]) -> list[NodeKernel]:
    """The nodes that no delegate took, without those that only the host can run."""
    kernels = [kernel for graph in graphs.values() for kernel in graph]
    return [kernel for kernel in kernels if isinstance(kernel, NodeKernel) and not isinstance(kernel, HostKernel)]


def computed_on_cpu(graphs: Mapping[str, GraphDraft]) -> list[NodeKernel]:
    """The nodes of ``left_to_cpu`` that compute: without a Depend that gives an output of the model another name."""
    outputs = graphs[MAIN].outputs
    return [
        kernel
        for kernel in left_to_cpu(graphs)
        if kernel.type != "Depend" or len(kernel.inputs) != 1 or kernel.outputs[0] not in outputs
    ]


def said_of(kernel: NodeKernel) -> str:
    """The name and type of a node of a compiled model in a message."""
    return f"'{kernel.name}' ({kernel.type})"


def on_cpu_text(count: int, first: str, device: str) -> str:
    """The message that a compiled model is not for a device which has to run the whole model.

    Args:
        count: the number of its kernels on the CPU.
        first: the first of these kernels, see ``said_of``.
        device: the device that the model can be imported for; "" where strict mode forbids the CPU.
    """
    head = "" if device else "strict mode: "
    way = f" Import it for '{device}'." if device else ""
    kernels = f"{counted(count, 'kernel')} of the compiled model {'runs' if count == 1 else 'run'}"
    return f"{head}{kernels} on the CPU, the first is {first}.{way}"


def rest_of(
    graphs: Sequence[BoundGraph], models: Mapping[str, GraphDraft], settings: Settings, made: PlanKernels
) -> Rest:
    """As ``rest.rest_on_backends``; returns at once where the settings name no runtimes."""
    if not settings.cpu_backends:
        return Rest(dict(models))
    from .rest import rest_on_backends

    return rest_on_backends(graphs, models, settings, made)
