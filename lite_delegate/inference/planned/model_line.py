"""A planned model in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from ...basics.words.one_line import extents, quoted, some
from ...runtime.records.records import partition_line

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


class Shaped(Protocol):
    """An input or an output: a port, or a tensor."""

    @property
    def shape(self) -> Sequence[int]:
        """The dimensions; -1 for an open dimension."""


def model_line(name: str, parts: ModelParts, inputs: Iterable[Shaped], outputs: Iterable[Shaped]) -> str:
    """``'resnet50': 74 kernels, 1 subgraph on OPENVINO, [1,3,224,224] -> [1,1000]``."""
    record = parts.scheduled.plan.record
    start, end = (some(extents(each.shape) for each in ports) for ports in (inputs, outputs))
    return f"{quoted(name)}: {partition_line(record.nodes, record.subgraphs)}, {start} -> {end}"
