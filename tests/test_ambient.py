"""Context variables are hidden inputs of functions: each is listed with its reason in ``docs/decisions.md``."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LISTED = re.compile(r"^\| `(\w+)` \| `([\w/]+\.py)` \| .+ \|$", re.MULTILINE)
MADE = re.compile(r"ContextVar\(\s*\"(\w+)\"")


def test_each_context_variable_is_listed_with_its_reason() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    package = ROOT / "lite_delegate"
    made = {
        (name, path.relative_to(package).as_posix())
        for path in package.rglob("*.py")
        for name in MADE.findall(path.read_text(encoding="utf-8"))
    }
    assert made == set(LISTED.findall(page))
    assert made
