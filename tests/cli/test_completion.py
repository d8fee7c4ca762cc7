"""What shells offer after Tab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from lite_delegate.cli.main import main
from tests.commands import call

REPORT = ["report", "m.ms", "--delegate"]


def offered(arguments: list[str], incomplete: str) -> list[str]:
    shell = ShellComplete(main, {}, "lite-delegate", "_LITE_DELEGATE_COMPLETE")
    return [each.value for each in shell.get_completions(arguments, incomplete)]


@pytest.mark.parametrize(
    ("arguments", "incomplete", "expected"),
    [
        ([], "c", ["cache", "calibrate", "compare", "compile", "conformance", "convert"]),
        ([], "rep", ["report"]),
        (["cache"], "", ["clear", "explain", "list", "prune", "verify"]),
        (["cache", "list"], "--cache", ["--cache-dir"]),
        (["report"], "--de", ["--delegate", "--delegate-option", "--deny-type", "--deny-node"]),
        (["report", "diff"], "--f", ["--format"]),
        (["report", "diff", "--format"], "m", ["markdown"]),
        (["properties"], "", ["core", "CPU", "NPU", "OPENVINO", "ONNXRUNTIME", "QNN", "LITERT", "ETHOSU"]),
        (["properties"], "n", ["NPU"]),
        (["report", "m.ms", "--delegate"], "no", ["none"]),
        (["report", "m.ms", "--delegate"], "n", ["none", "NPU"]),
        (REPORT, "a", ["auto"]),
        (REPORT, "is", ["isolated:"]),
        (REPORT, "isolated:n", ["isolated:NPU"]),
        (REPORT, "isolated:QNN:SM865", ["isolated:QNN:SM8650"]),
        (REPORT, "QNN:SM865", ["QNN:SM8650"]),
        (REPORT, "li", ["LITERT"]),
        (REPORT, "ethos-u65", ["ETHOS-U65-256", "ETHOS-U65-512"]),
        (REPORT, "nothing:", []),
        ([*REPORT, "isolated:npu", "--delegate-option"], "NPU_TU", ["NPU_TURBO="]),
        ([*REPORT, "npu", "--delegate-option"], "NPU_T", ["NPU_TURBO=", "NPU_TILES="]),
        ([*REPORT, "npu", "--delegate-option"], "npu_turbo=", ["NPU_TURBO=YES", "NPU_TURBO=NO"]),
        ([*REPORT, "npu", "--delegate-option"], "MODEL_PRIORITY=h", ["MODEL_PRIORITY=HIGH"]),
        ([*REPORT, "npu", "--delegate-option"], "NUM_STREAMS=", ["NUM_STREAMS=AUTO"]),
        ([*REPORT, "npu", "--delegate-option"], "NPU_TILES=", []),
        ([*REPORT, "npu:npu3720", "--delegate-option"], "DEVICE_ID=", ["DEVICE_ID=3720"]),
        ([*REPORT, "npu", "--delegate-option"], "FULL_DEVICE", []),
        ([*REPORT, "none", "--delegate-option"], "N", []),
        ([*REPORT, "strange", "--delegate-option"], "N", []),
        ([*REPORT, "no.py:Class", "--delegate-option"], "N", []),
        ([*REPORT, "HETERO:NPU,CPU", "--delegate-option"], "N", []),
    ],
)
def test_names_and_values_that_begin_as_it_was_typed(
    arguments: list[str], incomplete: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LITE_DELEGATE_NPU_DEVICES", raising=False)
    assert offered(arguments, incomplete) == expected


def test_the_first_word_of_a_report_is_a_command_or_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits.ms").touch()
    (tmp_path / "di").mkdir()
    assert offered(["report"], "di") == ["diff", "di/", "digits.ms"]
    shell = ShellComplete(main, {}, "lite-delegate", "_LITE_DELEGATE_COMPLETE")
    (left,) = shell.get_completions(["report"], "dig")
    assert (left.type, left.value) == ("file", "dig")


def test_a_shell_asks_the_command() -> None:
    """As bash does with the function that ``_LITE_DELEGATE_COMPLETE=bash_source lite-delegate`` prints."""
    asked = {"COMP_WORDS": "lite-delegate properties co", "COMP_CWORD": "2", "_LITE_DELEGATE_COMPLETE": "bash_complete"}
    code = "import sys; sys.argv = ['lite-delegate']; from lite_delegate.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("plain,core\n", "")


def test_the_help_names_the_kinds_of_delegates() -> None:
    shown = " ".join(call("report", "--help").stdout.split())
    for word in ("isolated:SPEC", "qnn:SM8650", "litert", "ethos-u55-128", "HETERO:A,B,CPU", "auto"):
        assert word in shown


@pytest.mark.parametrize(
    ("shell", "ask"),
    [
        (
            "bash",
            "COMP_WORDS=(lite-delegate {words}) COMP_CWORD={place}; _lite_delegate_completion lite-delegate; "
            'echo "${{COMPREPLY[*]}}"',
        ),
        (
            "zsh",
            "_describe() {{ print -l -- ${{(P)3}} }}; compadd() {{ shift; print -l -- $@ }}; "
            "words=(lite-delegate {words}); "
            "CURRENT={place}+1; _lite_delegate_completion",
        ),
    ],
)
@pytest.mark.parametrize(
    ("words", "expected"),
    [("cache l", "list"), ("report di", "diff"), ("report diff --qu", "--quiet")],
)
def test_a_shell_completes_the_words(shell: str, ask: str, words: str, expected: str, tmp_path: Path) -> None:
    """The shell's own function runs, with the variables that the shell gives to it."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "lite-delegate"
    script.write_text(f"#!{sys.executable}\nfrom lite_delegate.cli import main\nmain(prog_name='lite-delegate')\n")
    script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    source = subprocess.run(
        [str(script)],
        env={**environment, "_LITE_DELEGATE_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    before = "" if shell == "bash" else "compdef() { }\n"
    asked = ask.format(words=words, place=len(words.split()))
    done = subprocess.run(
        [program, "-c", f"{before}{source}\n{asked}"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert expected in done.stdout, done.stderr
