"""The numbers of a report that can be compared and required: one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...basics.data_class import dataclass
from ..partition_data import PartitionData


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a report.

    Attributes:
        name: its key in the JSON; "subgraphs" is the number of them.
        label: for people.
        of: the number of one report; None where it is not known.
        format: how it is written, with ``str.format``.
        is_estimate: whether it is estimated rather than counted.
        better: 1 where more is better, -1 where less is, 0 where neither is by itself.
    """

    name: str
    label: str
    of: Callable[[PartitionData], float | None]
    format: str = "{:,}"
    is_estimate: bool = False
    better: int = 0

    def text(self, value: float | None) -> str:
        """A value of it for people."""
        return "not known" if value is None else self.format.format(value)


_ALL = (
    Metric("coverage", "delegated share of the kernels", lambda r: r.coverage, "{:.4g}", better=1),
    Metric("kernels_total", "kernels", lambda r: r.kernels_total),
    Metric("kernels_delegated", "delegated kernels", lambda r: r.kernels_delegated, better=1),
    Metric("subgraphs", "subgraphs", lambda r: len(r.subgraphs), better=-1),
    Metric("minimum_subgraphs", "fewest possible subgraphs", lambda r: r.minimum_subgraphs),
    Metric("boundary_bytes", "boundary bytes per prediction", lambda r: r.boundary_bytes, better=-1),
    Metric(
        "estimated_us",
        "us per prediction in subgraphs (an estimate, not measured)",
        lambda r: r.estimated_us,
        "{:,.1f}",
        is_estimate=True,
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
"""By name, in the order in which they are shown."""
