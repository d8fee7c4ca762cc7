"""The command group, and how errors reach the user."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import DelegateWarning, LiteDelegateError

USER_ERROR = 2
"""Exit status when the user's files or options do not fit; a traceback would be a bug."""


COMMANDS: Mapping[str, str] = {
    "benchmark": "benchmark",
    "calibrate": "calibrate",
    "compare": "compare",
    "conformance": "conformance",
    "convert": "convert",
    "demo": "demo",
    "info": "info",
    "report": "report",
    "report diff": "report_diff",
    "run": "run",
}
"""Module and function of each command, which are called the same. They are imported when they are needed: what one
command imports costs the others no time."""


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        word = COMMANDS.get(cmd_name)
        if word is None:
            return None
        command: click.Command = getattr(import_module(f".{word}", __package__), word)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command of two words, such as ``report diff``, comes before one of its first word."""
        words = " ".join(args[:2])
        if len(args) > 1 and words in COMMANDS:
            return words, self.get_command(ctx, words), args[2:]
        return super().resolve_command(ctx, args)

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
