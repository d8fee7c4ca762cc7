"""The command queue of the simulated device, and the clock beside it."""

from .clock import Clock, engines_for
from .commands import Command, CommandList, Engine
from .device_runs import device_run
from .queue import DeviceQueue, Ticket
from .reservation import Reservation, reserve, reserved_part
from .times import CommandTimes, RunTimes, Utilization

__all__ = [
    "Clock",
    "Command",
    "CommandList",
    "CommandTimes",
    "DeviceQueue",
    "Engine",
    "Reservation",
    "RunTimes",
    "Ticket",
    "Utilization",
    "device_run",
    "engines_for",
    "reserve",
    "reserved_part",
]
