"""The contents of a model file: version, inputs, outputs, operators, constants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from ..formats import is_ms
from ..ir import Graph, Value
from ..reporting.plain import json_text
from ..runtime.binding.host import HOST_OPERATORS
from ..runtime.planning.inferring import cpu_kernels

FRAMEWORKS = ("TF", "CAFFE", "ONNX", "MINDIR", "TFLITE", "PYTORCH", "MS Lite", "OM")
"""Names of ``MetaGraph.fmkType``."""


def model_info(path: Path, graph: Graph) -> dict[str, Any]:
    """The facts of a model as plain data, ready for JSON. Keys are only ever added.

    Args:
        path: the file that it was read from.
        graph: the model.
    """
    head = graph.info
    constants = [v for g in graph.all_graphs() for v in g.values() if v.is_constant]
    known = {*cpu_kernels().op_types(), *HOST_OPERATORS}
    counts = Counter(n.op_type for g in graph.all_graphs() for n in g.nodes)
    framework = head.fmk_type if head is not None else 0
    return {
        "model": str(path),
        "file_bytes": path.stat().st_size,
        "version": head.version if head is not None and is_ms(path) else None,
        "framework": FRAMEWORKS[framework] if 0 <= framework < len(FRAMEWORKS) else str(framework),
        "inputs": _tensors(graph.inputs),
        "outputs": _tensors(graph.outputs),
        "subgraphs": [g.name for g in graph.all_graphs()],
        "nodes": sum(counts.values()),
        "operators": [{"type": op, "nodes": n, "cpu_kernel": op in known} for op, n in sorted(counts.items())],
        "constants": len(constants),
        "constant_bytes": sum(_nbytes(v) for v in constants),
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


def model_info_text(found: Mapping[str, Any]) -> str:
    """The same for a terminal: a list and two tables."""
    head = [
        ("model", found["model"]),
        ("size", f"{found['file_bytes']:,} bytes"),
        *([("version", found["version"])] if found["version"] else []),
        ("converted from", found["framework"]),
        ("nodes", found["nodes"]),
        ("constants", f"{found['constants']} ({found['constant_bytes']:,} bytes)"),
        ("graphs", ", ".join(found["subgraphs"])),
    ]
    tensors = [
        (kind[:-1], t["name"], t["dtype"], str(t["shape"]), t["format"])
        for kind in ("inputs", "outputs")
        for t in found[kind]
    ]
    operators = [(o["type"], o["nodes"], "yes" if o["cpu_kernel"] else "no") for o in found["operators"]]
    return "\n\n".join(
        (
            tabulate(head, tablefmt="plain"),
            tabulate(tensors, ("", "tensor", "dtype", "shape", "format"), maxcolwidths=[None, 40]),
            tabulate(operators, ("operator", "nodes", "CPU kernel")),
        )
    )


INFO_RENDERERS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"text": model_info_text, "json": json_text}
"""By the name of the format; the first is the default."""
