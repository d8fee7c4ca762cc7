"""Messages between the run of a thread and the clocks of simulated devices."""

from __future__ import annotations

from collections.abc import Callable

from ..answers.device_run import DeviceRun
from .spans import current_clock


def simulated_ready_us() -> float:
    """The earliest simulated time at which the run of this thread can ask a device for anything.

    That is the latest end of what devices have done for it, and for the run before it of the same request, on whichever
    device: simulated clocks all began at once. What the host does in between takes no simulated time. 0 where there is
    no request.
    """
    ready: float = getattr(current_clock(), "simulated_us", 0.0)
    return ready


def tell_device_run(made: Callable[[], DeviceRun]) -> None:
    """Tells the request whose run this thread computes when a graph kernel ran on its simulated device.

    Args:
        made: gives the times; called where there is a request.
    """
    add: Callable[[DeviceRun], None] | None = getattr(current_clock(), "add_device_run", None)
    if add is not None:
        add(made())
