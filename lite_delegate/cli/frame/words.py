"""Groups of commands: the command's own, groups of two-word commands, and commands that have others behind them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from ...basics.similar import did_you_mean
from .command import GroupedCommand
from .help_texts import COMMANDS


class Words(click.Group):
    """The commands of the table ``COMMANDS`` behind the group's own name."""

    @property
    def first(self) -> str:
        """The word of the group in the table, with a blank."""
        return f"{self.name} "

    def listed(self) -> dict[str, str]:
        """The commands, each with its line."""
        return {name.removeprefix(self.first): line for name, line in COMMANDS.items() if name.startswith(self.first)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed())

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed().items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Options where a dash was typed, else names of one word: a shell asks for one at a time."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        begun = {name: line for name, line in self.listed().items() if name.startswith(incomplete) and " " not in name}
        return [CompletionItem(name, help=line) for name, line in begun.items()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = f"{self.first}{cmd_name}"
        if name not in COMMANDS:
            return None
        word = name.replace(" ", "_")
        command: click.Command = getattr(import_module(f"..{word}", __package__), word)
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


class CommandOfWords(GroupedCommand, Words):
    """A command with others behind it: ``report MODEL`` is one, and ``report diff`` another.

    A first word that is the name of a command is never taken for a file.
    """

    allow_extra_args = False
    allow_interspersed_args = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that the first word names, else of this command."""
        other = self.get_command(click.Context(self), args[0]) if args else None
        if other is not None:
            return other.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return click.Command.collect_usage_pieces(self, ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)
