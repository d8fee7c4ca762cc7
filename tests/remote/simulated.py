"""A simulated device whose queue and memory a test can look at, behind a Core."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.networks import NetBuilder
from lite_delegate import Core
from lite_delegate.ir import Graph
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.device import Capacity, Device
from lite_delegate.npu.queue import Command, CommandList, Engine, Ticket

SHAPE = (1, 16, 16, 8)


class Bench:
    """A Core with the device "SIM".

    Attributes:
        core: it.
        device: what is behind "SIM".
        commands: what was submitted to its queue, list by list.
    """

    def __init__(self, dram: int | None = None, profile: str = "npu3720") -> None:
        self.core = Core()
        self.device = Device(memory=Capacity(dram=dram))
        self.commands: list[tuple[Command, ...]] = []
        submit = self.device.queue.submit

        def noting(commands: CommandList, ready_us: float = 0.0) -> Ticket:
            self.commands.append(commands.commands)
            return submit(commands, ready_us)

        self.device.queue.submit = noting  # type: ignore[method-assign]

        def made(options: Mapping[str, object]) -> NPUDelegate:
            return NPUDelegate(profile, device=self.device, options=options)

        self.core.register_device("SIM", made)

    def crossed(self) -> list[dict[Engine, int]]:
        """The bytes that each command list brought to the device and back, since this was asked last."""
        found = [
            {
                engine: sum(c.nbytes for c in commands if c.engine is engine)
                for engine in (Engine.UPLOAD, Engine.DOWNLOAD)
            }
            for commands in self.commands
        ]
        self.commands.clear()
        return found


def net(channels: int = 16, name: str = "net") -> Graph:
    """Two convolutions that keep the shape."""
    builder = NetBuilder(name, SHAPE, fused=True)
    return builder.graph(builder.conv(builder.conv(builder.input, channels, 3), SHAPE[3], 3))


def numbers(seed: int, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
