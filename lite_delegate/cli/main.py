"""The command group, and how errors reach the user."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .. import __version__
from ..errors import DelegateWarning, LiteDelegateError
from ..reporting.styles import Style
from ..reporting.terminal import laid_out_for, page_of_terminal
from .frame.help_texts import COMMANDS, WORDS
from .frame.loudness import marked, say
from .frame.tracebacks import are_shown, is_from_delegate
from .frame.words import Words

USER_ERROR = 2
"""Exit status when the user's files or options do not fit; a traceback would be a bug."""


INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it: 128 and the number of the signal."""


class _Group(Words):
    """The command group; mistakes of the user end with one line."""

    first = ""

    def listed(self) -> dict[str, str]:
        """All commands, the commands of a group as one entry."""
        names = {name.split()[0] if name.split()[0] in WORDS else name: line for name, line in COMMANDS.items()}
        return {name: WORDS.get(name, line) for name, line in names.items()}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in WORDS:
            return Words(name=cmd_name, help=WORDS[cmd_name])
        return super().get_command(ctx, cmd_name)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _mistakes_in_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _mistakes_in_one_line(ctx), laid_out_for(page_of_terminal()):
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

            say(traceback_text(e))
        text = one_line(str(e))
    except OSError as e:
        if e.errno == errno.EPIPE:  # the reader of our output went away, which click handles
            raise
        text = f"'{e.filename}': {e.strerror}" if e.filename and e.strerror else e.strerror or str(e)
    else:
        return
    click.echo(f"{marked('lite-delegate:', Style.ERROR)} {text}", err=True)
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
    say(f"lite-delegate: {marked(f'{word}:', Style.WARNING)} {one_line(str(message))}")
    if isinstance(message, DelegateWarning) and message.traceback and are_shown(click.get_current_context(silent=True)):
        say(message.traceback)
