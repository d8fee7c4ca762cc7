"""Options of the partitioner. In every limit None means no limit, and 0 allows nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief

COUNT = "count"
COST = "cost"
FASTEST = "fastest"
PLACEMENTS = (COUNT, COST, FASTEST)
LIMITS = ("min_kernels", "max_subgraphs", "max_kernels_per_subgraph", "repair_tries", "calibration_ms")


@dataclass(frozen=True, slots=True)
class PartitionOptions(Brief):
    """Options of the split of a model between delegates and the CPU.

    Attributes:
        placement: "count": the delegate gets all claimed nodes, in the fewest subgraphs. "cost": it keeps only the
            nodes that pay, by estimates or measurements. "fastest": plans are made with each delegate, with pairs and
            mixtures of delegates and without any, and the plan with the shortest measured time stays.
        min_kernels: subgraphs of fewer kernels go to the CPU, where no other order makes them larger.
        max_subgraphs: the most subgraphs of a graph; the largest (with "cost": the most gainful) subgraphs stay.
        max_kernels_per_subgraph: larger subgraphs are split.
        connected: whether a subgraph is split into the parts that no dependency and no group connects.
        allow_types: operator types that delegates may take; None for all.
        deny_types: operator types that stay on the CPU.
        allow_names: names of nodes that delegates may take; None for all.
        deny_names: names of nodes that stay on the CPU.
        affinity: the user's own plan: the name of a delegate, or "CPU", by the name of a node. The plan is met exactly,
            or building the model fails with the reason.
        groups: names of nodes that stay on one device, in one subgraph; each group whole or not at all.
        repair_tries: the most parts of subgraphs that do not compile to try, for each delegate and graph of the model,
            to find the nodes that are to blame. 0: all nodes of such a subgraph go to the CPU. Where no single node is
            to blame, the parts that compile stay, even parts that ``connected`` would split further.
        calibration_ms: with "fastest": the milliseconds for further plans once each delegate alone has a plan; a plan
            that is expected to take longer than the remaining time is not begun.

    Lists may be given as any collections of str; they become frozen sets. The plan is copied.

    Raises:
        TypeError: a value of the wrong type.
        ValueError: a limit below 0, or an unknown placement.
    """

    placement: str = COUNT
    min_kernels: int | None = None
    max_subgraphs: int | None = None
    max_kernels_per_subgraph: int | None = None
    connected: bool = False
    allow_types: Collection[str] | None = None
    deny_types: Collection[str] = frozenset()
    allow_names: Collection[str] | None = None
    deny_names: Collection[str] = frozenset()
    affinity: Mapping[str, str] = field(default_factory=dict, hash=False)
    groups: Sequence[Collection[str]] = ()
    repair_tries: int | None = 32
    calibration_ms: int | None = 400

    def __post_init__(self) -> None:
        _check_type("placement", self.placement, str)
        if self.placement not in PLACEMENTS:
            raise ValueError(f"placement must be one of {', '.join(map(repr, PLACEMENTS))}, got {self.placement!r}.")
        for name in LIMITS:
            _check_limit(name, getattr(self, name))
        _check_type("connected", self.connected, bool)
        for name in ("allow_types", "deny_types", "allow_names", "deny_names"):
            value = getattr(self, name)
            if value is not None or name.startswith("deny"):
                object.__setattr__(self, name, _words(name, value))
        object.__setattr__(self, "affinity", _plan(self.affinity))
        object.__setattr__(self, "groups", _frozen_groups(self.groups))


def _check_type(name: str, value: object, expected: type) -> None:
    if not isinstance(value, expected):
        raise TypeError(f"{name} must be {expected.__name__}, got {type(value).__name__} {value!r}.")


def _check_limit(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, or None for no limit, got {type(value).__name__} {value!r}.")
    if value < 0:
        raise ValueError(f"{name} must be at least 0, or None for no limit, got {value}.")


def _words(name: str, value: object) -> frozenset[str]:
    if isinstance(value, str) or not isinstance(value, Collection) or not all(isinstance(word, str) for word in value):
        raise TypeError(f"{name} must be a collection of str, got {value!r}.")
    return frozenset(value)


def _plan(plan: object) -> Mapping[str, str]:
    if not isinstance(plan, Mapping):
        raise TypeError(
            f"affinity must be a mapping of node names to device names, got {type(plan).__name__} {plan!r}."
        )
    for name, device in plan.items():
        if not isinstance(name, str) or not isinstance(device, str):
            raise TypeError(f"affinity must map str to str, got {name!r}: {device!r}.")
    return dict(plan)


def _frozen_groups(groups: Any) -> tuple[frozenset[str], ...]:
    if isinstance(groups, str) or not isinstance(groups, Collection):
        raise TypeError(f"groups must be a collection of collections of str, got {groups!r}.")
    return tuple(_words("a group", group) for group in groups)
