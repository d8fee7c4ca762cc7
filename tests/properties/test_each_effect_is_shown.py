"""Every property has a test that shows what it does, or registry and documents say that it does nothing, and why.

``@pytest.mark.shows(OWNER, NAME, ...)`` marks a test that shows the effects of properties of an owner of ``OWNERS``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lite_delegate
from tests.properties.registries import ALL, MADE_IN, OWNERS
from tools.properties import PAGES

TESTS = Path(__file__).parents[1]
PACKAGE = Path(lite_delegate.__file__).parent
NONE = "none"


def marks() -> Iterator[tuple[str, str, str]]:
    """The owner and the name of each property that a test shows, and that test."""
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.shows(" not in text:
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                where = f"{path.relative_to(TESTS)}::{function.name}"
                for owner, *names in map(arguments, function.decorator_list):
                    yield from ((owner, name, where) for name in names)


def arguments(decorator: ast.expr) -> list[str]:
    """What a mark ``shows`` has in parentheses; nothing of another decorator."""
    is_mark = isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.shows"
    return [ast.literal_eval(each) for each in decorator.args] if is_mark and isinstance(decorator, ast.Call) else [""]


SHOWN = list(marks())


@pytest.mark.parametrize(("owner", "name"), ALL)
def test_a_test_shows_the_effect_or_the_registry_says_why_there_is_none(owner: str, name: str) -> None:
    tests = [where for each in SHOWN if each[:2] == (owner, name) for where in each[2:]]
    does_nothing = ALL[owner, name].effect.startswith(NONE)
    assert bool(tests) != does_nothing, (
        f"mark the test that shows the effect: @pytest.mark.shows('{owner}', '{name}'); or say 'none: REASON' as the "
        f"effect of a property without one. Now: {tests or 'no test'}, effect '{ALL[owner, name].effect}'"
    )


def test_marks_are_of_properties_that_there_are() -> None:
    assert [each for each in SHOWN if each[:2] not in ALL] == []


def test_there_are_no_other_properties() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    made_in = {path.relative_to(PACKAGE).as_posix() for path, text in texts.items() if "PropertySpec(" in text}
    assert made_in - {"properties/spec.py", "properties/name.py"} == MADE_IN, (
        f"add the new file to MADE_IN and its registry to {set(OWNERS)}"
    )


def test_the_documents_show_what_does_nothing_and_why() -> None:
    silent = [spec for spec in ALL.values() if spec.effect.startswith(NONE)]
    assert silent
    pages = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines()]
    for spec in silent:
        assert spec.effect.startswith(f"{NONE}: ")
        assert any(line.startswith(f"| `{spec.name}` |") and f"| {spec.effect} |" in line for line in pages)
