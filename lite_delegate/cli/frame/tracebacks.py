"""The option ``--traceback``: tracebacks of delegates, which some commands always show."""

from __future__ import annotations

import click

from ...errors import DelegateClassError, DelegateError, LiteDelegateError

TRACEBACK = "lite_delegate.traceback"
"""Key of a context's ``meta``: whether tracebacks of delegates are shown."""


def show_tracebacks(context: click.Context) -> None:
    """From now on, warnings and errors come with the traceback of the delegate's error."""
    context.meta[TRACEBACK] = True


def _on_traceback(context: click.Context, parameter: click.Parameter, is_wanted: bool) -> None:
    if is_wanted:
        show_tracebacks(context)


traceback_option = click.option(
    "--traceback",
    is_flag=True,
    expose_value=False,
    callback=_on_traceback,
    help="Show the tracebacks of delegates' errors.",
)


def are_shown(context: click.Context | None) -> bool:
    """True if tracebacks are shown."""
    return context is not None and TRACEBACK in context.meta


def is_from_delegate(error: LiteDelegateError) -> bool:
    """True for an error that a delegate's code may have raised: of a delegate, or of the import of its class.

    Other mistakes of the user have no traceback that would tell a delegate's author something.
    """
    return isinstance(error, (DelegateError, DelegateClassError))
