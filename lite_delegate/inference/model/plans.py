"""Plans: the protocol of the plan, or the plans, that a compiled model runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from ...delegate import Kernel
from ...runtime.execution.plan import ExecutionPlan
from ...runtime.records.records import PartitionRecord
from ..properties.model_properties import ModelProperties

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts


class Plans(Protocol):
    """The plan of a compiled model, or all of its plans: ``PlannedModel`` has one, ``DynamicPlans`` several."""

    @property
    def plan(self) -> ExecutionPlan:
        """The plan of the latest run; before any run that of the compilation."""

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels of ``plan``, in execution order, with the names of the nodes they stand for."""

    @property
    def partition(self) -> PartitionRecord:
        """Who runs what in ``plan``, and why."""

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel of ``plan`` was lost."""

    @property
    def is_closed(self) -> bool:
        """True once no run can begin any more."""

    def check_open(self) -> None:
        """Raises ModelClosed once no run can begin any more."""

    def parts(self) -> ModelParts:
        """The plan of the compilation, with its graph."""

    def take_warnings(self) -> list[str]:
        """Warnings for the user on the runs so far, each thing once."""

    def change(self, properties: ModelProperties, *, falls_back: bool | None) -> None:
        """Properties of the model that were set at run time.

        Args:
            properties: all of them.
            falls_back: whether CPU kernels take over from a device that fails; None: as it was.
        """

    def release(self) -> int:
        """Gives up the plans that no runner has, but for that of the compilation; the bytes that devices have free."""

    def close(self, reason: str) -> None:
        """Gives back all, after the runs that are under way; none can begin any more, which raises the reason."""
