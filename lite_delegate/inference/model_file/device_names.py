"""Names of one device: Core, the command line and Context have different names for a delegate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...runtime.planning.layout import GraphLayout
from ...runtime.records.records import PartitionRecord

Names = Mapping[str, str]
"""The names of delegates in this process, by their names in a file."""


def is_same_device(one: str, other: str) -> bool:
    """Whether two names may be of one device: ``npu``, ``NPU`` and ``NPU.4000``. The keys of the delegates decide."""
    return one == other or _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return re.split(r"[.:]", name, maxsplit=1)[0].upper()


def renamed_layouts(layouts: Sequence[GraphLayout], names: Names) -> tuple[GraphLayout, ...]:
    """Layouts with new names of delegates."""
    return tuple(
        replace(graph, kernels=tuple(replace(k, delegate=names.get(k.delegate, k.delegate)) for k in graph.kernels))
        for graph in layouts
    )


def renamed_record(record: PartitionRecord, names: Names) -> PartitionRecord:
    """A record with new names of delegates, except in its texts."""

    def of(name: str) -> str:
        return names.get(name, name)

    options = replace(record.options, affinity={node: of(device) for node, device in record.options.affinity.items()})
    return replace(
        record,
        delegate=None if record.delegate is None else ", ".join(of(each) for each in record.delegate.split(", ")),
        nodes=tuple(replace(node, device=of(node.device)) for node in record.nodes),
        subgraphs=tuple(replace(each, delegate=of(each.delegate)) for each in record.subgraphs),
        delegates=tuple(replace(each, name=of(each.name)) for each in record.delegates),
        rewrites=tuple(replace(each, delegate=of(each.delegate)) for each in record.rewrites),
        options=options,
    )
