"""``--delegate file.py:Class``, and the options of a constructor: what a user types, and what is said of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate import InputError
from lite_delegate.devices.registry.delegate_spec import resolve_delegate, resolve_delegates

MINE = """
from __future__ import annotations

from pathlib import Path

import beside_it
from lite_delegate import Delegate

GIVEN = []


class Mine(Delegate):
    name = "mine"

    def __init__(self, path: Path, threads: int = 1, fast: bool = False, scale: float | None = None, mode="slow"):
        self.given = (path, threads, fast, scale, mode)


class Loose(Delegate):
    name = "loose"

    def __init__(self, threads: int = 1, options=None):
        self.given = (threads, options)


class NoDelegate:
    pass


def helper():
    raise KeyError("no such device")


class Broken(Delegate):
    def __init__(self):
        helper()
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "my own.py"
    path.write_text(MINE)
    (tmp_path / "beside_it.py").write_text("")
    return path


def given(spec: str, **options: str) -> object:
    return vars(resolve_delegate(spec, options))["given"]


def message(spec: str, **options: str) -> str:
    with pytest.raises(InputError) as raised:
        resolve_delegate(spec, options)
    text = str(raised.value)
    assert "\n" not in text
    return text


def test_a_class_in_a_file_is_a_delegate(mine: Path) -> None:
    assert given(f"{mine}:Mine", path="a/b") == (Path("a/b"), 1, False, None, "slow")
    (named,) = resolve_delegates([f"other={mine}:Loose"])
    assert named.name == "other"


def test_a_file_is_run_once(mine: Path) -> None:
    first, second = (type(resolve_delegate(f"{mine}:Loose")) for _ in range(2))
    assert first is second


def test_options_become_what_the_constructor_says(mine: Path) -> None:
    found = given(f"{mine}:Mine", path="x", threads="4", fast="yes", scale="0.5", mode="quick")
    assert found == (Path("x"), 4, True, 0.5, "quick")


def test_what_is_no_parameter_goes_to_options(mine: Path) -> None:
    assert given(f"{mine}:Loose", threads="2", other="3") == (2, {"other": "3"})
    assert given(f"{mine}:Loose") == (1, None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, 'option "path" of Mine is required: --delegate-option path=...'),
        ({"path": "x", "thread": "4"}, "Mine has no option 'thread'. Did you mean 'threads'"),
        ({"path": "x", "threads": "four"}, "Option \"threads\" of Mine must be an integer, got 'four'"),
        ({"path": "x", "fast": "maybe"}, "Option \"fast\" of Mine must be yes or no, got 'maybe'"),
        ({"path": "x", "scale": "big"}, "Option \"scale\" of Mine must be a number, got 'big'"),
    ],
)
def test_mistakes_in_options_are_named(mine: Path, options: dict[str, str], words: str) -> None:
    assert words in message(f"{mine}:Mine", **options)


def test_mistakes_in_the_spec_are_named(mine: Path) -> None:
    assert "there is no file" in message(f"{mine.parent}/my owm.py:Mine")
    assert "Did you mean 'my own.py'" in message(f"{mine.parent}/my owm.py:Mine")
    assert "there is no file" in message(f"{mine.parent}/nowhere/x.py:Mine")
    assert "Did you mean 'Mine'" in message(f"{mine}:Min")
    assert "its delegates: Mine, Loose, Broken" in message(f"{mine}:Xyzzyxyz")
    assert "must be a class derived from lite_delegate.Delegate" in message(f"{mine}:NoDelegate")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "import os\nimport nonesuch_module\n",
            "ModuleNotFoundError: No module named 'nonesuch_module' (bad.py, line 2)",
        ),
        ("x = 1\n\n\ny = x / 0\n", "ZeroDivisionError: division by zero (bad.py, line 4)"),
        ("x = (\n", "SyntaxError: '(' was never closed (bad.py, line 1)"),
    ],
)
def test_what_fails_while_it_is_imported_has_its_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    assert words in message(f"{tmp_path}/bad.py:Mine")
    assert words in message(f"{tmp_path}/bad.py:Mine")  # the second time it is not there half


def test_a_constructor_that_fails_has_its_line(mine: Path) -> None:
    line = MINE.splitlines().index("        helper()") + 1
    assert f"cannot make it: KeyError: 'no such device' (my own.py, line {line})" in message(f"{mine}:Broken")
