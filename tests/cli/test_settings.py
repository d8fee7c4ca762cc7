"""Defaults of options: the working directory's ``lite-delegate.toml``, and environment variables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.formats.ms import write_ms
from tests.commands import call
from tests.runtime.graphs import chain


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_ms(chain(3), tmp_path / "chain.ms")
    return tmp_path


def settings(folder: Path, text: str) -> None:
    (folder / "lite-delegate.toml").write_text(text)


def test_the_file_has_defaults_for_all_commands_and_for_one(folder: Path) -> None:
    settings(folder, 'delegate = "npu"\nno-rewrite = true\n[report]\nformat = "json"\ndeny-node = ["n0", "n1"]\n')
    done = call("report", "chain.ms", cwd=folder)
    report = json.loads(done.stdout)
    assert [node["code"] for node in report["nodes"][:2]] == ["POLICY", "POLICY"]
    assert done.stderr == "lite-delegate: note: from 'lite-delegate.toml': delegate, no-rewrite, format, deny-node\n"
    assert "model" in call("info", "chain.ms", cwd=folder).stdout


def test_the_command_line_comes_before_the_environment_and_the_environment_before_the_file(folder: Path) -> None:
    settings(folder, '[report]\nformat = "json"\n[report.diff]\nformat = "markdown"\n')
    markdown = {"LITE_DELEGATE_REPORT_FORMAT": "markdown"}
    assert call("report", "chain.ms", cwd=folder).stdout.startswith("{")
    assert call("report", "chain.ms", cwd=folder, env=markdown).stdout.startswith("#")
    assert "digraph" in call("report", "chain.ms", "--format", "dot", cwd=folder, env=markdown).stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[report", "'lite-delegate.toml' is no TOML: "),
        ('delegat = "npu"', "no option of several commands 'delegat'. Did you mean "),
        ("[reprot]", "no command 'reprot'. Did you mean "),
        ("[report]\nformt = 1", "[report]: no option 'formt'. Did you mean "),
        ('[report]\nformat = "nonesuch"', "'nonesuch' is not one of"),
    ],
)
def test_a_mistake_in_the_file_is_one_line(folder: Path, text: str, message: str) -> None:
    settings(folder, text)
    done = call("report", "chain.ms", "-q", cwd=folder, status=2)
    assert message in done.stderr
    assert [line for line in done.stderr.splitlines() if "note: from" not in line] == [done.stderr.splitlines()[-1]]


def test_help_needs_no_file(folder: Path) -> None:
    settings(folder, "[report")
    assert "report" in call("--help", cwd=folder).stdout
