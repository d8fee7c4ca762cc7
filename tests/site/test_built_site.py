"""The built site, which ``make site`` has written: its links and anchors, its own files alone, the public names."""

from __future__ import annotations

import importlib
import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from tests.test_public_api import ROOMS

BUILT = os.environ.get("LITE_DELEGATE_SITE")
if BUILT is None:
    pytest.skip("LITE_DELEGATE_SITE names no built site; `make site` builds it and runs this", allow_module_level=True)
SITE = Path(BUILT).resolve()
PAGES = sorted(path for path in SITE.rglob("*.html") if path.name != "404.html")
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""Tags that load something, and the attribute that says what."""


class Page(HTMLParser):
    """The anchors of a page, the addresses it leads to, and the addresses it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        if LOADING.get(tag) in values:
            self.loaded.add(values[LOADING[tag]])


@cache
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def broken(path: Path) -> list[str]:
    """The addresses of a page that lead to no file of the site, or to no anchor of the file."""
    found = []
    for address in sorted(page(path).links | page(path).loaded):
        if is_elsewhere(address):
            continue
        file, anchor = urldefrag(unquote(address))
        target = (path.parent / file).resolve() if file else path
        if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in page(target).anchors):
            found.append(address)
    return found


def test_no_link_is_broken() -> None:
    assert len(PAGES) > 50
    assert {str(path.relative_to(SITE)): broken(path) for path in PAGES if broken(path)} == {}


def test_broken_links_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text('<p id="here"></p><a href="#here"></a><a href="#there"></a><a href="no.html"></a><img src="a.png">')
    assert broken(path) == ["#there", "a.png", "no.html"]


def test_pages_and_styles_load_nothing_from_elsewhere() -> None:
    assert {address for path in PAGES for address in page(path).loaded if is_elsewhere(address)} == set()
    styles = [path.read_text(encoding="utf-8") for path in SITE.rglob("*.css")]
    assert styles
    assert [found for text in styles for found in re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", text)] == []


def test_a_page_has_no_markdown_that_was_not_understood() -> None:
    """A list or a table without a blank line before it, or an odd number of backticks, stays text."""
    left: dict[str, list[str]] = {}
    for path in PAGES:
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found = re.findall(r"<p>[^<]*\n *(?:[-*] |\d+\. |\|)[^<]*|[^>]*```[^<]*", text)
        left |= {path.name: found} if found else {}
    assert left == {}


@pytest.mark.parametrize("room", [*ROOMS, "lite_delegate.batch"])
def test_every_public_name_is_on_the_page_of_its_room(room: str) -> None:
    names = importlib.import_module(room).__all__
    anchors = page(SITE / "api" / f"{room}.html").anchors
    assert [name for name in names if f"{room}.{name}" not in anchors] == []
