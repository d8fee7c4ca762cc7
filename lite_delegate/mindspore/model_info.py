"""The information of a model, by key, see ``Model.get_model_info``."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Graph
from ..tensors.tensor import Tensor
from ..tensors.tensor_meta import TensorMeta


def model_info_texts(graph: Graph, inputs: Sequence[Tensor], outputs: Sequence[TensorMeta]) -> dict[str, str]:
    """The texts by key: name and version of the model, names and shapes of inputs and outputs."""
    info = graph.info
    return {
        "name": (info.name if info is not None else None) or graph.name,
        "version": (info.version if info is not None else None) or "",
        "input_name": ";".join(tensor.name for tensor in inputs),
        "input_shape": _shapes(inputs),
        "output_name": ";".join(meta.name for meta in outputs),
        "output_shape": _shapes(outputs),
    }


def _shapes(tensors: Sequence[Tensor | TensorMeta]) -> str:
    return ";".join(",".join(map(str, each.shape)) for each in tensors)
