"""Timing: the times that placement by gain works with, for each delegate of a model that is being built."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lite_delegate_kernels import Array

from ....basics.data_class import dataclass
from ....delegate import Boundary, Delegate, Kernel, Supported, SupportResult
from ....errors import InputError
from ....partition import PartitionGraph, PartitionOptions
from ....partition.placement import KernelTimes, PlacementTimes, SubgraphCost
from ....tensors.tensor import Tensor
from ...binding.bind import BoundGraph
from ...drafting.draft import GraphDraft
from ...settings import Settings
from .device import estimate_device, tensors_of
from .host import measure_host
from .identity import check_key, times_key
from .tensors import tensor_keys

RUNS = 3
"""Predictions that are measured when a model is built without stored times."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelTimes:
    """Kernel times for the kernels and tensors of one built model.

    Attributes:
        times: the times by name.
        keys: the names of the tensors.
    """

    times: KernelTimes
    keys: Mapping[Tensor, str]

    def placement(
        self,
        graph: PartitionGraph,
        kernels: Sequence[Kernel],
        tensors: Sequence[Tensor],
        affinity: Mapping[str, str] = MappingProxyType({}),
    ) -> PlacementTimes:
        """The times for an abstract graph.

        Args:
            graph: the graph with the claims.
            kernels: the kernels of its nodes. A kernel without times, a graph kernel or one of the runtime itself,
                takes no time: it stays where it is.
            tensors: the tensors of the kernels, as the graph numbers them.
            affinity: the user's plan. A kernel that it puts on the delegate stays there, as if the CPU had no kernel.

        Raises:
            InputError: a claimed kernel has no times.
        """
        times = self.times
        for kernel, claimed in zip(kernels, graph.claimed, strict=True):
            if claimed and not (kernel.name in times.host_us and kernel.name in times.device_us):
                raise InputError(
                    f"There is no time for '{kernel.name}' ({kernel.type}), which delegate '{times.key.delegate}' "
                    "claims. Run 'lite-delegate calibrate' anew."
                )
        return PlacementTimes(
            tuple(
                math.inf if claimed and affinity.get(k.name) == times.key.delegate else times.host_us.get(k.name, 0.0)
                for k, claimed in zip(kernels, graph.claimed, strict=True)
            ),
            tuple(times.device_us.get(k.name, 0.0) for k in kernels),
            tuple(self.transfer_us(t) for t in tensors),
            times.launch_us,
            times.source,
        )

    def transfer_us(self, tensor: Tensor) -> float:
        """The time that a tensor takes to cross."""
        return self.times.transfer_us.get(self.keys.get(tensor, ""), 0.0)

    def subgraph(self, kernels: Sequence[Kernel], boundary: Boundary) -> SubgraphCost:
        """The time that a subgraph takes, on the CPU and on the device; its nodes are not numbered."""
        times = self.times
        return SubgraphCost(
            nodes=(),
            host_us=sum(times.host_us.get(k.name, 0.0) for k in kernels),
            device_us=sum(times.device_us.get(k.name, 0.0) for k in kernels),
            transfer_us=sum(self.transfer_us(t) for t in (*boundary.inputs, *boundary.outputs)),
            launch_us=times.launch_us,
        )


class Timing:
    """Gives each delegate its times: the times that the user names, else estimates beside measurements.

    Args:
        graphs: the model, the main graph first.
        state: the first contents of its variables.
        settings: the stored times, and the threads of the CPU.
        notes: gets the sources of the figures.
    """

    def __init__(
        self, graphs: Sequence[BoundGraph], state: Sequence[Array], settings: Settings, notes: list[str]
    ) -> None:
        self._graphs = graphs
        self._state = state
        self._settings = settings
        self._notes = notes
        self._keys = tensor_keys(graphs)
        self._host: dict[str, float] | None = None

    def of(
        self, delegate: Delegate, claims: Mapping[Kernel, SupportResult | None], models: Sequence[GraphDraft]
    ) -> ModelTimes | None:
        """The times for a delegate; None where it claims nothing, or does not state its claims.

        Args:
            delegate: the delegate whose turn it is.
            claims: its answers.
            models: the graphs with all runs of claimed kernels. The graphs are used up.

        Raises:
            InputError: times are missing, or the stored times belong to another model or device.
        """
        if None in claims.values() or not any(isinstance(claim, Supported) for claim in claims.values()):
            return None
        stored = self._settings.kernel_times
        times = self._estimated(delegate, models) if stored is None else self._stored(stored, delegate)
        return ModelTimes(times, self._keys)

    def _stored(self, stored: KernelTimes | str, delegate: Delegate) -> KernelTimes:
        times = KernelTimes.read(stored) if isinstance(stored, str) else stored
        where = f" '{stored}'" if isinstance(stored, str) else ""
        check_key(times, times_key(self._graphs, delegate, self._settings.threads), where)
        self._notes.append(f"Placement by gain for '{delegate.name}' with stored times{where}: {times.source}.")
        return times

    def _estimated(self, delegate: Delegate, models: Sequence[GraphDraft]) -> KernelTimes:
        threads = self._settings.threads
        device = estimate_device(delegate, models, tensors_of(self._graphs))
        if self._host is None:
            self._host = measure_host(self._graphs, self._state, threads, RUNS)
        self._notes.append(
            f"Placement by gain for '{delegate.name}': CPU times were measured now, on this machine, over {RUNS} "
            "predictions with random inputs, and differ from one time to the next; device times are the delegate's "
            "estimates. Stored times ('lite-delegate calibrate') give the same placement each time."
        )
        return KernelTimes(
            key=times_key(self._graphs, delegate, threads),
            host_us=self._host,
            device_us=device.device_us,
            transfer_us={self._keys[t]: us for t, us in device.transfer_us.items() if t in self._keys},
            launch_us=device.launch_us,
        )


def whole_claims(options: PartitionOptions) -> PartitionOptions:
    """The options of which only lists and plans keep claimed kernels off a delegate: for estimates of all kernels."""
    return replace(
        options,
        placement="count",
        min_kernels=None,
        max_subgraphs=None,
        max_kernels_per_subgraph=None,
        connected=False,
    )
