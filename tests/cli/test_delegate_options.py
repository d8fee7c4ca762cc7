"""``--delegate`` with profiles of one's own and ``--delegate-option``, as a user types them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from lite_delegate.conformance.runner import run_case
from lite_delegate.conformance.shrinking.save import save_case
from lite_delegate.conformance.suite import all_cases
from lite_delegate.demo import model_path
from lite_delegate.devices.registry.delegate_spec import parse_options, resolve_delegate
from lite_delegate.errors import InputError
from lite_delegate.ir import DataType
from lite_delegate.npu import NPUDelegate
from tests.commands import call

MINE = """
from lite_delegate import Delegate, RejectCode, Rejected


class Plain(Delegate):
    name = "plain"

    def supports(self, kernel):
        return Rejected(RejectCode.OPERATOR, "plain takes nothing")


class Tuned(Plain):
    def __init__(self, options=None):
        self.options = {} if options is None else options
        if "broken" in self.options:
            raise ValueError("broken is not an option")

    def supports(self, kernel):
        return Rejected(RejectCode.OPERATOR, f"options {sorted(self.options.items())}")
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "my_chip.toml").write_text('base = "kirin"\noperators = ["FullConnection"]\n')
    return tmp_path


def rejected(here: Path, *arguments: object) -> str:
    done = call(*arguments, status=2, cwd=here)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def report(here: Path, *arguments: object):
    return json.loads(call("report", model_path(), "--format", "json", *arguments, cwd=here).stdout)


def test_a_profile_of_ones_own_decides_what_is_delegated(here: Path) -> None:
    nodes = report(here, "--delegate", "npu:my_chip.toml")["nodes"]
    assert {n["type"] for n in nodes if n["subgraph"] is not None} == {"FullConnection"}
    assert any("NPU profile 'my_chip' has no" in (n["reason"] or "") for n in nodes)


def test_bad_profiles_are_one_line_on_every_command(here: Path) -> None:
    (here / "bad.toml").write_bytes(b"\xff")
    (here / "worse.toml").write_text('base = "kirin"\n[compute]\ntiles = 0\n')
    for command in (["demo"], ["report", model_path()], ["run", model_path()], ["conformance", "--op", "Softmax"]):
        assert "is not TOML" in rejected(here, *command, "--delegate", "npu:bad.toml")
    assert "[compute]: 'tiles' must be an integer from 1 to 64, got 0" in rejected(
        here, "demo", "--delegate", "npu:worse.toml"
    )
    assert "No such file" in rejected(here, "demo", "--delegate", "npu:absent.toml")
    assert "No NPU profile 'tpu'. Profiles: generic, hddl, kirin" in rejected(here, "demo", "--delegate", "npu:tpu")


def test_options_reach_the_npu(here: Path) -> None:
    (here / "layers.xml").write_text('<CustomLayers><CustomLayer type="Softmax"/></CustomLayers>')
    options = ["--delegate-option", "VPU_CUSTOM_LAYERS=layers.xml", "--delegate-option", "log_level=LOG_INFO"]
    nodes = report(here, *options)["nodes"]
    assert {n["code"] for n in nodes if n["type"] == "Softmax"} == {"POLICY"}
    said = "npu info: model 'digits': compiled"
    assert f"{said} NpuGraph0" in call("demo", *options, cwd=here).stderr
    assert said in call("run", model_path(), "--delegate", "npu", *options, cwd=here).stderr


@pytest.mark.parametrize("command", [["demo"], ["report", model_path()], ["run", model_path(), "--delegate", "npu"]])
def test_bad_options_are_one_line(here: Path, command: list[object]) -> None:
    for text, message in [
        ("NPU_TURBO", "--delegate-option must be KEY=VALUE, got 'NPU_TURBO'"),
        ("=1", "--delegate-option must be KEY=VALUE, got '=1'"),
        ("NPU_TURBO=maybe", "Property NPU_TURBO must be YES or NO; got 'maybe'"),
        ("NPU_TURB=YES", "The NPU has no property 'NPU_TURB'. Did you mean 'NPU_TURBO'"),
        ("DEVICE_UUID=2", "Property DEVICE_UUID can only be read"),
    ]:
        assert message in rejected(here, *command, "--delegate-option", text)
    twice = ["--delegate-option", "NPU_TURBO=YES", "--delegate-option", "npu_turbo=NO"]
    assert "--delegate-option npu_turbo is given twice" in rejected(here, *command, *twice)


def test_delegates_without_options_say_so(here: Path) -> None:
    option = ["--delegate-option", "a=b=c"]
    assert "--delegate none has no options, got a." in rejected(here, "demo", "--delegate", "none", *option)
    assert "mine:Plain has no options, got a." in rejected(here, "demo", "--delegate", "mine:Plain", *option)
    assert "cannot make it: ValueError: broken is not an option" in rejected(
        here, "demo", "--delegate", "mine:Tuned", "--delegate-option", "broken="
    )


def test_options_reach_a_delegate_of_ones_own(here: Path) -> None:
    nodes = report(here, "--delegate", "mine:Tuned", "--delegate-option", "a=b=c")["nodes"]
    assert {n["reason"] for n in nodes} == {"options [('a', 'b=c')]"}
    assert {n["reason"] for n in report(here, "--delegate", "mine:Tuned")["nodes"]} == {"options []"}


def test_options_reach_the_workers_of_the_suite(here: Path) -> None:
    arguments = ["--op", "Softmax", "--format", "json", "--jobs", "1", "--delegate", "mine:Tuned"]
    data = json.loads(
        call("conformance", "--allow-nothing-claimed", *arguments, "--delegate-option", "a=b", cwd=here).stdout
    )
    assert data["options"] == {"a": "b"}
    assert {case["detail"] for case in data["cases"]} == {"OPERATOR: options [('a', 'b')]"}
    assert "The NPU has no property" in rejected(
        here, "conformance", "--op", "Softmax", "--delegate", "npu", "--delegate-option", "NPU_TURB=1"
    )


def test_options_are_in_the_command_that_shows_a_saved_failure(tmp_path: Path) -> None:
    (good,) = (c for c in all_cases(["Softmax"]) if c.name == "rank_4_channels")
    options = {"NPU_TILES": "1", "LOG_LEVEL": "LOG_NONE"}
    folder = save_case(good, run_case(good, None), "npu", tmp_path, options)
    command = shlex.split((folder / "command.txt").read_text().splitlines()[0])
    assert command[command.index("--delegate-option") + 1] == "NPU_TILES=1"
    assert command.count("--delegate-option") == 2
    call(*command[1:])
    assert np.load(command[command.index("--output") + 1])


def test_the_suite_is_right_in_float32(here: Path) -> None:
    arguments = ["--op", "Softmax", "--op", "Conv2DFusion", "--format", "json", "--delegate", "npu"]
    data = json.loads(
        call("conformance", *arguments, "--delegate-option", "INFERENCE_PRECISION_HINT=f32", cwd=here).stdout
    )
    assert data["totals"]["passed"] > 0
    assert data["totals"]["wrong"] == data["totals"]["failed"] == 0


def test_specs_in_python() -> None:
    delegate = resolve_delegate("npu:npu4000", {"NPU_TILES": "5"})
    assert isinstance(delegate, NPUDelegate)
    assert delegate.target.tiles == 5
    assert resolve_delegate("none") is None
    precise = resolve_delegate("npu", {"INFERENCE_PRECISION_HINT": "f32"})
    assert isinstance(precise, NPUDelegate)
    assert precise.storage_dtype == DataType.FLOAT32
    assert parse_options(["a=", "b=c=d"]) == {"a": "", "b": "c=d"}
    with pytest.raises(InputError, match="given twice"):
        parse_options(["a=1", "A=1"])


def test_an_id_beside_a_profile_is_a_check() -> None:
    assert resolve_delegate("npu:npu4000", {"DEVICE_ID": "4000"}) is not None
    for wrong in ("3720", "1"):
        with pytest.raises(InputError, match=f"Property DEVICE_ID must be nothing or 4000; got '{wrong}'"):
            resolve_delegate("npu:npu4000", {"device_id": wrong})
