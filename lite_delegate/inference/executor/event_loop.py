"""The wait of an event loop for the end of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from .completion import Completion


async def run_over(completion: Completion, cancel: Callable[[], object]) -> None:
    """Waits for the end of a run without blocking the event loop.

    Args:
        completion: of the run.
        cancel: asks the run to end. A waiting task that is cancelled calls ``cancel``, and goes on when the run has
            ended.
    """
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    completion.when_over(partial(_tell, loop, over))
    try:
        await asyncio.wait([over])
    except BaseException as e:
        cancel()
        while isinstance(e, asyncio.CancelledError) and not over.done():
            try:
                await asyncio.wait([over])
            except asyncio.CancelledError:  # the run has been asked to end already
                continue
        raise


def _tell(loop: asyncio.AbstractEventLoop, over: asyncio.Future[None]) -> None:
    """Wakes the event loop from the thread that ended the run; a closed loop has no waiting task."""
    try:
        loop.call_soon_threadsafe(_set, over)
    except RuntimeError:
        return


def _set(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)
