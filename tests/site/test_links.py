"""Links of the repository's Markdown as links of the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site.links import Links, title

SOURCE = "https://example.org/project"


@pytest.fixture
def links(tmp_path: Path) -> Links:
    for name in ("README.md", "docs/a.md", "docs/npu/b.md", "tests/test_a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"intro\n# Title of {name}\n")
    pages = {"README.md": "about/readme.md", "docs/a.md": "a.md", "docs/npu/b.md": "npu/b.md"}
    return Links(tmp_path, pages, SOURCE)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[b](npu/b.md#part)", "[b](npu/b.md#part)"),
        ("[the README](../README.md#use)", "[the README](about/readme.md#use)"),
        ("[test](../tests/test_a.py)", f"[test]({SOURCE}/blob/main/tests/test_a.py)"),
        ("[all](npu/)", f"[all]({SOURCE}/tree/main/docs/npu)"),
        ("[npu/b.md](npu/b.md)", "[Title of docs/npu/b.md](npu/b.md)"),
        ("[here](#part) [there](https://example.org)", "[here](#part) [there](https://example.org)"),
        ("```\n[b](nowhere.md)\n```", "```\n[b](nowhere.md)\n```"),
    ],
)
def test_links_lead_to_pages_or_to_the_repository(links: Links, written: str, expected: str) -> None:
    assert links.of_page(written, "docs/a.md", "a.md") == expected


def test_links_are_relative_to_the_folder_of_the_page(links: Links) -> None:
    assert links.of_page("[a](docs/a.md)", "README.md", "about/readme.md") == "[a](../a.md)"
    assert links.of_page("[a](../a.md)", "docs/npu/b.md", "npu/b.md") == "[a](../a.md)"


def test_a_link_to_nothing_is_an_error_with_both_names(links: Links) -> None:
    with pytest.raises(ValueError, match=r"docs/a.md has a link to c.md, and there is no docs/c.md"):
        links.of_page("[c](c.md)", "docs/a.md", "a.md")


def test_the_title_is_the_first_heading(links: Links) -> None:
    assert title(links.root / "docs/a.md") == "Title of docs/a.md"
