"""Command lists: the commands of one run for the device, and their durations."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from fractions import Fraction

from ...basics.data_class import dataclass


class Engine(StrEnum):
    """The engine of a command: transfers take a DMA engine, computing takes compute tiles."""

    UPLOAD = "upload"
    COMPUTE = "compute"
    DOWNLOAD = "download"


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        engine: the engine that it occupies.
        us: its simulated duration in microseconds, 0 or more.
        after: the earlier commands of its list, by number, that have to end first.
        share: the share of the compute tiles, more than 0 and 1 for all; without meaning for transfers.
        nbytes: the bytes that cross between host and device.

    Raises:
        ValueError: a duration below 0, or a share that is not within (0, 1].
    """

    engine: Engine
    us: float
    after: tuple[int, ...] = ()
    share: Fraction = Fraction(1)
    nbytes: int = 0

    def __post_init__(self) -> None:
        if not self.us >= 0:
            raise ValueError(f"A command takes 0 us or more, got {self.us}.")
        if not 0 < self.share <= 1:
            raise ValueError(f"A command takes a share within (0, 1] of the tiles, got {self.share}.")


@dataclass(frozen=True, slots=True)
class CommandList:
    """The commands of one run.

    Attributes:
        commands: the commands, each before the commands that wait for it.
        priority: higher priorities come first among commands that wait for an engine; running commands go on.
        is_staged: uploads that wait for no command, then one computation, then downloads that wait for it.

    Raises:
        ValueError: a command waits for a command that is not before it.
    """

    commands: tuple[Command, ...]
    priority: int = 0
    is_staged: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        for number, command in enumerate(self.commands):
            if not all(0 <= earlier < number for earlier in command.after):
                raise ValueError(f"Command {number} must wait for commands before it, got {command.after}.")
        object.__setattr__(self, "is_staged", _is_staged(self.commands))


def _is_staged(commands: tuple[Command, ...]) -> bool:
    engines = [command.engine for command in commands]
    if engines.count(Engine.COMPUTE) != 1:
        return False
    middle = engines.index(Engine.COMPUTE)
    before, behind = commands[:middle], commands[middle + 1 :]
    return all(c.engine is Engine.UPLOAD and not c.after for c in before) and all(
        c.engine is Engine.DOWNLOAD and c.after == (middle,) for c in behind
    )
