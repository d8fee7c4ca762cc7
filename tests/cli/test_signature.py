"""``--signature`` of the commands that open a model."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite")

from lite_delegate.cli.frame.help_texts import COMMANDS
from tests.commands import invoke
from tests.formats.tflite.models import T, out, single
from tests.formats.tflite.test_graphs import X, two_signatures


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "m.tflite").write_bytes(two_signatures())
    return str(tmp_path / "m.tflite")


@pytest.mark.parametrize(
    ("signature", "in_the_file", "operator"),
    [([], "ADD", "AddFusion"), (["--signature", "times"], "MUL", "MulFusion")],
)
def test_info_and_report(model: str, signature: list[str], in_the_file: str, operator: str) -> None:
    found = json.loads(invoke("info", model, "--format", "json", *signature).output)
    assert [o["type"] for o in found["operators"]] == [in_the_file]
    report = json.loads(invoke("report", model, "--format", "json", *signature).output)
    assert [n["type"] for n in report["nodes"]] == [operator]
    assert report["model"].endswith("m.tflite")


def test_run(model: str) -> None:
    done = invoke("run", model, "--signature", "times")
    assert done.exit_code == 0
    assert "t2" in done.output


def test_a_signature_that_is_not_there(model: str) -> None:
    done = invoke("run", model, "--signature", "minus")
    assert done.exit_code == 2
    assert "no signature 'minus'; it has 'plus', 'times'" in done.output


def test_dimensions_that_a_file_leaves_open_are_those_beside_them_or_given_to_a_report(tmp_path: Path) -> None:
    (tmp_path / "open.tflite").write_bytes(
        single("ABS", [T(X.data, signature=(-1, 3))], [out(shape=(2, 3), signature=(-1, 3))])
    )
    command = ["report", str(tmp_path / "open.tflite"), "--format", "json"]
    found, given = (json.loads(invoke(*command, *shape).output) for shape in ([], ["--input-shape", "t0=5,3"]))
    assert [(each["kernels_delegated"], each["inputs"][0]["shape"]) for each in (found, given)] == [
        (1, [2, 3]),
        (1, [5, 3]),
    ]
    said = "Open dimensions: 't0' [-1, 3] is taken as [2, 3]; to change that: --input-shape t0=2,3"
    assert (found["notes"], given["notes"]) == ([said], [])


@pytest.mark.parametrize(("command", "more"), [("run", ()), ("compare", ()), ("benchmark", ("--runs", "1"))])
def test_and_to_what_predicts(tmp_path: Path, command: str, more: tuple[str, ...]) -> None:
    (tmp_path / "open.tflite").write_bytes(
        single("ABS", [T(X.data, signature=(-1, 3))], [out(shape=(2, 3), signature=(-1, 3))])
    )
    whole = [command, str(tmp_path / "open.tflite"), "--delegate", "npu", *more]
    for shape, status in (("t0=2,3", 0), ("t0=2,4", 2), ("other=2,3", 2)):
        done = invoke(*whole, "--input-shape", shape)
        assert (done.exit_code, shape, done.output.count("\n") == 1) == (status, shape, status == 2), done.output


def test_and_to_what_a_conversion_left_open(tmp_path: Path) -> None:
    source, converted = str(tmp_path / "open.tflite"), str(tmp_path / "open.ms")
    Path(source).write_bytes(single("ABS", [T(X.data, signature=(-1, 3))], [out(shape=(2, 3), signature=(-1, 3))]))
    assert invoke("convert", source, "-o", converted).exit_code == 0
    command = ["report", converted, "--format", "json", "--input-shape"]
    report = json.loads(invoke(*command, "t0=2,3").output)
    assert (report["model"], report["kernels_delegated"]) == (converted, 1)
    assert "of 't0' must fit [-1, 3], got [2, 4]" in invoke(*command, "t0=2,4").output


def test_every_command_that_takes_a_model_has_it_but_one() -> None:
    commands = {
        name: getattr(import_module(f"lite_delegate.cli.{at}"), at)
        for name in COMMANDS
        for at in [name.replace(" ", "_")]
    }
    opening = {name: {p.name for p in each.params} for name, each in commands.items()}
    assert {name for name, found in opening.items() if "model" in found and "signature" not in found} == {"telemetry"}
