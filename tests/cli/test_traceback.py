"""``--traceback``: what a delegate raised, as its author needs it; without it one line of each cause."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from tests.commands import run

BAD = """
from lite_delegate import Delegate, Kernel, Supported


class Asks(Delegate):
    name = "asks"

    def supports(self, kernel):
        raise ValueError(f"cannot judge {kernel.name}")


class Makes(Delegate):
    name = "makes"

    def supports(self, kernel):
        return Supported()

    def create_graph_kernel(self, run, model):
        raise IndexError("no slot")


class Starts(Delegate):
    name = "starts"

    def init(self):
        raise OSError("no driver")


class Graph(Kernel):
    def execute(self):
        raise ZeroDivisionError("in the device")


class Runs(Makes):
    name = "runs"

    def create_graph_kernel(self, run, model):
        boundary = model.boundary_of(run)
        return Graph("G", "Graph", boundary.inputs, boundary.outputs)
"""


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.py"
    path.write_text(BAD)
    return path


def line_of(statement: str) -> int:
    return [line.strip() for line in BAD.splitlines()].index(statement) + 1


IN_DEVICE = 'raise ZeroDivisionError("in the device")'


@pytest.mark.parametrize(
    ("command", "name", "raised", "where", "status"),
    [
        ("report", "Asks", "ValueError: cannot judge stem/conv", 'raise ValueError(f"cannot judge {kernel.name}")', 0),
        ("report", "Makes", "IndexError: no slot", 'raise IndexError("no slot")', 0),
        ("report", "Starts", "OSError: no driver", 'raise OSError("no driver")', 2),
        ("run", "Runs", "ZeroDivisionError: in the device", IN_DEVICE, 2),
        ("benchmark", "Runs", "ZeroDivisionError: in the device", IN_DEVICE, 2),
    ],
)
def test_it_is_shown_on_request(bad: Path, command: str, name: str, raised: str, where: str, status: int) -> None:
    arguments = (command, model_path(), "--delegate", f"{bad}:{name}")
    plain, told = run(*arguments), run(*arguments, "--traceback")
    assert (plain.returncode, told.returncode) == (status, status)
    assert "Traceback" not in plain.stderr
    assert len(plain.stderr.splitlines()) == 1
    assert raised.partition(":")[0] in plain.stderr
    assert f'File "{bad}", line {line_of(where)}, in ' in told.stderr
    assert told.stderr.count("Traceback") == 1
    assert raised in told.stderr.splitlines()
    assert "lite_delegate/runtime" not in told.stderr


def test_one_warning_for_all_kernels_with_one_cause(bad: Path) -> None:
    done = run("report", model_path(), "--delegate", f"{bad}:Asks", "--format", "json")
    (line,) = done.stderr.splitlines()
    data = json.loads(done.stdout)
    names = [node["name"] for node in data["nodes"]]
    assert f"{len(names)} kernels, the first are '{names[0]}' (Conv2DFusion), '{names[1]}'" in line
    assert {node["code"] for node in data["nodes"]} == {"COMPILE_FAILED"}
    (failure,) = data["failures"]
    assert "ValueError: cannot judge" in failure["traceback"]
    assert failure["text"] in line


def test_compare_shows_it_always(bad: Path) -> None:
    arguments = ("compare", model_path(), "--delegate", f"{bad}:Runs")
    done = run(*arguments)
    assert done.returncode == 1
    assert f'File "{bad}", line {line_of(IN_DEVICE)}' in done.stdout
    (subgraph,) = json.loads(run(*arguments, "--format", "json").stdout)["subgraphs"]
    assert subgraph["traceback"].endswith("ZeroDivisionError: in the device")
    assert subgraph["traceback"] in run(*arguments, "--format", "markdown").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", model_path(), "--delegate", "npu", "--rtol", "nan"),
        ("compare", "absent.ms", "--delegate", "npu"),
        ("report", model_path(), "--delegate", "npu", "--require", "nothing", "--traceback"),
    ],
)
def test_other_mistakes_of_the_user_have_none(arguments: tuple[object, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_class_that_cannot_be_imported_has_one(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("import no_such_package\n")
    done = run("report", model_path(), "--delegate", f"{path}:Any", "--traceback")
    assert done.returncode == 2
    assert f'File "{path}", line 1, in ' in done.stderr
