"""Messages between the run of a thread and the clocks of simulated devices."""

from __future__ import annotations

from collections.abc import Callable

from ..answers.device_run import DeviceRun
from .spans import current_clock


def simulated_ready_us() -> float:
    """The earliest simulated time at which the run of this thread can use a device.

    The time is the latest end of the device runs of this run, and of the run before it of the same request, on any
    device: all simulated clocks began at once. The host's work in between takes no simulated time. 0 without a request.
    """
    ready: float = getattr(current_clock(), "simulated_us", 0.0)
    return ready


def tell_device_run(made: Callable[[], DeviceRun]) -> None:
    """Tells the request whose run this thread computes when a graph kernel ran on its simulated device.

    Args:
        made: gives the times; called where the thread has a request.
    """
    add: Callable[[DeviceRun], None] | None = getattr(current_clock(), "add_device_run", None)
    if add is not None:
        add(made())
