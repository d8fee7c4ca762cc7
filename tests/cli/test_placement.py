"""Several ``--delegate``, ``--affinity``, ``--pin`` and ``--repair-tries``, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite_delegate.devices.registry.delegate_spec import resolve_delegates
from lite_delegate.errors import InputError
from lite_delegate.formats.ms import write_ms
from lite_delegate.npu import NPUDelegate
from tests.commands import call
from tests.runtime.graphs import chain

DELEGATES = """
from lite_delegate import Delegate, DelegateBuildError, Kernel, RejectCode, Rejected, Supported


class Graph(Kernel):
    def __init__(self, name, boundary, run):
        super().__init__(name, "Graph", boundary.inputs, boundary.outputs)
        self.run = run

    def execute(self):
        for kernel in self.run:
            kernel.execute()


class Odd(Delegate):
    name = "odd"
    takes = "13579"

    def __init__(self, options=None):
        self.takes = (options or {}).get("takes", self.takes)
        self.bad = (options or {}).get("bad", "")

    def supports(self, kernel):
        if kernel.name[-1] in self.takes:
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"{kernel.name} is not for {self.name}")

    def create_graph_kernel(self, run, model):
        if any(kernel.name == self.bad for kernel in run):
            raise DelegateBuildError(f"{self.bad} is bad")
        return Graph(f"{self.name}-{run[0].name}", model.boundary_of(run), run)


class Low(Odd):
    name = "low"
    takes = "0123"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(DELEGATES)
    write_ms(chain(6), tmp_path / "chain.ms")
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    return tmp_path


BOTH = ("--delegate", "mine:Odd", "--delegate", "mine:Low")


def report(folder: Path, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call("report", "chain.ms", "--format", "json", *arguments, cwd=folder).stdout)
    return found


def devices(found: dict[str, Any]) -> list[str]:
    return [node["device"] for node in found["nodes"]]


def test_the_first_goes_before_the_second(folder: Path) -> None:
    found = report(folder, *BOTH)
    assert devices(found) == ["low", "odd", "low", "odd", "CPU", "odd"]
    assert found["delegate"] == "odd, low"
    assert found["nodes"][4]["reason"] == "odd: n4 is not for odd; low: n4 is not for low"
    assert [d["name"] for d in found["delegates"]] == ["odd", "low"]
    assert "delegate   odd, low" in call("report", "chain.ms", *BOTH, cwd=folder).stdout


def test_predictions_are_those_of_the_cpu(folder: Path) -> None:
    for delegates in ((), BOTH):
        call("run", "chain.ms", *delegates, "--input", "x=x.npy", "--output", "y.npz", cwd=folder)
        with np.load(folder / "y.npz") as outputs:
            np.testing.assert_array_equal(outputs["n5:0"], np.full((2, 3), 22))


def test_plans_from_a_file_and_single_pins(folder: Path) -> None:
    (folder / "plan.json").write_text('{"n1": "low", "n3": "CPU", "n5": "odd"}')
    plan = (*BOTH, "--affinity", "plan.json")
    assert devices(report(folder, *plan)) == ["low", "low", "low", "CPU", "CPU", "odd"]
    assert devices(report(folder, *plan, "--pin", "n1=odd", "--pin", "n0=cpu")) == [
        "CPU", "odd", "low", "CPU", "CPU", "odd",
    ]  # fmt: skip
    assert report(folder, *plan)["options"]["affinity"] == {"n1": "low", "n3": "CPU", "n5": "odd"}


def test_repair_says_what_it_tried(folder: Path) -> None:
    one = ("--delegate", "mine:Low", "--delegate-option", "takes=012345", "--delegate-option", "bad=n2")
    found = report(folder, *one)
    assert devices(found) == ["low", "low", "CPU", "low", "low", "low"]
    (note,) = found["notes"]
    assert "could not compile the subgraph of 6 kernels from 'n0' to 'n5' (n2 is bad); tried 7 parts" in note
    assert devices(report(folder, *one, "--repair-tries", "0")) == ["CPU"] * 6
    assert devices(report(folder, *one, "--repair-tries", "none")) == devices(found)


def test_options_of_several_delegates_say_whose_they_are(folder: Path) -> None:
    found = report(folder, *BOTH, "--delegate-option", "2.takes=4", "--delegate-option", "1.takes=05")
    assert devices(found) == ["odd", "CPU", "CPU", "CPU", "low", "odd"]


def test_two_of_one_kind_get_names(folder: Path) -> None:
    twins = ("--delegate", "a=mine:Odd", "--delegate", "b=mine:Odd", "--delegate-option", "2.takes=02")
    assert devices(report(folder, *twins)) == ["b", "a", "b", "a", "CPU", "a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--delegate", "mine:Odd", "--delegate", "mine:Odd"), "are both called 'odd'; write --delegate NAME=mine:Odd"),
        (("--delegate", "none", "--delegate", "mine:Odd"), "--delegate none stands alone"),
        ((*BOTH, "--delegate-option", "takes=1"), "with 2 delegates write N.KEY=VALUE, where N from 1 to 2"),
        ((*BOTH, "--delegate-option", "3.takes=1"), "with 2 delegates write N.KEY=VALUE, where N from 1 to 2"),
        ((*BOTH, "--pin", "n0"), "--pin must be NODE=DEVICE, got 'n0'"),
        ((*BOTH, "--pin", "n0=odd", "--pin", "n0=low"), "--pin names node 'n0' twice"),
        ((*BOTH, "--pin", "n00=odd"), "affinity: expected names of nodes, found 'n00'. Did you mean 'n0'"),
        ((*BOTH, "--pin", "n0=gpu"), "expected one of the devices 'odd', 'low', 'CPU', found 'gpu'"),
        ((*BOTH, "--pin", "n0=odd"), "node 'n0' (AddFusion) cannot run on 'odd': OPERATOR: n0 is not for odd"),
        ((*BOTH, "--affinity", "none.json"), "'none.json': No such file"),
        ((*BOTH, "--affinity", "x.npy"), "--affinity x.npy: it is no JSON"),
        ((*BOTH, "--affinity", "list.json"), "--affinity list.json: expected an object such as"),
        ((*BOTH, "--affinity", "twice.json"), "--affinity twice.json: node 'n0' is named twice"),
        ((*BOTH, "--calibration-ms", "1.5"), "--calibration-ms must be a number of at least 0, or none; got '1.5'"),
        ((*BOTH, "--repair-tries", "-1"), "--repair-tries must be a number of at least 0, or none; got '-1'"),
    ],
    ids=lambda x: "".join(c for c in x if c.isalnum())[:40] if isinstance(x, str) else "-",
)
def test_mistakes_are_one_line_and_status_2(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "list.json").write_text("[1]")
    (folder / "twice.json").write_text('{"n0": "odd", "n0": "low"}')
    done = call("report", "chain.ms", *arguments, cwd=folder, status=2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_specs_in_python() -> None:
    first, second = resolve_delegates(["npu:kirin", "big=npu:npu4000"], {"2.NPU_TILES": "5"})
    assert isinstance(second, NPUDelegate)
    assert ((first.name, second.name), second.target.tiles) == (("npu", "big"), 5)
    assert resolve_delegates(["none"]) == []
    with pytest.raises(InputError, match="No NPU profile"):
        resolve_delegates(["npu", "a=npu:nonesuch"])
