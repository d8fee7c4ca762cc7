"""Text and tables that are as wide as the page allows: a terminal's width, or 100 columns in files and pipes."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from ..basics.words.names import shortened
from .styles import Style, style_of_verdict, theme

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.measure import Measurement

SHORTEST_NAME = 12
"""The least columns of names that are cut, where they are longer."""
_RULED = "    \n    \n -  \n    \n    \n    \n    \n    \n"
"""Rich's drawing of a table: a rule below the headings, and no other line."""


class Page(NamedTuple):
    """The page that text is laid out for. The default is that of files and pipes: the same text everywhere.

    Attributes:
        columns: of characters.
        lines: of a screen; text that is longer says its answer at the end, too.
        full: whether rows that are alike are shown one by one.
        colours: whether words have styles.
    """

    columns: int = 100
    lines: int = 40
    full: bool = False
    colours: bool = False


NARROWEST = 40
"""The least columns that text is laid out for."""
_FILES = Page()
_PAGE = ContextVar("lite_delegate_page", default=_FILES)


def page() -> Page:
    """The page that text is laid out for."""
    return _PAGE.get()


def page_of_terminal() -> Page:
    """The page of the terminal that standard output is; where it is none, that of files."""
    if not sys.stdout.isatty():
        return Page()
    import shutil

    size = shutil.get_terminal_size((Page().columns, Page().lines))
    return Page(max(size.columns, NARROWEST), size.lines, colours=has_colours(sys.stdout))


def has_colours(stream: TextIO) -> bool:
    """True if a stream is a terminal that shows colours, and its user did not set ``NO_COLOR``."""
    is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") in ("dumb", "unknown")
    return stream.isatty() and not is_plain


@contextmanager
def laid_out_for(wanted: Page) -> Iterator[None]:
    """Lays text out for another page."""
    token = _PAGE.set(wanted)
    try:
        yield
    finally:
        _PAGE.reset(token)


def answered(answer: str, body: str, advice: str = "") -> str:
    """A text that begins with its answer; where it is longer than a screen, it ends with the answer, too.

    Args:
        answer: a line or a few.
        body: the rest.
        advice: what to do next; it comes last.
    """
    answer = painted(answer, Style.HEADLINE)
    text = f"{answer}\n\n{body}"
    end = [advice] if advice else []
    if text.count("\n") >= page().lines:
        end.insert(0, answer)
    return "\n\n".join([text, "\n".join(end)]) if end else text


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """Text in lines of the page, with indents. Words with hyphens stay whole: the names of options have some."""
    return textwrap.fill(text, page().columns, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def painted(text: str, style: Style | None) -> str:
    """Text that is laid out already, in a style where the page has colours; words in it keep their own styles."""
    if style is None or not page().colours:
        return text
    from rich.text import Text

    found = Text.from_ansi(text)
    found.stylize_before(style)
    return _shown(found, soft_wrap=True)


def fact(word: str, text: str, room: int = 11, *, is_verdict: bool = False) -> str:
    """A word with a text behind it, in lines of the page.

    Args:
        word: what the text is about.
        text: a sentence or a few.
        room: columns of characters for the word.
        is_verdict: whether the text begins with a verdict and a colon.
    """
    shown = wrapped(text, first=f"{word:<{room}}", rest=" " * room)
    verdict = text.partition(":")[0] if is_verdict else ""
    return f"{shown[:room]}{painted(verdict, style_of_verdict(verdict))}{shown[room + len(verdict) :]}"


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Words, each with its text behind it in one column."""
    room = max((len(word) for word, _ in pairs), default=0) + 2
    return "\n".join(fact(word, text, room) for word, text in pairs)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[str] = (),
    cut: Collection[str] = (),
    wrap: Collection[str] = (),
    most: Mapping[str, int] | None = None,
    styles: Mapping[str, Sequence[Style | None]] | None = None,
) -> str:
    """A table with the width of its cells, at most the width of the page.

    Args:
        heads: the headings.
        rows: the cells, of one line or several.
        right: the headings of the columns that are aligned to the right.
        cut: the headings of columns of names, which give way: names are cut so that they still differ.
        wrap: the headings of columns of text, which give way by more lines.
        most: the most columns of characters, by heading.
        styles: the styles of the cells of a column that is not cut, by heading.
    """
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    found = Table(
        box=Box(_RULED, ascii=True), show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="none"
    )
    columns: list[Sequence[Text | _Cell]] = []
    for index, head in enumerate(heads):
        found.add_column(
            Text.styled(head, Style.HEADLINE),
            justify="right" if head in right else "left",
            no_wrap=head not in cut and head not in wrap,
            overflow="fold",
            max_width=(most or {}).get(head),
        )
        cells = [row[index] for row in rows]
        names = _Names(cells) if head in cut else None
        looks = (styles or {}).get(head, [None] * len(cells))
        if names is None:
            columns.append([Text.styled(each, look or "") for each, look in zip(cells, looks, strict=True)])
        else:
            columns.append([_Cell(names, each) for each in cells])
    for row in zip(*columns, strict=True):
        found.add_row(*row)
    return "\n".join(line.rstrip() for line in _shown(found).splitlines())


def _shown(what: RenderableType, *, soft_wrap: bool = False) -> str:
    """The text that rich makes of something, for the page."""
    from rich.console import Console

    console = Console(
        file=StringIO(),
        width=page().columns,
        color_system="standard" if page().colours else None,
        force_terminal=page().colours,
        legacy_windows=False,
        theme=theme(),
    )
    with console.capture() as shown:
        console.print(what, soft_wrap=soft_wrap, end="")
    return shown.get()


class _Names:
    """The names of a column, in cells of a line for each.

    Args:
        cells: of the column.
    """

    def __init__(self, cells: Sequence[str]) -> None:
        self._names = [name for cell in cells for name in cell.splitlines()]
        self._at: dict[int, dict[str, str]] = {}

    def at(self, width: int) -> Mapping[str, str]:
        """The names, cut to a width, by name."""
        if width not in self._at:
            self._at[width] = shortened(self._names, width)
        return self._at[width]


class _Cell:
    """A cell of a column of names.

    Args:
        column: of the cell.
        text: names, each on a line of its own.
    """

    def __init__(self, column: _Names, text: str) -> None:
        self.column, self.text = column, text

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        from rich.measure import Measurement

        wanted = max(map(len, self.text.splitlines()), default=0)
        return Measurement(min(wanted, SHORTEST_NAME), wanted)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        known = self.column.at(options.max_width)
        for name in self.text.splitlines() or [""]:
            yield Text(known.get(name, name), no_wrap=True)


def table_of(columns: Mapping[str, Sequence[str]], **more: Any) -> str:
    """The same of columns by heading, and with the other arguments of ``table``."""
    return table(list(columns), list(zip(*columns.values(), strict=True)), **more)
