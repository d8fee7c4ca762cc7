"""The command list of one run of a program, by its estimated cost."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapreplace

from ..cost import ProgramCost
from ..ir.target import Target
from ..queue import Command, CommandList, Engine, engines_for


def commands_of(cost: ProgramCost, target: Target, dma_engines: int) -> CommandList:
    """An upload for each input, the computation once all are there, a download for each output.

    Transfers inside of the program count as computing. A run that has the device for itself takes ``estimated_us``.

    Args:
        cost: of the program.
        target: what it was compiled for.
        dma_engines: of the device.
    """
    crossings = [(e.opcode, cost.us(e.cycles), e.nbytes) for e in cost.events if e.opcode in ("CopyIn", "CopyOut")]
    uploads = [Command(Engine.UPLOAD, us, nbytes=n) for opcode, us, n in crossings if opcode == "CopyIn"]
    count = len(uploads)
    downloads = [Command(Engine.DOWNLOAD, us, (count,), nbytes=n) for opcode, us, n in crossings if opcode == "CopyOut"]
    engines = engines_for(dma_engines)
    transfers = _together(uploads, engines[Engine.UPLOAD]) + _together(downloads, engines[Engine.DOWNLOAD])
    computing = Command(Engine.COMPUTE, max(0.0, cost.estimated_us - transfers), tuple(range(count)), target.share)
    return CommandList((*uploads, computing, *downloads), target.rank)


def _together(transfers: Sequence[Command], engines: range) -> float:
    """How long transfers of one direction take, in order, each on the engine that is free first."""
    free = [0.0] * len(engines)
    for transfer in transfers:
        heapreplace(free, free[0] + transfer.us)
    return max(free)
