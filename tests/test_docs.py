"""The documents: links lead somewhere, every page is in the index, every decision says what a decision has to say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted((*DOCS.rglob("*.md"), *ROOT.glob("*.md")))
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def links(page: Path) -> list[Path]:
    return [(page.parent / target).resolve() for target in LINK.findall(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    assert [str(target) for target in links(page) if not target.exists()] == []


def test_the_index_has_every_page() -> None:
    listed = {*links(DOCS / "index.md"), DOCS / "index.md", *DECISIONS}
    assert [str(page.relative_to(ROOT)) for page in sorted(DOCS.rglob("*.md")) if page not in listed] == []


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda p: p.stem)
def test_decisions_have_a_status_and_alternatives(decision: Path) -> None:
    text = decision.read_text(encoding="utf-8")
    assert re.match(rf"# {int(decision.stem[:4])}\. ", text)
    assert re.search(r"^Status: (proposed|accepted|superseded by \d+)", text, re.MULTILINE)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[:3] == ["Context", "Decision", "Alternatives"]


def test_numbers_of_decisions_are_used_once() -> None:
    numbers = [int(d.stem[:4]) for d in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_checks_see_a_wrong_link(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](missing.md#part) [b](https://example.org) [c](page.md) [d](#here)")
    assert [target.name for target in links(page) if not target.exists()] == ["missing.md"]
