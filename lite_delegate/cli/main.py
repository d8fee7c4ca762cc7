"""The command group, and how errors reach the user."""

from __future__ import annotations

import errno
import sys
import warnings
from typing import Any

import click

from .. import __version__
from ..errors import DelegateWarning, LiteDelegateError
from .conformance import conformance
from .convert import convert
from .demo import demo
from .info import info
from .report import report
from .run import run

USER_ERROR = 2
"""Exit status when the user's files or options do not fit; a traceback would be a bug."""


class _Group(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LiteDelegateError as e:
            click.echo(f"lite-delegate: {' '.join(str(e).split())}", err=True)
        except OSError as e:
            if e.errno == errno.EPIPE:  # the reader of our output went away, which click handles
                raise
            click.echo(f"lite-delegate: {e.filename or ''}: {e.strerror or e}".replace(": : ", ": "), err=True)
        sys.exit(USER_ERROR)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lite-delegate")
def main() -> None:
    """Runs edge models with a delegate, and says what ran where and why."""
    warnings.showwarning = _show_warning


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    word = "warning" if issubclass(category, DelegateWarning) else category.__name__
    click.echo(f"lite-delegate: {word}: {message}", err=True)


for command in (demo, run, report, convert, conformance, info):
    main.add_command(command)
