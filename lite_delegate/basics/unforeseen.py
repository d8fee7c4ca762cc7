"""The one place that handles errors of code on a model that it was not made for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import LimitError, LiteDelegateError, ModelFormatError

FAILURES: tuple[type[Exception], ...] = (Exception, SystemExit)  # type: ignore[assignment]
"""The errors of a delegate's code, all of which are failures of the delegate: its ``sys.exit`` does not end the program
that uses it. A KeyboardInterrupt comes from the user, and goes through. Type checkers see all of them as Exception."""
NO_MEMORY = "there is not enough memory"
"""The text of errors where memory ran out that no check had foreseen."""
_MAX_TEXT = 300


@contextmanager
def rejecting_unforeseen(where: str, *passing: type[Exception]) -> Iterator[None]:
    """Raises ``ModelFormatError`` for every exception that is not ours; that one is its cause.

    Args:
        where: the place, at the start of the message.
        passing: types that go on as they are, beside ``LiteDelegateError``.

    Raises:
        ModelFormatError: something was raised that nobody foresaw.
        LimitError: there was not enough memory.
    """
    try:
        yield
    except LiteDelegateError:
        raise
    except passing:
        raise
    except MemoryError as e:
        raise out_of_memory(where, e) from e
    except Exception as e:
        raise ModelFormatError(
            f"{where}: the model does not fit what is expected here: {shown(e)}. Is the file damaged?"
        ) from e


def out_of_memory(where: str, error: MemoryError) -> LimitError:
    """The error for memory that ran out in a place."""
    return LimitError(f"{where}: {NO_MEMORY}: {shown(error)}.")


def shown(error: BaseException) -> str:
    """An exception in one short line, with its type."""
    text = " ".join(str(error).split())[:_MAX_TEXT].rstrip(".")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
