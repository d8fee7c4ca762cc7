"""The command group, and how errors reach the user."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from .. import __version__
from ..basics.similar import did_you_mean
from ..errors import DelegateWarning, LiteDelegateError
from .options.tracebacks import are_shown, is_from_delegate

USER_ERROR = 2
"""Exit status when the user's files or options do not fit; a traceback would be a bug."""


INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""

COMMANDS: Mapping[str, str] = {
    "batch": "batch",
    "benchmark": "benchmark",
    "cache clear": "cache_clear",
    "cache explain": "cache_explain",
    "cache list": "cache_list",
    "cache prune": "cache_prune",
    "cache verify": "cache_verify",
    "calibrate": "calibrate",
    "compare": "compare",
    "compile": "compile",
    "conformance": "conformance",
    "convert": "convert",
    "demo": "demo",
    "devices": "devices",
    "properties": "properties",
    "info": "info",
    "report": "report",
    "report diff": "report_diff",
    "run": "run",
    "telemetry": "telemetry",
}
"""Module and function of each command, which are called the same. They are imported when they are needed: what one
command imports costs the others no time."""


GROUPS: Mapping[str, str] = {"cache": "Looks after a cache of compiled models."}
"""The first words of two-word commands that are no commands themselves, each with its help text."""


class _Words(click.Group):
    """The commands of one table, by the word behind a first word."""

    first = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name.removeprefix(self.first) for name in COMMANDS if name.startswith(self.first)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        word = COMMANDS.get(f"{self.first}{cmd_name}")
        if word is None:
            return None
        command: click.Command = getattr(import_module(f".{word}", __package__), word)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a name; the error of an unknown name has similar names."""
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(
                f"No such command '{args[0]}'{did_you_mean(args[0], self.list_commands(ctx)) or '.'}", ctx
            )
        return super().resolve_command(ctx, args)


class _Group(_Words):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, the commands of a group as one entry."""
        names = (name.split()[0] if name.split()[0] in GROUPS else name for name in COMMANDS)
        return list(dict.fromkeys(names))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in GROUPS:
            return super().get_command(ctx, cmd_name)
        group = _Words(name=cmd_name, help=GROUPS[cmd_name])
        group.first = f"{cmd_name} "
        return group

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A command of two words, such as ``report diff``, comes before one of its first word."""
        words = " ".join(args[:2])
        if len(args) > 1 and words in COMMANDS:
            return words, super().get_command(ctx, words), args[2:]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of one word: a shell asks for one at a time."""
        return [item for item in super().shell_complete(ctx, incomplete) if " " not in item.value]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _mistakes_in_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _mistakes_in_one_line(ctx):
            return super().invoke(ctx)


@contextmanager
def _mistakes_in_one_line(context: click.Context | None = None) -> Iterator[None]:
    """Ends the process with a line on standard error and ``USER_ERROR`` after a mistake of the user.

    The traceback of a delegate's error comes before the line, if the user asked for it.
    After Ctrl-C the process ends with ``INTERRUPTED``, without a message.
    """
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:  # shows the help
        raise
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except click.UsageError as e:
        more = "" if e.ctx is None else f" See '{e.ctx.command_path} --help'."
        text = f"{e.format_message()}{more}"
    except LiteDelegateError as e:
        if are_shown(context) and is_from_delegate(e):
            from ..basics.failures import traceback_text

            click.echo(traceback_text(e), err=True)
        text = one_line(str(e))
    except OSError as e:
        if e.errno == errno.EPIPE:  # the reader of our output went away, which click handles
            raise
        text = f"'{e.filename}': {e.strerror}" if e.filename and e.strerror else e.strerror or str(e)
    else:
        return
    click.echo(f"lite-delegate: {text}", err=True)
    sys.exit(USER_ERROR)


def one_line(text: str) -> str:
    """The lines of a message in one, with a semicolon between the items of a list."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    shown = [line for line in lines if line]
    return "".join(line + (" " if line.endswith((":", ".", ",", ";")) else "; ") for line in shown[:-1]) + shown[-1]


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="lite-delegate")
def main() -> None:
    """Runs edge models with a delegate, and shows which device ran which node, and why."""
    warnings.showwarning = _show_warning


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    word = "warning" if issubclass(category, DelegateWarning) else category.__name__
    click.echo(f"lite-delegate: {word}: {one_line(str(message))}", err=True)
    if isinstance(message, DelegateWarning) and message.traceback and are_shown(click.get_current_context(silent=True)):
        click.echo(message.traceback, err=True)
