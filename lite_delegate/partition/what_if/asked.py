"""The answers of delegates for the nodes of a graph, as records keep them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace

from ...basics.data_class import dataclass
from ...delegate import RejectCode
from ..graph import PartitionGraph
from ..placement import PlacementTimes


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a rejection beside its code.

    Attributes:
        rule: the limit without the value found, "" where the delegate does not say.
        dtype: the name of the element type that is not taken, "" for other causes.
        wants_shapes: whether the node only computes shapes, or is rejected because a shape is not known.
    """

    rule: str = ""
    dtype: str = ""
    wants_shapes: bool = False


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of one delegate for the nodes of a graph.

    Attributes:
        delegate: its name.
        claimed: the nodes that it claims and can make graph kernels of.
        rejected: the nodes that it rejects, each with the code; nodes that no delegate is asked for are left out.
        times: the times for placement by gain, None without it.
        causes: further facts about rejections; a node may have none.
        estimates: estimated times where placement is not by gain; None where the delegate does not estimate.
    """

    delegate: str
    claimed: frozenset[int]
    rejected: Mapping[int, RejectCode]
    times: PlacementTimes | None = None
    causes: Mapping[int, Cause] = field(default_factory=dict, hash=False)
    estimates: PlacementTimes | None = None

    @property
    def known_times(self) -> PlacementTimes | None:
        """The times of placement by gain, or else the estimates."""
        return self.estimates if self.times is None else self.times

    @property
    def device_ratio(self) -> float | None:
        """The time of the nodes it claims on its device, as a share of that on the CPU: the median.

        None without times, or where no claimed node takes any time on the CPU.
        """
        if self.known_times is None:
            return None
        host, device = self.known_times.host_us, self.known_times.device_us
        ratios = [device[v] / host[v] for v in sorted(self.claimed) if 0 < host[v] < float("inf")]
        from statistics import median  # loads decimal and random: not with every import of ours

        return median(ratios) if ratios else None

    def supposing(self, more: Collection[int]) -> Answers:
        """The answers with more claims. The times of the new claims on the device are their times on the CPU times
        ``device_ratio``.

        Without such a ratio the times equal the times on the CPU.
        """
        if not more:
            return self
        return replace(
            self,
            claimed=self.claimed.union(more),
            times=self._supposing(self.times, more),
            estimates=self._supposing(self.estimates, more),
        )

    def _supposing(self, times: PlacementTimes | None, more: Collection[int]) -> PlacementTimes | None:
        if times is None:
            return None
        ratio, device = self.device_ratio, list(times.device_us)
        for node in more:
            device[node] = times.host_us[node] * (1.0 if ratio is None else ratio)
        return replace(times, device_us=tuple(device))


@dataclass(frozen=True, slots=True)
class AskedGraph:
    """A graph, and each delegate's answers for it.

    Attributes:
        graph: nodes, edges, tensors, names and types; its claims do not count.
        answers: the answers of the delegates, in order of preference.
    """

    graph: PartitionGraph
    answers: tuple[Answers, ...]
