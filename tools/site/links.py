"""Links of Markdown that hold in the repository, made into links of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^][]*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


@dataclass(frozen=True)
class Links:
    """The pages of a site, by the files of the repository that they show.

    Attributes:
        root: the folder of the repository.
        pages: the page of a file, both as paths: from the repository's root, and from the site's.
        source: the address of the repository's files, to which links lead that no page shows.
    """

    root: Path
    pages: Mapping[str, str]
    source: str

    def of_page(self, text: str, file: str, page: str) -> str:
        """The Markdown of a page of the site. A link that has a file's name as its text gets the title of the page.

        Args:
            text: the Markdown of the repository.
            file: the path of the file that has the text, from the repository's root.
            page: the path of the page, from the site's root.

        Raises:
            ValueError: a link leads to no file.
        """
        pieces = _FENCE.split(text)
        pieces[::2] = (_LINK.sub(lambda found: self._link(found, file, page), piece) for piece in pieces[::2])
        return "".join(pieces)

    def _link(self, found: re.Match[str], file: str, page: str) -> str:
        shown, address, anchor = found[1], found[2], found[3] or ""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(file), address))
        if target not in self.pages and not (self.root / target).exists():
            raise ValueError(f"{file} has a link to {address}, and there is no {target}")
        if target not in self.pages:
            kind = "tree" if (self.root / target).is_dir() else "blob"
            return f"[{shown}]({self.source}/{kind}/main/{target}{anchor})"
        if posixpath.basename(shown) == posixpath.basename(target) and target.endswith(".md"):
            shown = title(self.root / target)
        return f"[{shown}]({posixpath.relpath(self.pages[target], posixpath.dirname(page) or '.')}{anchor})"


def title(file: Path) -> str:
    """The first heading of a Markdown file."""
    with file.open(encoding="utf-8") as lines:
        return next(line for line in lines if line.startswith("# ")).removeprefix("# ").strip()
