"""Performance counters: the cost of each step of a program, for people and tools. All are estimates of the cost
model.
"""

from __future__ import annotations

from ...basics.data_class import dataclass


@dataclass(frozen=True, slots=True)
class PerformanceCounter:
    """The cost of one step.

    Attributes:
        name: the step's name, unique within its program; ``NAME@soc=M/N`` for a tile.
        instruction: the instruction's name; ``CopyIn`` and ``CopyOut`` between host and device, ``Wait`` for input.
        layers: names of the model's kernels that it stands for.
        estimated_start_us: microseconds from the start of the program, launch left out.
        estimated_cycles: its duration.
        estimated_dma_wait: cycles for which its compute tiles waited for transfers.
        estimated_bytes: the bytes that DMA engines move for it.
    """

    name: str
    instruction: str
    layers: tuple[str, ...]
    estimated_start_us: float
    estimated_cycles: int
    estimated_dma_wait: int
    estimated_bytes: int
