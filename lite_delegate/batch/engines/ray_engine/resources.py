"""WorkerResources: the share of a machine that a worker takes, in Ray's names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from ....basics.data_class import dataclass
from ....errors import InputError

CPU, GPU = "CPU", "GPU"
PLACE_SECONDS = 60.0
"""Seconds that Ray has to start the first worker, where nobody says another time."""


@dataclass(frozen=True, slots=True)
class WorkerResources:
    """The share of a machine that a worker takes.

    Attributes:
        amounts: by the name of the resource: ``CPU``, ``GPU``, or a name that a node was started with.
    """

    amounts: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> WorkerResources:
        """The resources of a text such as "CPU=2,GPU=0.5,npu=1".

        Raises:
            InputError: the text is no such list.
        """
        found: dict[str, float] = {}
        for each in filter(None, text.split(",")):
            name, _, amount = each.strip().partition("=")
            try:
                found[name] = float(amount)
            except ValueError:
                found[name] = -1.0
            if not name or not 0 <= found[name] < float("inf"):
                raise InputError(f"--resources must be NAME=NUMBER with commas between, got '{each}'.")
        return cls(found)

    def with_cpus(self, cpus: float) -> WorkerResources:
        """These resources, with a number of CPUs where they say none."""
        return WorkerResources({CPU: cpus, **self.amounts})

    @property
    def options(self) -> dict[str, Any]:
        """The options of an actor of Ray."""
        custom = {name: amount for name, amount in self.amounts.items() if name not in (CPU, GPU)}
        return {
            "num_cpus": self.amounts.get(CPU, 1.0),
            "num_gpus": self.amounts.get(GPU, 0.0),
            "resources": custom,
        }

    @property
    def text(self) -> str:
        """The resources in words: "CPU 2, npu 1"."""
        return _listed(self.amounts)

    def places(self, nodes: Iterable[Mapping[str, float]]) -> int:
        """The workers that nodes have room for.

        Args:
            nodes: the resources of each node.
        """
        wanted = {name: amount for name, amount in self.amounts.items() if amount > 0}
        if not wanted:
            return 1
        return sum(min(int(node.get(name, 0.0) / amount + 1e-9) for name, amount in wanted.items()) for node in nodes)

    def why_no_place(self, nodes: Iterable[Mapping[str, float]], free: Mapping[str, float], seconds: float) -> str:
        """Why Ray started no worker, in words.

        Args:
            nodes: the resources of each node.
            free: the resources of the cluster that nobody holds.
            seconds: that the worker waited.
        """
        nodes = list(nodes)
        most = {name: max((node.get(name, 0.0) for node in nodes), default=0.0) for name in self.amounts}
        if self.places(nodes):
            reason = f"others hold them: free in the whole cluster are {_listed({n: free.get(n, 0.0) for n in most})}"
        else:
            reason = f"no node has them: the most that one node has is {_listed(most)}"
        return f"Ray had no place for a worker with {self.text} in {seconds:g} s; {reason}"


def _listed(amounts: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {amount:g}" for name, amount in amounts.items())
