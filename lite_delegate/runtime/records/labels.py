"""Labels of a model's nodes for people: the names and types that the model's file has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ...basics.data_class import dataclass
from ...delegate import Kernel
from .records import NodeRecord, SourceRecord

MOVEMENT = "Transpose"
"""The operator that imports put around other operators."""


@dataclass(frozen=True, slots=True)
class NodeLabel:
    """The words for a node.

    Attributes:
        name: the name of the node in the file; for a fused node the first of its nodes, and the number of the others.
        type: the types in the file.
    """

    name: str
    type: str


def labels_of(nodes: Iterable[NodeRecord]) -> Mapping[str, NodeLabel]:
    """The words for nodes, by their own names.

    1. A node has its name in the file: "/stem/Conv", or "/stem/Conv (+1)" where it was fused with another node.
    2. Several nodes that come from the same nodes of the file have their own names and types, which begin with the
       name in the file: "/stem/Conv/split".
    3. A node that only transposes for another node, "/stem/Conv:0/transpose", and a node that comes from no file have
       their own names, too.
    """
    known = list(nodes)
    users = Counter(source for node in known for source in node.sources)
    working = Counter(node.sources for node in known if node.type != MOVEMENT)
    return {node.name: _label(node, users, working) for node in known}


def _label(
    node: NodeRecord, users: Mapping[SourceRecord, int], working: Mapping[tuple[SourceRecord, ...], int]
) -> NodeLabel:
    is_movement = node.type == MOVEMENT
    stands = all(users[source] == 1 for source in node.sources) if is_movement else working[node.sources] == 1
    if node.sources and stands:
        return NodeLabel(short_name(node.sources), types_text(node.sources))
    return NodeLabel(node.name, node.type)


def types_text(sources: Sequence[SourceRecord]) -> str:
    """The types that a node has in the file, each once: "Conv, Relu"."""
    return ", ".join(dict.fromkeys(source.type for source in sources))


def source_texts(sources: Sequence[SourceRecord]) -> list[str]:
    """The names and types that a node has in the file."""
    return [f"{source.full_name} ({source.type})" for source in sources]


def short_name(sources: Sequence[SourceRecord]) -> str:
    """The name of the first of several nodes of the file, and the number of the others; "" for none."""
    if not sources:
        return ""
    more = f" (+{len(sources) - 1})" if len(sources) > 1 else ""
    return f"{sources[0].full_name}{more}"


def devices_of(nodes: Iterable[NodeRecord]) -> dict[str, str]:
    """Where the nodes of the model's file run: device by name, see ``in_file_names``. Each entry can be pinned."""
    return {name: node.device for name, node in in_file_names(nodes).items()}


def in_file_names(nodes: Iterable[NodeRecord]) -> dict[str, NodeRecord]:
    """The nodes under the names of the nodes of the model's file that they come from.

    1. A node of the file goes by its full name; where several have that, by type and position: "loop/body/Add-3".
    2. Where it became several nodes that run on different devices, these go by their own names.
    3. So do nodes that come from no file. Nodes of the file that were removed are not here.
    """
    known = list(nodes)
    devices: dict[SourceRecord, dict[str, None]] = {}
    for node in known:
        for source in node.sources:
            devices.setdefault(source, {})[node.device] = None
    count = Counter(source.full_name for source in devices)
    found: dict[str, NodeRecord] = {}
    for node in known:
        apart = not node.sources or any(len(devices[source]) > 1 for source in node.sources)
        if apart:
            found[node.name] = node
        for source in node.sources:
            if len(devices[source]) == 1:
                found[in_file_name(source, count)] = node
    return found


def in_file_name(source: SourceRecord, count: Mapping[str, int]) -> str:
    """The name of a node of the file; with type and position where ``count`` has several nodes of its full name."""
    is_alone = count[source.full_name] == 1 or not source.place
    return source.full_name if is_alone else source.numbered_name


def sources_of(kernels: Iterable[Kernel]) -> tuple[SourceRecord, ...]:
    """The nodes of the model file that kernels stand for, each once, in the order of the kernels.

    A source without a place is a node that a pass made: it keeps its name for options, but is none of the file's.
    """
    found = dict.fromkeys(source for kernel in kernels for source in kernel.sources if source.place)
    return tuple(SourceRecord(each.name, each.op_type, each.path, each.place) for each in found)
