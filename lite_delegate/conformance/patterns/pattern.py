"""Pattern: a chain that a delegate is judged on, and the error that its outputs are granted."""

from __future__ import annotations

from dataclasses import replace

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief
from ..judging.chain import Chain
from ..reports.defects import Defect


@dataclass(frozen=True, slots=True, eq=False)
class Pattern(Brief):
    """A chain of nodes with data. The reference kernels, one after another, give the expected outputs.

    Attributes:
        family: what it belongs to ("conv + activation").
        chain: the nodes and their data.
        steps: granted to 8-bit outputs, where the operators themselves are granted one.
        tells: what is wrong where it fails and nothing else explains it: it is there to find that.
    """

    family: str
    chain: Chain
    steps: int = 0
    tells: Defect | None = None

    @property
    def op_type(self) -> str:
        """The family, where a case has its operator."""
        return self.family

    @property
    def name(self) -> str:
        """The chain's name."""
        return self.chain.name

    @property
    def id(self) -> str:
        """The pattern's name in a list."""
        return f"{self.family}-{self.name}"

    @property
    def operators(self) -> frozenset[str]:
        """The operator types of its nodes."""
        return frozenset(node.op_type for node in self.chain.nodes)

    def with_chain(self, chain: Chain) -> Pattern:
        """The pattern with another chain."""
        return replace(self, chain=chain)
