"""Facts of an ONNX file, in the file's own words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ModelFormatError
from ...flatbuffer.mapping import map_file
from ...flatbuffer.problem import FormatProblem
from ...ir import from_numpy
from ..facts import Dims, FileFacts, FileTensor, known_texts
from ..rejection import NotConvertible
from .operators import domain_name, qualified
from .protobuf.types import LAYOUTS, numpy_type, type_name
from .reader import parsed

if TYPE_CHECKING:
    import onnx

_BITS = {
    "int4": 4,
    "uint4": 4,
    "float4e2m1": 4,
    "int2": 2,
    "uint2": 2,
    "bfloat16": 16,
    "complex64": 64,
    "complex128": 128,
}
_DEFAULT_BITS = 8
STANDARD = ("", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "ai.onnx.preview")
"""The domains that ONNX itself defines."""


def onnx_facts(path: Path) -> FileFacts:
    """The facts of a file. Operators need not be known, nor weights be there.

    Raises:
        ModelFormatError: it is missing, or no ONNX model.
    """
    try:
        model, _ = parsed(map_file(path))
    except FormatProblem as e:
        raise ModelFormatError(f"'{path}': {e}") from e
    graphs = list(_graphs(model.graph))
    tensors = [*(t for g in graphs for t in g.initializer), *(s.values for g in graphs for s in g.sparse_initializer)]
    given = {tensor.name for tensor in model.graph.initializer}
    nodes = [node for graph in graphs for node in graph.node]
    own = {(domain_name(f.domain), f.name) for f in model.functions}
    return FileFacts(
        format="ONNX",
        inputs=tuple(_tensor(info) for info in model.graph.input if info.name not in given),
        outputs=tuple(map(_tensor, model.graph.output)),
        operators=Counter(map(qualified, nodes)),
        graphs=tuple(graph.name for graph in graphs),
        constants=len(tensors),
        constant_bytes=sum(map(_nbytes, tensors)),
        about=known_texts(
            {
                "IR version": model.ir_version,
                "producer": f"{model.producer_name} {model.producer_version}".strip(),
                "domain": model.domain,
                "model version": model.model_version,
                "description": model.doc_string,
            }
        ),
        opsets={domain_name(each.domain) or "ai.onnx": each.version for each in model.opset_import},
        custom=tuple(sorted({qualified(n) for n in nodes if _is_custom(n, own)})),
        functions={f"{f.domain}.{f.name}".lstrip("."): len(f.node) for f in model.functions},
        metadata={each.key: each.value for each in model.metadata_props},
    )


def _is_custom(node: onnx.NodeProto, own: set[tuple[str, str]]) -> bool:
    domain = domain_name(node.domain)
    return domain not in STANDARD and (domain, node.op_type) not in own


def _graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph, then the graphs of its nodes, recursively."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from _graphs(inner)


def _tensor(info: onnx.ValueInfoProto) -> FileTensor:
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type":
        return FileTensor(info.name, (kind or "no type").removesuffix("_type"), None)
    tensor = info.type.tensor_type
    dims = tuple(_dims(tensor.shape.dim)) if tensor.HasField("shape") else None
    layout = None if dims is None else LAYOUTS.get(len(dims))
    return FileTensor(info.name, _dtype(tensor.elem_type), dims, None if layout is None else layout.name)


def _dims(dims: Iterable[onnx.TensorShapeProto.Dimension]) -> Dims:
    return tuple(d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else d.dim_param or None for d in dims)


def _dtype(elem_type: int) -> str:
    try:
        return from_numpy(numpy_type(elem_type)).name
    except NotConvertible:
        return type_name(elem_type)


def _nbytes(tensor: onnx.TensorProto) -> int:
    """The size of a tensor's contents by its shape, wherever they lie; strings by their bytes."""
    name = type_name(tensor.data_type)
    if name == "string":
        return sum(len(each) for each in tensor.string_data)
    try:
        bits = 8 * numpy_type(tensor.data_type).itemsize
    except NotConvertible:
        bits = _BITS.get(name, _DEFAULT_BITS)
    return (int(math.prod(tensor.dims)) * bits + 7) // 8
