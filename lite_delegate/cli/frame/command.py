"""A command: its help lists options in groups and ends with examples; all commands have ``-q`` and ``-v``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .help_texts import EXAMPLES, GROUPS, group_of
from .loudness import loudness_options
from .settings import defaults_in_file, long_name, name_variables


class GroupedCommand(click.Command):
    """A command of ``lite-delegate``."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += loudness_options()
        name_variables(self)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context with the defaults of the working directory's file."""
        if not extra.get("resilient_parsing"):
            extra["default_map"] = defaults_in_file(self)
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the options by group."""
        found: dict[str, list[tuple[str, str]]] = {group: [] for group in GROUPS}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx) if isinstance(each, click.Option) else None
            if record is not None:
                found[group_of(long_name(each))].append(record)
        for group, records in found.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows examples."""
        examples = EXAMPLES.get(self.name or "", ())
        if examples:
            with formatter.section("Examples"):
                for each in examples:
                    formatter.write(f"{'':{formatter.current_indent}}lite-delegate {each}\n")


def command(
    name: str | None = None, kind: type[GroupedCommand] = GroupedCommand
) -> Callable[[Callable[..., Any]], GroupedCommand]:
    """Makes a function a command.

    Args:
        name: of the command; the function's by default.
        kind: the command's class.
    """
    return click.command(name, cls=kind)
