"""What delegates leave to the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..binding.bind import BoundGraph
from ..binding.host_kernel import HostKernel
from ..binding.node_kernel import NodeKernel
from ..drafting.draft import GraphDraft
from ..settings import Settings
from .grouped import Rest
from .made import Made

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


def rest_of(graphs: Sequence[BoundGraph], models: Mapping[str, GraphDraft], settings: Settings, made: Made) -> Rest:
    """As ``rest.rest_on_backends``; at once where the settings name no runtimes."""
    if not settings.cpu_backends:
        return Rest(dict(models))
    from .rest import rest_on_backends

    return rest_on_backends(graphs, models, settings, made)
