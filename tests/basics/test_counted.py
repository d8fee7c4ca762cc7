"""Numbers of things in texts: one form, and no "1 entries"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lite_delegate
from lite_delegate.basics.counted import counted

NOUNS = (
    *("bytes", "entries", "kernels", "nodes", "operators", "subgraphs", "models", "files", "inputs", "outputs"),
    *("devices", "steps", "cases", "requests", "threads", "tensors", "constants", "graphs", "errors", "groups"),
)
"""Plurals that stand behind numbers."""


@pytest.mark.parametrize(
    ("number", "noun", "plural", "expected"),
    [
        (1, "byte", "", "1 byte"),
        (0, "byte", "", "0 bytes"),
        (12345678, "byte", "", "12,345,678 bytes"),
        (1, "entry", "", "1 entry"),
        (2, "entry", "", "2 entries"),
        (2, "way", "", "2 ways"),
        (1, "kernel is", "kernels are", "1 kernel is"),
        (1000, "kernel is", "kernels are", "1,000 kernels are"),
    ],
)
def test_number_and_noun_agree(number: int, noun: str, plural: str, expected: str) -> None:
    assert counted(number, noun, plural) == expected


def written() -> Iterator[tuple[Path, ast.JoinedStr]]:
    root = Path(lite_delegate.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                yield path.relative_to(root), node


def is_number(value: ast.FormattedValue) -> bool:
    """Not a constant of the module, which is known to be more than one and small, nor what is shown as found."""
    return value.conversion < 0 and not (isinstance(value.value, ast.Name) and value.value.id.isupper())


def has_noun(words: ast.expr) -> bool:
    """What stands behind a number in a text begins with one of the nouns."""
    text = words.value if isinstance(words, ast.Constant) else ""
    return isinstance(text, str) and text.startswith(" ") and text[1:].split(" ")[0].rstrip(".,;:") in NOUNS


def test_texts_count_by_the_one_function() -> None:
    found = [
        f"{path}:{text.lineno}: {ast.unparse(text)}"
        for path, text in written()
        for number, words in zip(text.values, text.values[1:], strict=False)
        if isinstance(number, ast.FormattedValue) and is_number(number) and has_noun(words)
    ]
    assert found == []
