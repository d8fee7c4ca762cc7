"""Plans: the protocol of the plans that a compiled model runs."""

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
    """The plans of a compiled model: ``PlannedModel`` has one plan, ``DynamicPlans`` several."""

    @property
    def plan(self) -> ExecutionPlan:
        """The plan of the latest run; before the first run the plan of the compilation."""

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels of ``plan``, in execution order, with the names of the nodes they stand for."""

    @property
    def partition(self) -> PartitionRecord:
        """The device of each node of ``plan`` with its reason."""

    @property
    def has_lost_device(self) -> bool:
        """True when the device of a graph kernel of ``plan`` was lost."""

    @property
    def is_closed(self) -> bool:
        """True after ``close``: no run can begin."""

    def check_open(self) -> None:
        """Raises ModelClosed after ``close``."""

    def parts(self) -> ModelParts:
        """The plan of the compilation, with its graph."""

    def take_warnings(self) -> list[str]:
        """Warnings for the user about runs so far, each warning once."""

    def change(self, properties: ModelProperties, *, falls_back: bool | None) -> None:
        """Applies properties that were set at run time.

        Args:
            properties: all properties of the model.
            falls_back: whether CPU kernels take over from a failed device; None: no change.
        """

    def release(self) -> int:
        """Drops the plans that no runner uses, except the compilation's plan; gives the bytes freed on devices."""

    def close(self, reason: str) -> None:
        """Closes all plans after the runs under way; later runs raise the reason."""
