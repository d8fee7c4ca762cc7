"""Names for tensors that are the same each time a model is built, whatever the model file calls them."""

from __future__ import annotations

from collections.abc import Sequence

from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph


def tensor_keys(graphs: Sequence[BoundGraph]) -> dict[Tensor, str]:
    """All tensors that may cross a boundary: by the node that makes them, or as inputs and variables."""
    keys: dict[Tensor, str] = {}
    for graph in graphs:
        label = f"{graph.label}/" if graph.label else ""
        keys.update((t, f"{label}input:{i}") for i, t in enumerate(graph.inputs))
        keys.update((t, f"variable:{number}") for t, number in graph.variables.items())
        keys.update((t, f"{k.name}:{i}") for k in graph.kernels for i, t in enumerate(k.outputs))
    return keys
