"""Facts about a model file, and about the graph made of it, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lite_delegate_kernels.built_in import built_in_kernels

from ...errors import LiteDelegateError, UnsupportedOperatorError
from ...formats import is_ms, read_facts, read_model
from ...formats.facts import Dims, FileFacts, FileTensor
from ...inference.compiling.usual_shapes import settled_graph
from ...ir import Graph, Node, Value
from ...passes.optimize import optimize
from ...reporting.schemas import packaged_schema
from ...runtime.binding.host import HOST_OPERATORS
from ...shapes.finding import kernel_for

FRAMEWORKS = ("TF", "CAFFE", "ONNX", "MINDIR", "TFLITE", "PYTORCH", "MS Lite", "OM")
"""Names of ``MetaGraph.fmkType``."""
_OF_FORMATS = {"ONNX": "ONNX", "TensorFlow Lite": "TFLITE"}


def model_info(
    path: Path, signature: str | None = None, *, imported: bool = False, level: str = "general"
) -> dict[str, Any]:
    """The facts of a model file as plain data, ready for JSON. Keys are only ever added.

    What cannot be imported is no error: ``problem`` says why, and no operator has a CPU kernel that is known.

    Args:
        path: the file.
        signature: which part of a ``.tflite`` model, None for the first.
        imported: whether to add, under ``imported``, the graph that is made of the file.
        level: how that graph is optimized.

    Raises:
        LiteDelegateError: the file cannot be read at all.
    """
    facts = read_facts(path, signature)
    graph, problem = _graph(path, signature)
    data = _file(path, facts, graph, problem)
    if imported:
        if graph is None:
            raise UnsupportedOperatorError(problem)
        data["imported"] = _imported(graph if is_ms(path) else optimize(graph, level).graph)
    return data


def model_info_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the data from ``model_info``."""
    return packaged_schema(__package__, "model_info.schema.json")


def _graph(path: Path, signature: str | None) -> tuple[Graph | None, str]:
    try:
        graph = read_model(path, signature=signature)
        return settled_graph(graph, lambda: read_facts(path, signature).metadata)[0], ""
    except LiteDelegateError as e:
        if is_ms(path):
            raise
        return None, str(e)


def _file(path: Path, facts: FileFacts, graph: Graph | None, problem: str) -> dict[str, Any]:
    runnable = None if graph is None else _runnable(graph)
    types = sorted(facts.operators.items())
    return {
        "model": str(path),
        "file_bytes": path.stat().st_size,
        "version": facts.about.get("version"),
        "framework": _OF_FORMATS.get(facts.format) or _framework(graph),
        "inputs": [_file_tensor(each) for each in facts.inputs],
        "outputs": [_file_tensor(each) for each in facts.outputs],
        "subgraphs": list(facts.graphs),
        "nodes": sum(facts.operators.values()),
        "operators": [
            {"type": op, "nodes": n, "cpu_kernel": None if runnable is None else runnable.get(op, True)}
            for op, n in types
        ],
        "constants": facts.constants,
        "constant_bytes": facts.constant_bytes,
        "format": facts.format,
        "about": dict(facts.about),
        "opsets": dict(facts.opsets),
        "operator_versions": dict(sorted(facts.versions.items())),
        "custom_operators": list(facts.custom),
        "functions": dict(facts.functions),
        "signatures": list(facts.signatures),
        "metadata": dict(facts.metadata),
        "quantized": dict(facts.quantized),
        "problem": problem,
    }


def _framework(graph: Graph | None) -> str:
    number = 0 if graph is None or graph.info is None else graph.info.fmk_type
    return FRAMEWORKS[number] if 0 <= number < len(FRAMEWORKS) else str(number)


def _runnable(graph: Graph) -> dict[str, bool]:
    """For each operator type of the file whether the CPU has kernels for all that was made of its nodes."""
    found: dict[str, bool] = {}
    for node in (n for each in graph.all_graphs() for n in each.nodes):
        for source in node.sources:
            found[source.op_type] = found.get(source.op_type, True) and _has_kernel(node)
    return found


def _has_kernel(node: Node) -> bool:
    return node.op_type in HOST_OPERATORS or kernel_for(built_in_kernels(), node) is not None


def _file_tensor(tensor: FileTensor) -> dict[str, Any]:
    dims = tensor.dims
    shape = None if dims is None else [d if isinstance(d, int) else -1 for d in dims]
    found = {"name": tensor.name, "dtype": tensor.dtype, "shape": shape, "format": tensor.layout}
    return {**found, "dims": list(dims or ())} if _has_names(dims) else found


def _has_names(dims: Dims | None) -> bool:
    return any(isinstance(d, str) for d in dims or ())


def _imported(graph: Graph) -> dict[str, Any]:
    """A graph of our operators."""
    counts = Counter(node.op_type for each in graph.all_graphs() for node in each.nodes)
    constants = [value for each in graph.all_graphs() for value in each.values() if value.is_constant]
    nodes = [node for each in graph.all_graphs() for node in each.nodes]
    kernels = {node.op_type: _has_kernel(node) for node in nodes}
    return {
        "inputs": _tensors(graph.inputs),
        "outputs": _tensors(graph.outputs),
        "subgraphs": [each.name for each in graph.all_graphs()],
        "nodes": len(nodes),
        "operators": [{"type": op, "nodes": n, "cpu_kernel": kernels[op]} for op, n in sorted(counts.items())],
        "constants": len(constants),
        "constant_bytes": sum(_nbytes(value) for value in constants),
        "removed": len(graph.removed),
        "graph": [_node(each, node) for each in graph.all_graphs() for node in each.nodes],
    }


def _node(graph: Graph, node: Node) -> dict[str, Any]:
    return {
        "name": node.name,
        "type": node.op_type,
        "graph": graph.name,
        "inputs": [None if value is None else value.name for value in node.inputs],
        "outputs": [value.name for value in node.outputs],
        "sources": [{"name": s.name, "type": s.op_type, "path": list(s.path)} for s in node.sources],
    }


def _nbytes(value: Value) -> int:
    stored = value.data if value.packed is None else value.packed.raw
    return 0 if stored is None else stored.nbytes


def _tensors(values: Sequence[Value]) -> list[dict[str, Any]]:
    return [
        {
            "name": v.name,
            "dtype": v.dtype.name,
            "shape": None if v.shape is None else list(v.shape),
            "format": v.format.name,
        }
        for v in values
    ]


def operator_words(found: Mapping[str, Any], op_type: str) -> str:
    """Remarks on an operator type of a file: its version, and that it is not a standard operator."""
    version = found["operator_versions"].get(op_type, 1)
    words = [f"version {version}"] if version > 1 else []
    words += ["custom"] if op_type in found["custom_operators"] else []
    words += ["function of the file"] if op_type in found["functions"] else []
    return ", ".join(words)
