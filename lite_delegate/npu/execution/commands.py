"""The command list of one run of a program, by its estimated cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapreplace

from ..cost import ProgramCost
from ..cost.timeline import Activity, Event
from ..ir.target import Target
from ..queue import Command, CommandList, Engine, engines_for

NOTHING: Collection[int] = frozenset()
MOST_CHUNKS = 64
"""Commands in which one tensor crosses at most."""


def commands_of(
    cost: ProgramCost,
    target: Target,
    dma_engines: int,
    there: Collection[int] = NOTHING,
    kept: Collection[int] = NOTHING,
) -> CommandList:
    """Uploads for each input, the computation once all are there, downloads for each output.

    A tensor crosses in one command, or in several commands of ``TRANSFER_CHUNK`` bytes, between which commands of other
    runs may come. Transfers inside of the program count as computing. A run that has the device for itself takes
    ``estimated_us``. Tensors that stay on the device do not cross; where the program has another order of axes than the
    tensor, the device copies it, which counts as computing.

    Args:
        cost: the cost of the program.
        target: the target that it was compiled for.
        dma_engines: the number of the device's DMA engines.
        there: numbers of inputs of the program that are in the device's memory.
        kept: numbers of outputs that stay in it.
    """
    ups, downs = _crossings(cost, "CopyIn", "input"), _crossings(cost, "CopyOut", "output")
    engines = engines_for(dma_engines)
    usual_us = _together([cost.us(e.cycles) for e in ups.values()], engines[Engine.UPLOAD])
    usual_us += _together([cost.us(e.cycles) for e in downs.values()], engines[Engine.DOWNLOAD])
    inside = [ups[n] for n in there] + [downs[n] for n in kept]
    ordered_us = sum(cost.us(event.cycles) for event in inside if event.activity is Activity.PACKING)
    commands: list[Command] = []
    chunk = target.transfer_chunk
    arrived = [_cross(commands, Engine.UPLOAD, cost, e, chunk) for n, e in ups.items() if n not in there]
    computed = len(commands)
    computing_us = max(0.0, cost.estimated_us - usual_us) + ordered_us
    commands.append(Command(Engine.COMPUTE, computing_us, tuple(arrived), target.share))
    for event in (e for n, e in downs.items() if n not in kept):
        _cross(commands, Engine.DOWNLOAD, cost, event, chunk, (computed,))
    return CommandList(tuple(commands), target.rank)


def _crossings(cost: ProgramCost, opcode: str, side: str) -> dict[int, Event]:
    """The transfers between host and device by number of the input, or output, in the order of their times."""
    return {int(event.name.removeprefix(f"{side} ")): event for event in cost.events if event.opcode == opcode}


def _cross(
    commands: list[Command], engine: Engine, cost: ProgramCost, event: Event, chunk: int, after: tuple[int, ...] = ()
) -> int:
    """Adds the commands in which a tensor crosses, each after the one before; gives the number of the last one."""
    us, left = cost.us(event.cycles), event.nbytes
    count = min(max(-(-left // chunk), 1), MOST_CHUNKS)
    for rest in range(count, 0, -1):
        nbytes = -(-left // rest)
        commands.append(Command(engine, us / count, after, nbytes=nbytes))
        left, after = left - nbytes, (len(commands) - 1,)
    return len(commands) - 1


def _together(transfers: Sequence[float], engines: range) -> float:
    """The time that transfers of one direction take, in order, each on the engine that is free first."""
    free = [0.0] * len(engines)
    for us in transfers:
        heapreplace(free, free[0] + us)
    return max(free)
