"""What people read for the nodes of a model: the names and types that the model's file has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .records import NodeRecord, SourceRecord


@dataclass(frozen=True, slots=True)
class Label:
    """The words for a node.

    Attributes:
        name: of the node in the file; of a fused one the first of its nodes, and how many more there are.
        type: its types in the file.
    """

    name: str
    type: str


def labels_of(nodes: Iterable[NodeRecord]) -> Mapping[str, Label]:
    """The words for nodes, by their own names.

    1. A node goes by what it was in the file: "/stem/Conv", or "/stem/Conv (+1)" where it was fused with another one.
    2. Where several nodes come from the same one of the file, these go by their own names and types, which begin with
       the file's: "/stem/Conv/transpose".
    3. So do nodes that come from no file.
    """
    known = list(nodes)
    named = {node.name: _name(node.sources) for node in known}
    count = Counter(named.values())
    return {
        node.name: Label(node.name, node.type)
        if not node.sources or count[named[node.name]] > 1
        else Label(named[node.name], types_text(node.sources))
        for node in known
    }


def types_text(sources: Sequence[SourceRecord]) -> str:
    """The types that a node has in the file, each once: "Conv, Relu"."""
    return ", ".join(dict.fromkeys(source.type for source in sources))


def source_texts(sources: Sequence[SourceRecord]) -> list[str]:
    """The names and types that a node has in the file."""
    return [f"{source.full_name} ({source.type})" for source in sources]


def _name(sources: Sequence[SourceRecord]) -> str:
    if not sources:
        return ""
    more = f" (+{len(sources) - 1})" if len(sources) > 1 else ""
    return f"{sources[0].full_name}{more}"
