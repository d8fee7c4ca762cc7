"""PlanUse: where the plan of a run came from, for a model with open dimensions."""

from __future__ import annotations

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class PlanUse:
    """The plan of one run.

    Attributes:
        shapes: of the inputs, that it is for; (-1,) for strings.
        padded: the shapes that the inputs had before they were padded; () where they were not.
        reason: why they were not, where the plan would have been one for a size that others can use; "" otherwise.
        made_ns: how long making it took, or waiting for others that were made; None where it was there.
    """

    shapes: tuple[tuple[int, ...], ...]
    made_ns: int | None = None
    padded: tuple[tuple[int, ...], ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        had = self.made_ns
        padded = f", padded from {_text(self.padded)}" if self.padded else ""
        kept = f" (not padded: {self.reason})" if self.reason else ""
        made = "reused" if had is None else f"made in {had / 1e6:.3f} ms"
        return f"plan for {_text(self.shapes)}{padded}{kept}: {made}"


def _text(shapes: tuple[tuple[int, ...], ...]) -> str:
    return ", ".join(str(list(shape)) for shape in shapes)
