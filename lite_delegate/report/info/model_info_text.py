"""The facts of a model file for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...basics.counted import counted
from ...basics.words.one_line import printable
from ...reporting.forms import forms
from ...reporting.terminal import facts, page, table, table_of
from .model_info import operator_words

DIM = 24
"""Columns of a dimension of a shape."""
WORDS = 76
"""Columns of the file's own information."""
MOST = 30
"""Nodes of an imported graph that are listed."""


def model_info_text(found: Mapping[str, Any]) -> str:
    """For a terminal: a list and two tables; on request the same of the imported graph, with its nodes."""
    parts = [facts(_head(found)), _tensors(found), _operators(found)]
    if found["problem"]:
        parts.append(f"It cannot be imported: {found['problem']}")
    if "imported" in found:
        parts += _imported(found["imported"])
    return "\n\n".join(parts)


def _head(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    stored = f"{found['constants']} ({counted(found['constant_bytes'], 'byte')})"
    facts = {
        "model": found["model"],
        "format": found["format"],
        "size": counted(found["file_bytes"], "byte"),
        **found["about"],
        "converted from": found["framework"] if found["format"] == "MindSpore Lite" else "",
        "opsets": _pairs(found["opsets"], " "),
        "nodes": str(found["nodes"]),
        "constants": stored,
        "graphs": ", ".join(map(printable, found["subgraphs"])),
        "functions": _pairs(found["functions"], ": nodes "),
        "signatures": ", ".join(map(printable, found["signatures"])),
        "metadata": _pairs(found["metadata"], ": "),
        "quantized": _pairs(found["quantized"], ": "),
    }
    return [(name, text if name == "model" else _cut(text)) for name, text in facts.items() if text]


def _pairs(pairs: Mapping[str, Any], between: str) -> str:
    return ", ".join(f"{printable(name)}{between}{printable(str(value))}" for name, value in pairs.items())


def _cut(text: str) -> str:
    shown = printable(" ".join(text.split()))
    return shown if len(shown) <= WORDS else f"{shown[: WORDS - 3]}..."


def _tensors(found: Mapping[str, Any]) -> str:
    rows = [
        (kind[:-1], printable(t["name"]), t["dtype"], _shape(t), t["format"] or "")
        for kind in ("inputs", "outputs")
        for t in found[kind]
    ]
    return table(("", "tensor", "dtype", "shape", "layout"), rows, cut=("tensor",), wrap=("shape",))


def _shape(tensor: Mapping[str, Any]) -> str:
    dims = tensor.get("dims", tensor["shape"])
    if dims is None:
        return "of unknown rank"
    return f"[{', '.join(folded(['' if d in (None, -1) else printable(str(d)) for d in dims]))}]"


def folded(dims: Sequence[str], most: int = DIM) -> list[str]:
    """The dimensions of a shape, long expressions cut in the middle, so that different ones stay different.

    Expressions that look alike when cut get a number behind; "" is shown as "?".

    Args:
        dims: numbers, names and expressions.
        most: columns of one.
    """
    short = {dim: dim if len(dim) <= most else f"{dim[: most // 2]}...{dim[3 - (most - most // 2) :]}" for dim in dims}
    alike = Counter(short.values())
    numbers: dict[str, int] = {}
    for dim, text in short.items():
        if alike[text] > 1:
            numbers[text] = numbers.get(text, 0) + 1
            short[dim] = f"{text}#{numbers[text]}"
    return [short[dim] or "?" for dim in dims]


def _operators(found: Mapping[str, Any]) -> str:
    words = {None: "", True: "yes", False: "no"}
    columns = {
        "operator": [printable(o["type"]) for o in found["operators"]],
        "nodes": [str(o["nodes"]) for o in found["operators"]],
        "CPU runs it": [words[o["cpu_kernel"]] for o in found["operators"]],
        "": [operator_words(found, o["type"]) for o in found["operators"]],
    }
    return table_of({head: cells for head, cells in columns.items() if any(cells)}, right=("nodes",), wrap=("",))


def _imported(found: Mapping[str, Any]) -> list[str]:
    constants = f"{counted(found['constants'], 'constant')} ({counted(found['constant_bytes'], 'byte')})"
    gone = (
        f"; {counted(found['removed'], 'node', 'nodes')} of the file left out of the graph" if found["removed"] else ""
    )
    head = f"imported and optimized: {counted(found['nodes'], 'node')}, {constants}{gone}"
    operators = [(o["type"], str(o["nodes"]), "yes" if o["cpu_kernel"] else "no") for o in found["operators"]]
    nodes = [
        (
            printable(n["name"]),
            n["type"],
            "\n".join(printable(f"{s['name']} ({s['type']})") for s in n["sources"]),
        )
        for n in found["graph"][: None if page().full else MOST]
    ]
    more = len(found["graph"]) - len(nodes)
    rest = f"\n(and {more:,} more nodes; --full shows them)" if more else ""
    return [
        head,
        _tensors(found),
        table(("operator", "nodes", "CPU kernel"), operators, right=("nodes",)),
        table(("node", "type", "in the file"), nodes, cut=("node", "in the file")) + rest,
    ]


INFO_RENDERERS = forms(model_info_text)
"""The forms of the data that ``model_info`` gives."""
