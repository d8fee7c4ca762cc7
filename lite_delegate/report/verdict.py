"""Verdict: whether delegating pays, by the times of the CPU alone and of the model as it is split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief
from ..runtime.records import AlternativeRecord, DelegateRecord, NodeRecord, SubgraphRecord
from ..runtime.records.records import CPU

SURE_ESTIMATED = 2.0
"""How many times as fast, or as slow, estimates must say before they are believed: they may be off by as much."""
SURE_MEASURED = 1.1
"""The same where times were measured on both sides."""


class Pays(StrEnum):
    """Whether the model is faster with its delegates."""

    YES = "yes"
    MAYBE = "maybe"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Verdict(Brief):
    """The gain of delegating, in microseconds of a prediction, one kernel after the other.

    Attributes:
        pays: whether it is faster; MAYBE where the figures are too close for what they are, or one is missing.
        host_us: all on the CPU.
        delegated_us: of these, what the delegates take over.
        device_us: what that takes on their devices, with transfers and starts; None where one does not say.
        together_us: the model as it is split; None where the devices' part is not known.
        source: where the figures come from, for people.
    """

    pays: Pays
    host_us: float
    delegated_us: float
    device_us: float | None
    together_us: float | None
    source: str

    @property
    def share(self) -> float:
        """The part of the CPU's time that the delegates take over, 0 to 1."""
        return self.delegated_us / self.host_us if self.host_us else 0.0

    @property
    def short(self) -> str:
        """The verdict in a few words."""
        if self.together_us is None:
            return f"{self.pays} (the device's times are not known)"
        return f"{self.pays}, {_ratio(self.host_us, self.together_us)}"

    @property
    def text(self) -> str:
        """The verdict in one sentence."""
        taken = f"{self.share:.0%} of the CPU's {self.host_us:,.0f} us are delegated"
        if self.device_us is None or self.together_us is None:
            return f"{self.pays}: {taken}; the delegate does not say how long its device takes for them ({self.source})"
        return (
            f"{self.pays}: {taken}, and take {self.device_us:,.0f} us there with transfers: {self.together_us:,.0f} us "
            f"in all, {_ratio(self.host_us, self.together_us)} ({self.source})"
        )


def _ratio(host: float, together: float) -> str:
    if together <= host:
        return f"{host / together:.1f} times as fast as the CPU alone" if together else "nothing against the CPU alone"
    return f"taking {together / host:.1f} times as long as the CPU alone" if host else "more than nothing"


def verdict_of(
    nodes: Sequence[NodeRecord],
    subgraphs: Sequence[SubgraphRecord],
    delegates: Sequence[DelegateRecord],
    alternatives: Sequence[AlternativeRecord] = (),
) -> Verdict | None:
    """The verdict on a partition; None where nothing is delegated, or times on the CPU are not known."""
    times = [node.host_us for node in nodes]
    if not subgraphs or not all(us is not None and math.isfinite(us) for us in times):
        return None
    host = sum(us for us in times if us is not None)
    delegated = sum(node.host_us or 0.0 for node in nodes if node.subgraph is not None)
    chosen_us = next((each.measured_us for each in alternatives if each.chosen), None)
    if chosen_us is not None:
        return _of_fastest(chosen_us, alternatives, host, delegated / host if host else 0.0)
    placements = [each.placement for each in delegates if each.placement is not None]
    if len(placements) == 1 and len(delegates) == 1:
        placed = placements[0]
        device = max(0.0, placed.chosen_us - (host - delegated))
        sure = SURE_MEASURED if (placed.host_source, placed.device_source) == ("measured",) * 2 else SURE_ESTIMATED
        return _verdict(host, delegated, device, sure, placed.source)
    estimates = [each.estimated_us for each in subgraphs]
    known = [us for us in estimates if us is not None and math.isfinite(us)]
    device_us = sum(known) if len(known) == len(estimates) else None
    source = "CPU times are measured" if placements else "CPU times are rough estimates from shapes"
    if device_us is not None:
        source += ", the device's the delegate's estimates"
    return _verdict(host, delegated, device_us, SURE_ESTIMATED, source)


def _of_fastest(chosen_us: float, alternatives: Sequence[AlternativeRecord], host_us: float, share: float) -> Verdict:
    """The verdict on the plan that was measured to be the fastest: on the CPU's, where that was measured too."""
    cpu = next((each for each in alternatives if each.plan == CPU), None)
    host, sure, source = host_us, SURE_ESTIMATED, "measured; CPU times are rough estimates from shapes"
    if cpu is not None and cpu.measured_us is not None:
        host, sure, source = cpu.measured_us, SURE_MEASURED, "all measured"
    elif cpu is not None and cpu.given_up_us is not None:
        host, sure, source = cpu.given_up_us, SURE_MEASURED, "measured; the CPU was given up after as long"
    return _verdict(host, share * host, max(0.0, chosen_us - (1.0 - share) * host), sure, source)


def _verdict(host: float, delegated: float, device: float | None, sure: float, source: str) -> Verdict:
    if device is None:
        return Verdict(Pays.MAYBE, host, delegated, None, None, source)
    together = host - delegated + device
    pays = Pays.MAYBE
    if together * sure <= host:
        pays = Pays.YES
    elif together >= host * sure:
        pays = Pays.NO
    return Verdict(pays, host, delegated, device, together, source)
