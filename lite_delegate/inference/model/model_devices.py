"""ModelDevices: the protocol of a compiled model's devices; PlanDevices: the devices of one compilation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from ...delegate import Kernel
from ...errors import PropertyError
from ...properties import Explanation
from ...runtime.records.records import CPU, PartitionRecord
from ..properties.cpu_properties import LOG
from ..properties.model_properties import ON_ERROR, ModelProperties
from .plans import Plans

if TYPE_CHECKING:
    from ..model_file.parts import ModelParts
    from .status import AutoStatus, BatchStatus, MultiStatus


class ModelDevices(Protocol):
    """The devices of a compiled model. Queries go to the current device of runs, and changes go to all devices.

    ``PlanDevices`` run the plans of one compilation. AUTO, MULTI and BATCH have a compiled model for each of their
    devices.
    """

    @property
    @abstractmethod
    def partition(self) -> PartitionRecord:
        """The device of each node with its reason; the notes have the status of the devices."""

    @property
    @abstractmethod
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """The graph kernels, in execution order, with the names of the nodes they stand for."""

    @abstractmethod
    def parts(self) -> ModelParts:
        """The graph with its plan, as exported."""

    @property
    @abstractmethod
    def at_run_time(self) -> Mapping[str, object]:
        """The properties that were set at run time."""

    @abstractmethod
    def explain(self, key: str, facts: Mapping[str, object]) -> Explanation:
        """The value of a property, its origin, and the values that were overridden.

        Args:
            key: the property.
            facts: the values of the compiled model's own properties.

        Raises:
            PropertyError: there is no such property.
        """

    @abstractmethod
    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``CompiledModel.set_property``."""

    @abstractmethod
    def release(self) -> int:
        """Drops plans and runners that no request uses; gives the bytes that became free on devices."""

    @abstractmethod
    def close(self, reason: str) -> None:
        """Closes the devices after the runs under way; later runs raise the reason."""

    @property
    def auto(self) -> AutoStatus:
        """As ``CompiledModel.auto``."""
        raise _missing("auto", "the CPU runs while AUTO compiles it for another device")

    def wait_ready(self, timeout: float | None) -> bool:
        """As ``CompiledModel.wait_ready``."""
        del timeout
        raise _missing("wait_ready", "the CPU runs while AUTO compiles it for another device")

    @property
    def multi(self) -> MultiStatus:
        """As ``CompiledModel.multi``."""
        raise _missing("multi", "is compiled for MULTI")

    @property
    def batch(self) -> BatchStatus:
        """As ``CompiledModel.batch``."""
        raise _missing("batch", "is compiled for BATCH, and whose runs can be joined")


def _missing(name: str, kind: str) -> AttributeError:
    return AttributeError(f"This compiled model has no '{name}', which is for a model that {kind}.")


class PlanDevices(ModelDevices):
    """The devices of one compilation: one device, or several devices that share the nodes of the graph.

    Args:
        plans: the plans.
        properties: of the devices at compilation.
        note: for the partition; "" for no note.
    """

    def __init__(self, plans: Plans, properties: ModelProperties, note: str = "") -> None:
        self._plans, self._parts = plans, plans.parts()
        self._properties = properties
        self._note = note

    @property
    def partition(self) -> PartitionRecord:
        """As ``ModelDevices.partition``."""
        record = self._plans.partition
        return replace(record, notes=(*record.notes, self._note)) if self._note else record

    @property
    def graph_kernels(self) -> Mapping[Kernel, tuple[str, ...]]:
        """As ``ModelDevices.graph_kernels``."""
        return self._plans.graph_kernels

    def parts(self) -> ModelParts:
        """As ``ModelDevices.parts``."""
        return self._plans.parts()

    @property
    def at_run_time(self) -> Mapping[str, object]:
        """As ``ModelDevices.at_run_time``."""
        return self._properties.at_run_time

    def explain(self, key: str, facts: Mapping[str, object]) -> Explanation:
        """As ``ModelDevices.explain``."""
        parts = self._parts
        running = {node.device for node in parts.scheduled.plan.record.nodes}
        own = {
            "NETWORK_NAME": parts.graph.name or "",
            "EXECUTION_DEVICES": tuple(name for name in (*parts.delegates, CPU) if name in running),
        }
        return self._properties.explain(key, {**own, **facts})

    def set_property(self, properties: Mapping[str, object]) -> None:
        """As ``ModelDevices.set_property``."""
        checked = self._properties.registry.checked(properties)
        on_error, level = checked.get(ON_ERROR), checked.get(LOG)
        if on_error == "FALLBACK" and not self._parts.scheduled.settings.falls_back:
            raise PropertyError(
                f"{ON_ERROR} can be FALLBACK only on a model that was compiled so, which has the CPU kernels; compile "
                f"it again with {ON_ERROR}=FALLBACK."
            )
        self._properties = self._properties.changed(properties)
        if level is not None:
            self._parts.scheduled.log.change(str(level))
        falls_back = None if on_error is None else on_error == "FALLBACK"
        self._plans.change(self._properties, falls_back=falls_back)

    def release(self) -> int:
        """As ``ModelDevices.release``."""
        return self._plans.release()

    def close(self, reason: str) -> None:
        """As ``ModelDevices.close``."""
        self._plans.close(reason)
