"""Notes on standard error, and the progress of long work: the options ``-q`` and ``-v`` say how much of them there is.

Notes are told unless the user asks for quiet. Progress shows where standard error is a terminal; with ``-v`` each piece
of work is a line, anywhere.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

import click

from ...basics.counted import counted
from ...reporting.styles import Style
from ...reporting.terminal import has_colours, laid_out_for, page, painted
from .tracebacks import show_tracebacks

if TYPE_CHECKING:
    import rich.progress

QUIET, USUAL, VERBOSE = range(3)
_LOUDNESS = ContextVar("lite_delegate_loudness", default=USUAL)
AFTER_SECONDS = 0.5
"""Shorter work is not shown."""


class ShownWork:
    """A display of work's progress; this one shows nothing."""

    def show(self, description: str, done: float | None = None, total: float | None = None) -> None:
        """Shows what is being done now, and how many of how many steps are done, where that is known."""

    def say(self, text: str) -> None:
        """A line on standard error."""
        click.echo(text, err=True)


class _WorkOnTerminal(ShownWork):
    """A display on a terminal."""

    def __init__(self, bar: rich.progress.Progress, task: rich.progress.TaskID) -> None:
        self._bar = bar
        self._task = task
        self._process = os.getpid()

    def show(self, description: str, done: float | None = None, total: float | None = None) -> None:
        if done is None:
            self._bar.update(self._task, description=description)
        else:
            self._bar.update(self._task, description=description, completed=done, total=total)

    def say(self, text: str) -> None:
        if os.getpid() != self._process or not self._bar.live.is_started:  # a fork has no thread that draws
            super().say(text)
        else:
            from rich.text import Text

            self._bar.console.print(Text.from_ansi(text), soft_wrap=True)


_SHOWN: ContextVar[ShownWork | None] = ContextVar("lite_delegate_shown_work", default=None)


def loudness_options() -> list[click.Parameter]:
    """The options ``-q`` and ``-v``."""
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=lambda context, parameter, value: _set(context, QUIET) if value else None,
            help="Show no notes and no progress.",
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=lambda context, parameter, value: _set(context, VERBOSE) if value else None,
            help="Name each step with its time, and show the tracebacks of delegates' errors.",
        ),
    ]


def _set(context: click.Context, loudness: int) -> None:
    if loudness == VERBOSE:
        show_tracebacks(context)
    context.with_resource(_of(loudness))


@contextmanager
def _of(loudness: int) -> Iterator[None]:
    token = _LOUDNESS.set(loudness)
    try:
        yield
    finally:
        _LOUDNESS.reset(token)


def say(text: str) -> None:
    """A line on standard error: above the progress, where that shows."""
    shown = _SHOWN.get()
    if shown is None:
        click.echo(text, err=True)
    else:
        shown.say(text)


@contextmanager
def laid_out_for_errors() -> Iterator[None]:
    """Lays text out for standard error, which may show colours where standard output shows none."""
    with laid_out_for(page()._replace(colours=has_colours(sys.stderr))):
        yield


def marked(text: str, style: Style) -> str:
    """Text for standard error in a style, where that shows colours."""
    with laid_out_for_errors():
        return painted(text, style)


def note(text: str) -> None:
    """The same of a note: it is left out where the user asked for quiet."""
    if _LOUDNESS.get() != QUIET:
        say(f"lite-delegate: {text}")


def note_written(path: Path, nbytes: int) -> None:
    """Says which file was written, and its size."""
    note(f"wrote {path} ({size_text(nbytes)})")


def size_text(nbytes: int) -> str:
    """A size of a file for people: bytes, KB or MB."""
    if nbytes < 1000:
        return counted(nbytes, "byte")
    return f"{nbytes / 1e3:,.0f} KB" if nbytes < 1e6 else f"{nbytes / 1e6:,.1f} MB"


@contextmanager
def progress(description: str, total: float | None = None, *, is_still: bool = False) -> Iterator[ShownWork]:
    """Shows work that takes longer than a moment, and gives the display, which takes the work's progress.

    Work inside of other work changes the description of that.

    Args:
        description: of the work, such as "compiling model.onnx".
        total: of the steps, where it is known.
        is_still: whether nothing moves by itself, so that the display takes no time from what is measured.
    """
    started, outer = time.monotonic(), _SHOWN.get()
    if outer is None:
        with _display(description, total, is_still) as shown:
            token = _SHOWN.set(shown)
            try:
                yield shown
            finally:
                _SHOWN.reset(token)
    else:
        outer.show(description)
        yield outer
    if _LOUDNESS.get() == VERBOSE:
        note(f"{description}: {time.monotonic() - started:.1f} s")


@contextmanager
def _display(description: str, total: float | None, is_still: bool) -> Iterator[ShownWork]:
    if _LOUDNESS.get() != USUAL or not sys.stderr.isatty():
        yield ShownWork()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    counts = [] if total is None else [BarColumn(), MofNCompleteColumn()]
    columns = [SpinnerColumn(), TextColumn("{task.description}", markup=False), *counts, TimeElapsedColumn()]
    bar = Bar(
        *columns,
        console=Console(stderr=True),
        transient=True,
        auto_refresh=not is_still,
        redirect_stdout=False,  # a fork may write while another thread draws
        redirect_stderr=False,
    )
    task = bar.add_task(description, total=total)
    first_look = Timer(AFTER_SECONDS, bar.start)
    first_look.daemon = True
    first_look.start()
    try:
        yield _WorkOnTerminal(bar, task)
    finally:
        first_look.cancel()
        first_look.join()
        bar.stop()
