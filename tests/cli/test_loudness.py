"""Notes on standard error, progress on a terminal, and how much of them ``-q`` and ``-v`` leave."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lite_delegate.cli.frame.loudness import size_text
from lite_delegate.formats.ms import write_ms
from tests.commands import COMMAND, call
from tests.runtime.graphs import chain
from tests.terminal import on_terminal

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals are for Unix")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_ms(chain(40), tmp_path / "chain.ms")
    return tmp_path / "chain.ms"


def test_a_written_file_is_told_with_its_size(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    given = ("report", model, "--format", "json", "-o", file)
    done = call(*given)
    assert done.stderr == f"lite-delegate: wrote {file} ({size_text(file.stat().st_size)})\n"
    assert (done.stdout, call(*given, "-q").stderr) == ("", "")


def test_sizes() -> None:
    assert [size_text(n) for n in (1, 999, 312_400, 2_300_000)] == ["1 byte", "999 bytes", "312 KB", "2.3 MB"]


def test_verbose_names_each_step_with_its_time(model: Path) -> None:
    told = call("report", model, "-v").stderr.splitlines()
    assert [line.rpartition(": ")[0] for line in told] == [
        "lite-delegate: reading chain.ms",
        "lite-delegate: compiling chain.ms",
    ]
    assert call("report", model).stderr == ""


@UNIX
@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_s_width_is_used_and_a_file_s_is_not(model: Path, tmp_path: Path, columns: int) -> None:
    shown = on_terminal([*COMMAND, "report", str(model), "-q"], columns=columns, both=True, variables={"NO_COLOR": "1"})
    assert "\x1b[" not in shown
    widest = max(map(len, shown.splitlines()))
    assert columns - 60 < widest <= columns
    on_terminal([*COMMAND, "report", str(model), "-o", str(tmp_path / "r.txt")], columns=columns, both=True)
    assert (tmp_path / "r.txt").read_text() == call("report", model).stdout


@UNIX
def test_a_page_for_a_browser_is_not_written_into_a_terminal(model: Path) -> None:
    shown = on_terminal([*COMMAND, "report", str(model), "--format", "html"], both=True)
    assert "give -o FILE.html, or pipe it." in " ".join(shown.split())


def test_full_shows_each_node(model: Path) -> None:
    assert "... 38 more" in call("report", model).stdout
    shown = call("report", model, "--full").stdout
    assert all(f"\nn{i} " in shown for i in range(40))
