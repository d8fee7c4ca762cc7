"""CompileJob: something long, a compilation as a rule, that goes on in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import copy_context
from threading import RLock
from typing import Any, Generic, TypeVar

from ...delegate import CancelToken, reset_token, set_token
from ...delegate.calls.progress import Progress, telling
from ...errors import RequestCancelled
from ..executor.completion import Completion
from ..executor.executor import Executor
from ..executor.finalizer import cancel_when_gone

T = TypeVar("T")
PASSES = 0.4
"""The part of a compilation that the passes over the whole model are taken for; planning is the rest."""


class CompileJob(Generic[T]):
    """A compilation that is under way: ``Core.compile_model_async`` gives it. It can be awaited, in any event loop.

    Letting it go before its end cancels it.

    Args:
        work: what is done, with the context variables of whoever makes this.
        discard: gives back what was made where it was cancelled too late to be left out.
    """

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object]) -> None:
        self._compilation = _Compilation(work, discard)
        self._executor = Executor(1)
        cancel_when_gone(self, self._compilation.cancel)
        self._executor.submit(self._compilation)

    @property
    def progress(self) -> float:
        """How far it has come, from 0 to 1; 1 once the result is there. It never falls."""
        return self._compilation.progress.fraction

    @property
    def is_done(self) -> bool:
        """Whether it has ended: with a result, an error, or because it was cancelled."""
        return self._compilation.completion.is_over

    def cancel(self) -> bool:
        """Asks it to end, without waiting, which it does between two passes or kernels.

        Returns:
            True exactly if there will be no result: ``result`` raises RequestCancelled.
        """
        return self._compilation.cancel()

    def result(self, timeout: float | None = None) -> T:
        """What was compiled, after waiting for it.

        Args:
            timeout: seconds to wait at most; None: without limit.

        Raises:
            TimeoutError: it is still under way.
            RequestCancelled: it was cancelled.
            LiteDelegateError: what it failed with.
        """
        if not self._compilation.completion.wait(timeout):
            raise TimeoutError(f"The compilation is still under way after {timeout} s.")
        return self._compilation.result()

    def __await__(self) -> Generator[Any, None, T]:
        """Waits for the result without blocking the event loop. A task that is cancelled cancels the compilation."""
        return self._awaited().__await__()

    async def _awaited(self) -> T:
        from ..executor.event_loop import run_over  # asyncio is loaded where it is needed

        await run_over(self._compilation.completion, self.cancel)
        return self._compilation.result()


class _Compilation(Generic[T]):
    """What a worker does, apart from the user's object so that it does not keep that."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object]) -> None:
        self._work: Callable[[], T] | None = work
        self._discard = discard
        self._context = copy_context()
        self._token = CancelToken()
        self._lock = RLock()  # the garbage collector may cancel it, at any point of any thread
        self._made: list[T] = []
        self._has_ended = False
        self.progress = Progress()
        self.completion = Completion()

    def __call__(self) -> None:
        try:
            self._context.run(self._compile)
        except BaseException as e:  # ends neither the worker nor the process
            error = e if isinstance(e, Exception) else RuntimeError(f"The compilation ended by {type(e).__name__}.")
            with self._lock:
                if self._token.is_cancelled:
                    error = RequestCancelled("The compilation was cancelled.")
                    error.__cause__ = e
                self._has_ended = True
            self.completion.finish(error, is_known=False)
        else:
            self.progress.tell(1, 1)
            self.completion.finish(None, is_known=True)
        finally:
            self._work = None

    def _compile(self) -> None:
        before = set_token(self._token)
        assert self._work is not None
        try:
            with telling(self.progress), self.progress.part(0, PASSES):
                made = self._work()
        finally:
            reset_token(before)
        with self._lock:
            if not self._token.is_cancelled:
                self._made, self._has_ended = [made], True
                return
        self._discard(made)
        self._token.check()

    def cancel(self) -> bool:
        """See ``CompileJob.cancel``."""
        with self._lock:
            if self._has_ended:
                return False
            self._token.mark()
        self._token.cancel()
        return True

    def result(self) -> T:
        """What was made; raises what went wrong."""
        self.completion.check()
        return self._made[0]
