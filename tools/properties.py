"""Writes the tables of properties in the documents anew, from the registries: ``python -m tools.properties``."""

from __future__ import annotations

import re
from pathlib import Path

from lite_delegate.npu.options import registry_of
from lite_delegate.npu.profiles import load_profile
from lite_delegate.properties.document import markdown_table

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {DOCS / "npu" / "options.md": lambda: markdown_table(registry_of(load_profile("npu4000")))}
"""Pages with a table of properties, and what makes the table."""
ROWS = re.compile(r"^\| property \|.*?\n(?=\n)", re.MULTILINE | re.DOTALL)


def renewed(page: Path) -> str:
    """The text of a page with its table made anew."""
    text = page.read_text(encoding="utf-8")
    return ROWS.sub(lambda _: PAGES[page]() + "\n", text, count=1)


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(renewed(each), encoding="utf-8")
