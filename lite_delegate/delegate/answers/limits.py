"""DelegateLimits: limits of a device that a model can be rewritten for before its kernels are claimed."""

from __future__ import annotations

from collections.abc import Collection

from ...basics.data_class import dataclass
from ...basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class DelegateLimits(Brief):
    """Limits that hold for all operators of a device; None, the default, is an unknown limit.

    Where a model exceeds the limits and an equal form of it does not, the delegate is asked about that form, see
    ``Delegate.limits``.

    Attributes:
        max_rank: the most dimensions of a tensor, 1 or more.
        permutations: the only permutations that Transpose takes, each as its constant input has it; None for all
            permutations of up to ``max_rank`` axes.

    Raises:
        ValueError: ``max_rank`` is below 1, or an entry of ``permutations`` is no permutation.
    """

    max_rank: int | None = None
    permutations: Collection[tuple[int, ...]] | None = None

    def __post_init__(self) -> None:
        if self.max_rank is not None and self.max_rank < 1:
            raise ValueError(f"max_rank must be at least 1, or None for no limit, got {self.max_rank}.")
        if self.permutations is None:
            return
        object.__setattr__(self, "permutations", frozenset(tuple(axes) for axes in self.permutations))
        for axes in self.permutations:
            if sorted(axes) != list(range(len(axes))):
                raise ValueError(f"permutations must name each axis from 0 on once, got {axes}.")

    @property
    def are_known(self) -> bool:
        """True where a limit is known."""
        return self.max_rank is not None or self.permutations is not None

    def allows_rank(self, rank: int) -> bool:
        """True for a tensor of as many dimensions."""
        return self.max_rank is None or rank <= self.max_rank

    def allows(self, permutation: tuple[int, ...]) -> bool:
        """True for a Transpose with this permutation."""
        return self.allows_rank(len(permutation)) and (self.permutations is None or permutation in self.permutations)
