"""Delegation: the owner of each kernel after every delegate had its turn."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ....basics.data_class import dataclass
from ....delegate import Kernel, Rejected
from ...drafting.draft import GraphDraft

if TYPE_CHECKING:  # a plan out of a file does not need the modules that make plans
    from ....partition.placement import Placement
    from ..timing.timing import ModelTimes
    from .claims import Claims


@dataclass(frozen=True, slots=True, eq=False)
class Delegation:
    """The owner of each kernel after every delegate had its turn.

    Attributes:
        delegates: their names, in order of preference.
        models: the graphs by label, with the graph kernels of all delegates in place of the nodes they stand for.
        owners: the name of the delegate that made each graph kernel.
        rejections: for each kernel that was left over, why each delegate does not run it, by the delegates' names in
            order; under "" where there is no delegate.
        errors: the error for each kernel whose graph kernel could not be made, or whose delegate is not there.
        times: the times of each delegate whose part was chosen by gain.
        placements: the placements that were chosen by gain, by delegate and label of the graph.
        answers: the answers of each delegate; a kernel that failed to compile counts as rejected.
        absent: why the devices of delegates are not there, by the delegates' names.
    """

    delegates: tuple[str, ...]
    models: dict[str, GraphDraft] = field(default_factory=dict)
    owners: dict[Kernel, str] = field(default_factory=dict)
    rejections: dict[Kernel, dict[str, Rejected]] = field(default_factory=dict)
    errors: dict[Kernel, Exception] = field(default_factory=dict)
    times: dict[str, ModelTimes] = field(default_factory=dict)
    placements: dict[tuple[str, str], Placement] = field(default_factory=dict)
    answers: dict[str, Claims] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
