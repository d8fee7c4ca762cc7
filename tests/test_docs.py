"""The documents: links lead somewhere, every page is in the index, every decision has its parts."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ROOMS = sorted((ROOT / "lite_delegate").glob("*/README.md"))
PAGES = sorted((*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *ROOMS))
ENTRIES = (DOCS / "decisions.md").read_text(encoding="utf-8").split("\n## ")[1:]
"""The decisions, each from its number on."""
SAYING = [page for page in PAGES if page.name != "CHANGELOG.md"]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def links(page: Path) -> list[Path]:
    return [(page.parent / target).resolve() for target in LINK.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    assert [str(target) for target in links(page) if not target.exists()] == []


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_anchors_lead_to_headings(page: Path) -> None:
    found = re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    pages = [((page.parent / target).resolve() if target else page, anchor) for target, anchor in found]
    assert [f"{target.name}#{anchor}" for target, anchor in pages if anchor not in headings(target)] == []


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ImportError:
        return bool(module) and is_there(module) and hasattr(importlib.import_module(module), attribute)
    return True


@pytest.mark.parametrize("page", SAYING, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_and_files_that_a_page_names_exist(page: Path) -> None:
    text = prose(page)
    names = set(re.findall(r"\blite_delegate(?:_\w+)?(?:\.[a-z_]\w*)+", text))  # in capitals: loggers of devices
    assert [name for name in sorted(names) if not is_there(name)] == []
    paths = set(re.findall(r"`((?:lite_delegate|kernels|schemas|tests|benchmarks|tools|web)/[\w./*-]+)`", text))
    assert [path for path in sorted(paths) if "_x." not in path and not list(ROOT.glob(path.rstrip("/")))] == []


def test_the_check_of_names_sees_a_wrong_one() -> None:
    assert is_there("lite_delegate.passes.run_passes")
    assert not is_there("lite_delegate.passes.run_pass")
    assert not is_there("lite_delegate.nowhere.run_passes")


def test_the_index_has_every_page() -> None:
    listed = {*links(DOCS / "index.md"), DOCS / "index.md"}
    assert [str(page.relative_to(ROOT)) for page in sorted(DOCS.rglob("*.md")) if page not in listed] == []


def test_rooms_of_the_architecture_exist() -> None:
    text = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("\n## Rooms\n")[2]
    rooms = [room for row in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for room in re.findall(r"`(\w+)`", row)]
    assert len(rooms) > 20
    assert [room for room in rooms if not (ROOT / "lite_delegate" / room).is_dir()] == []


@pytest.mark.parametrize("page", ROOMS, ids=lambda p: p.parent.name)
def test_a_room_says_at_most_a_page_about_itself(page: Path) -> None:
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 40


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.partition(".")[0])
def test_a_decision_has_a_reason_and_what_was_rejected(entry: str) -> None:
    assert re.match(r"\d+\. \S", entry)
    assert re.findall(r"^\*\*(\w+)\.\*\* \S", entry, re.MULTILINE) == ["Decision", "Reason", "Rejected"]


def test_numbers_of_decisions_are_used_once() -> None:
    numbers = [int(entry.partition(".")[0]) for entry in ENTRIES]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_checks_see_a_wrong_link(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](missing.md#part) [b](https://example.org) [c](page.md) [d](#here)")
    assert [target.name for target in links(page) if not target.exists()] == ["missing.md"]
