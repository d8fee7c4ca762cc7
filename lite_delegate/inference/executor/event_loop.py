"""Awaiting: runs and event loops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from .completion import Completion


async def run_over(completion: Completion, cancel: Callable[[], object]) -> None:
    """Waits for the end of a run without blocking the event loop.

    Args:
        completion: the run's.
        cancel: asks it to end. It is called where the waiting task is cancelled, which goes on when the run has ended.
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
            except asyncio.CancelledError:  # once is enough: it has been cancelled already
                continue
        raise


def _tell(loop: asyncio.AbstractEventLoop, over: asyncio.Future[None]) -> None:
    """Called in the thread that ended the run; nobody is there to be told where the loop is closed."""
    try:
        loop.call_soon_threadsafe(_set, over)
    except RuntimeError:
        return


def _set(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)
