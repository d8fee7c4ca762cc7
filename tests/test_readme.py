"""What the README tells people to type and to paste works."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from lite_delegate_kernels import ALL_KERNELS

from lite_delegate.cli.frame.help_texts import COMMANDS
from lite_delegate.formats.ms import write_ms
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.profiles.load import profile_names
from tests.runtime.graphs import chain

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN, FAST, REQUESTS, SPLIT, DELEGATE, WALKING, NPU = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_two_commands_are_demo_and_test() -> None:
    commands = re.findall(r"^(make \w+)", README, re.MULTILINE)
    assert commands[:2] == ["make demo", "make test"]


def test_running_a_model(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    text = run("-c", RUN, cwd=tmp_path)
    assert "delegated  3 of 3 kernels" in text


def test_running_on_the_fastest_runtime(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    assert run("-c", FAST, cwd=tmp_path).splitlines() == ["[2, 3]"]


def test_compiling_once_and_asking_for_requests(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    lines = run("-c", RUN + REQUESTS, cwd=tmp_path).splitlines()
    assert lines[-4:] == ["(2, 3)"] * 4


def test_saying_how_a_model_is_split(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    build = "\nfrom lite_delegate import Model, ModelType\nmodel = Model()\n"
    build += "model.build_from_file('model.ms', ModelType.MINDIR_LITE, context)\n"
    assert run("-c", SPLIT + build + "print(len(model.get_graph_kernels()))", cwd=tmp_path).strip() == "1"


def test_the_delegate_is_complete_small_and_right(tmp_path: Path) -> None:
    assert len([line for line in DELEGATE.splitlines() if line.strip()]) <= 40
    (tmp_path / "my_delegate.py").write_text(DELEGATE)
    operators = ["--op", "AddFusion", "--op", "MulFusion", "--op", "Activation"]
    text = run("-m", "lite_delegate", "conformance", "--delegate", "my_delegate:MyDelegate", *operators, cwd=tmp_path)
    passed = int(re.findall(r"(\d+) passed, 0 wrong, 0 failed", text)[0])
    assert passed >= 30


def test_numbers_of_operators_are_those_of_the_table() -> None:
    has, format_has = map(int, re.findall(r"all (\d+) operators that the NPU has \(of the format's (\d+)\)", README)[0])
    table = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    npu = [row.split("|")[3].strip() for row in table.splitlines() if re.match(r"\| [A-Z][A-Za-z0-9]+ +\|", row)]
    assert (has, format_has) == (len(npu) - npu.count("no"), len(npu)) == (has, len(ALL_KERNELS))
    phone = load_profile("kirin").operators
    assert phone is not None
    assert int(re.findall(r"the (\d+) operators of the original's table", README)[0]) == len(phone)


def test_both_ways_of_writing_a_delegate_take_the_same(tmp_path: Path) -> None:
    (tmp_path / "my_delegate.py").write_text(DELEGATE + WALKING)
    write_ms(chain(3), tmp_path / "model.ms")
    for name in ("MyDelegate", "MyWalkingDelegate"):
        spec = f"my_delegate:{name}"
        arguments = ["run", "model.ms", "--delegate", spec, "--output", f"{name}.npz", "--strict"]
        assert "3 of 3 kernels on 'mine', 1 subgraph;" in run("-m", "lite_delegate", *arguments, cwd=tmp_path)
    outputs = [np.load(tmp_path / f"{name}.npz")["n2:0"] for name in ("MyDelegate", "MyWalkingDelegate")]
    np.testing.assert_array_equal(*outputs)


def tracked_folders(folder: str) -> set[str]:
    """The folders in a folder of the repository that have a file which belongs to it."""
    given = ["git", "ls-files", "--", folder]
    names = subprocess.run(given, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    below = [Path(name).relative_to(folder).parts for name in names]
    return {parts[0] for parts in below if len(parts) > 1}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="git tells what belongs to the repository")
def test_the_tree_has_every_folder_and_no_other() -> None:
    """Of the repository, the package, and the rooms in the package of which the tree says what is inside."""
    tree = README.partition("## What is where\n\n```\n")[2].partition("```")[0]
    package = re.findall(r"^  .*\n", tree, re.MULTILINE)
    outside = [line for line in tree.splitlines(keepends=True) if line not in package]
    assert firsts(outside) == tracked_folders(".")
    assert firsts(line[2:] for line in package) == tracked_folders("lite_delegate")
    for room in ("runtime", "npu", "conformance"):
        (words,) = re.findall(rf"^  {room}/ (.*\n(?: {{17}}.*\n)*)", tree, re.MULTILINE)
        assert set(re.findall(r"(\w+)/", words)) == tracked_folders(f"lite_delegate/{room}")


def firsts(lines: Iterable[str]) -> set[str]:
    """The first folders of the paths in a tree: what they hold stands behind at least three spaces."""
    return {first for line in lines for first in re.findall(r"(?:^| {3,})([.\w]+)/[\w/]*(?: {3,}|$)", line.rstrip())}


def test_the_tables_have_every_command_and_profile() -> None:
    rows = re.findall(r"^\| `lite-delegate (\w+)( diff)?.*$", README, re.MULTILINE)
    named = {first + second for first, second in rows}
    assert named == {name if name.startswith("report") else name.split()[0] for name in COMMANDS}
    (cache,) = re.findall(r"^\| `lite-delegate cache .*$", README, re.MULTILINE)
    for name in COMMANDS:
        group, _, command = name.partition(" ")
        assert group != "cache" or f"cache {command}" in cache or f"`{command}`" in cache
    profiles = README.partition("| profile | a device like |\n|---|---|\n")[2].partition("\n\n")[0]
    names = [name for row in profiles.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(names) == sorted(profile_names())
