"""CompileJob: a compilation in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import copy_context
from threading import RLock
from typing import Any, Generic, NoReturn, SupportsIndex, TypeVar

from ...basics.forking import stays_here
from ...basics.words.one_line import OneLine
from ...delegate import CancelToken, reset_token, set_token
from ...delegate.calls.progress import Progress, telling
from ...errors import RequestCancelled
from ..executor.completion import Completion
from ..executor.executor import Executor
from ..executor.finalizer import cancel_when_gone

T = TypeVar("T")
PASSES = 0.4
"""The share of the progress that the passes over the whole model have; planning has the rest."""


class CompileJob(OneLine, Generic[T]):
    """A compilation under way, made by ``Core.compile_model_async``. A job can be awaited in any event loop.

    The compilation is cancelled when its job is garbage-collected before the end.

    Args:
        work: compiles, with the context variables of the caller.
        discard: gives a result back that was complete before the cancellation took effect.
    """

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object]) -> None:
        self._compilation = _Compilation(work, discard)
        self._executor = Executor(1)
        cancel_when_gone(self, self._compilation.cancel)
        self._executor.submit(self._compilation)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: a thread of its process compiles."""
        stays_here(self, "pickle its result(), a CompiledModel")

    @property
    def progress(self) -> float:
        """The progress of the compilation from 0 to 1, which never falls; 1 with the result."""
        return self._compilation.progress.fraction

    @property
    def is_done(self) -> bool:
        """Whether the compilation has ended: with a result, with an error, or by cancellation."""
        return self._compilation.completion.is_over

    def cancel(self) -> bool:
        """Asks the compilation to end before its next pass or kernel, and does not wait for the end.

        Returns:
            True exactly if the job will have no result: ``result`` raises RequestCancelled.
        """
        return self._compilation.cancel()

    def result(self, timeout: float | None = None) -> T:
        """The result of the compilation; waits for its end.

        Args:
            timeout: seconds to wait at most; None: without limit.

        Raises:
            TimeoutError: the compilation is still under way.
            RequestCancelled: the compilation was cancelled.
            LiteDelegateError: the compilation failed with this error.
        """
        if not self._compilation.completion.wait(timeout):
            raise TimeoutError(f"The compilation is still under way after {timeout} s.")
        return self._compilation.result()

    def __await__(self) -> Generator[Any, None, T]:
        """Waits for the result without blocking the event loop. A task that is cancelled cancels the compilation."""
        return self._awaited().__await__()

    async def _awaited(self) -> T:
        from ..executor.event_loop import run_over  # asyncio is loaded only where the job is awaited

        await run_over(self._compilation.completion, self.cancel)
        return self._compilation.result()

    def _line(self) -> str:
        return "done" if self.is_done else f"{self.progress:.0%}"


class _Compilation(Generic[T]):
    """The compilation as its worker has it; the worker holds no reference to the user's job."""

    def __init__(self, work: Callable[[], T], discard: Callable[[T], object]) -> None:
        self._work: Callable[[], T] | None = work
        self._discard = discard
        self._context = copy_context()
        self._token = CancelToken()
        self._lock = RLock()  # the garbage collector may cancel the compilation at any point of any thread
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
        """The result; raises the error of the compilation."""
        self.completion.check()
        return self._made[0]
