"""What delegates leave to the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....basics.counted import counted
from ...binding.bind import BoundGraph
from ...binding.host_kernel import HostKernel
from ...binding.node_kernel import NodeKernel
from ...drafting.draft import GraphDraft
from ...settings import Settings
from ..building.made import Made
from .grouped import Rest

MAIN = ""
"""What the main graph is called among those of a model."""


def left_to_cpu(graphs: Mapping[str, GraphDraft]) -> list[NodeKernel]:
    """The nodes that no delegate took, without those that only the host can run."""
    kernels = [kernel for graph in graphs.values() for kernel in graph]
    return [kernel for kernel in kernels if isinstance(kernel, NodeKernel) and not isinstance(kernel, HostKernel)]


def computed_on_cpu(graphs: Mapping[str, GraphDraft]) -> list[NodeKernel]:
    """The same without those that compute nothing: that give an output of the model under one more name."""
    outputs = graphs[MAIN].outputs
    return [
        kernel
        for kernel in left_to_cpu(graphs)
        if kernel.type != "Depend" or len(kernel.inputs) != 1 or kernel.outputs[0] not in outputs
    ]


def said_of(kernel: NodeKernel) -> str:
    """A node of a compiled model in a message."""
    return f"'{kernel.name}' ({kernel.type})"


def on_cpu_text(count: int, first: str, device: str) -> str:
    """Why a compiled model is not for a device that has to run all of it.

    Args:
        count: its kernels on the CPU.
        first: the first of them, see ``said_of``.
        device: that it can be imported for; "" where strict mode forbids the CPU.
    """
    head = "" if device else "strict mode: "
    way = f" Import it for '{device}'." if device else ""
    kernels = f"{counted(count, 'kernel')} of the compiled model {'runs' if count == 1 else 'run'}"
    return f"{head}{kernels} on the CPU, the first is {first}.{way}"


def rest_of(graphs: Sequence[BoundGraph], models: Mapping[str, GraphDraft], settings: Settings, made: Made) -> Rest:
    """As ``rest.rest_on_backends``; at once where the settings name no runtimes."""
    if not settings.cpu_backends:
        return Rest(dict(models))
    from .rest import rest_on_backends

    return rest_on_backends(graphs, models, settings, made)
