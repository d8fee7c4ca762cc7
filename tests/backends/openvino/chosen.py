"""The kernels that OpenVINO chose for a model, for tests."""

from __future__ import annotations

from collections.abc import Collection

from lite_delegate.backends.openvino.graph import OpenVINOGraph
from lite_delegate.inference import CompiledModel


def chosen(compiled: CompiledModel, layers: Collection[str]) -> list[str]:
    """What OpenVINO computes layers of these types with, by its names, in order."""
    (graph,) = compiled.graph_kernels
    assert isinstance(graph, OpenVINOGraph)
    nodes = [node.get_rt_info() for node in graph.shared.compiled.get_runtime_model().get_ordered_ops()]
    return [str(info["primitiveType"].value) for info in nodes if info["layerType"].value in layers]
