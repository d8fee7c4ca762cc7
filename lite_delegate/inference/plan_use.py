"""PlanUse: where the plan of a run came from, for a model with open dimensions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanUse:
    """The plan of one run.

    Attributes:
        shapes: of the inputs, that it is for; (-1,) for strings.
        made_ns: how long making it took, or waiting for others that were made; None where it was there.
    """

    shapes: tuple[tuple[int, ...], ...]
    made_ns: int | None = None

    def __str__(self) -> str:
        shapes = ", ".join(str(list(shape)) for shape in self.shapes)
        return f"plan for {shapes}: " + ("reused" if self.made_ns is None else f"made in {self.made_ns / 1e6:.3f} ms")
