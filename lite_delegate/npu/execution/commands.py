"""The command list of one run of a program, by its estimated cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapreplace

from ..cost import ProgramCost
from ..cost.timeline import Activity, Event
from ..ir.target import Target
from ..queue import Command, CommandList, Engine, engines_for

NOTHING: Collection[int] = frozenset()


def commands_of(
    cost: ProgramCost,
    target: Target,
    dma_engines: int,
    there: Collection[int] = NOTHING,
    kept: Collection[int] = NOTHING,
) -> CommandList:
    """An upload for each input, the computation once all are there, a download for each output.

    Transfers inside of the program count as computing. A run that has the device for itself takes ``estimated_us``.
    What stays on the device does not cross; where the program has it in another order of axes than the tensor, the
    device copies it, which counts as computing.

    Args:
        cost: of the program.
        target: what it was compiled for.
        dma_engines: of the device.
        there: numbers of inputs of the program that are in the device's memory.
        kept: numbers of outputs that stay in it.
    """
    ups, downs = _crossings(cost, "CopyIn", "input"), _crossings(cost, "CopyOut", "output")
    engines = engines_for(dma_engines)
    usual_us = _together([cost.us(e.cycles) for e in ups.values()], engines[Engine.UPLOAD])
    usual_us += _together([cost.us(e.cycles) for e in downs.values()], engines[Engine.DOWNLOAD])
    inside = [ups[n] for n in there] + [downs[n] for n in kept]
    ordered_us = sum(cost.us(event.cycles) for event in inside if event.activity is Activity.PACKING)
    uploads = [_transfer(Engine.UPLOAD, cost, e) for n, e in ups.items() if n not in there]
    count = len(uploads)
    downloads = [_transfer(Engine.DOWNLOAD, cost, e, (count,)) for n, e in downs.items() if n not in kept]
    computing_us = max(0.0, cost.estimated_us - usual_us) + ordered_us
    computing = Command(Engine.COMPUTE, computing_us, tuple(range(count)), target.share)
    return CommandList((*uploads, computing, *downloads), target.rank)


def _crossings(cost: ProgramCost, opcode: str, side: str) -> dict[int, Event]:
    """The transfers between host and device by number of the input, or output, in the order of their times."""
    return {int(event.name.removeprefix(f"{side} ")): event for event in cost.events if event.opcode == opcode}


def _transfer(engine: Engine, cost: ProgramCost, event: Event, after: tuple[int, ...] = ()) -> Command:
    return Command(engine, cost.us(event.cycles), after, nbytes=event.nbytes)


def _together(transfers: Sequence[float], engines: range) -> float:
    """How long transfers of one direction take, in order, each on the engine that is free first."""
    free = [0.0] * len(engines)
    for us in transfers:
        heapreplace(free, free[0] + us)
    return max(free)
