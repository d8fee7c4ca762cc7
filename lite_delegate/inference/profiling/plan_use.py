"""PlanUse: the plan of one run of a model with open dimensions: new or reused, padded or not."""

from __future__ import annotations

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class PlanUse:
    """The plan of one run.

    Attributes:
        shapes: of the plan's inputs; (-1,) for strings.
        padded: the shapes of the inputs before padding; () for inputs without padding.
        reason: why the inputs were not padded to a size that several runs can share; "" otherwise.
        made_ns: the time of planning, or of waiting for other threads' planning; None for a plan that existed.
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
