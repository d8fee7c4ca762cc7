"""A crash, a hang, an exit or an error in any hook of a delegate costs a subgraph at most, and is said."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.isolated.chains import COUNT, QUICK, Seen
from tests.isolated.delegates import MEGABYTE, FaultyDelegate, FaultyWalkingDelegate

CLAIMED = "nothing is claimed"
KEPT = "everything stays on the device"
FELL_BACK = "the CPU computes what the device does not"
HOOKS = {
    "constructor": CLAIMED,
    "init": CLAIMED,
    "probe": KEPT,
    "supports": CLAIMED,
    "limits": KEPT,
    "unmatched": KEPT,
    "version": KEPT,
    "properties": KEPT,
    "create_graph_kernel": CLAIMED,
    "prepare": CLAIMED,
    "bind": FELL_BACK,
    "execute": FELL_BACK,
    "fork": FELL_BACK,
    "places": KEPT,
    "estimate": KEPT,
    "release": KEPT,
    "close": KEPT,
}
"""Each hook that a prediction reaches, and what a failure there costs."""
SILENT = {"probe", "unmatched", "places", "estimate", "release", "close"}
"""Hooks whose failure costs nothing that a report has."""
WAYS = {
    "segfault": "by signal SIGSEGV",
    "abort": "by signal SIGABRT",
    "exit": "with exit status 3",
    "sys.exit": "SystemExit: 4",
    "hang": "gave no answer within",
    "leak": "ran out of memory",
    "raise": "Unpicklable",
}
"""Each way to fail, and the words for it."""
SHORT = replace(QUICK, start_seconds=8, claim_seconds=2, build_seconds=2, run_seconds=2)
CASES = [
    *[("segfault", hook) for hook in HOOKS],
    *[(how, hook) for how in WAYS if how != "segfault" for hook in ("create_graph_kernel", "execute")],
    *[(how, hook) for how in ("hang", "leak", "raise") for hook in ("init", "version")],
]


@pytest.mark.shows("ISOLATED", "ISOLATED_START_SECONDS", "ISOLATED_CLAIM_SECONDS", "ISOLATED_BUILD_SECONDS")
@pytest.mark.shows("ISOLATED", "ISOLATED_RUN_SECONDS", "ISOLATED_MEMORY")
@pytest.mark.parametrize(("how", "hook"), CASES)
def test_a_failure_costs_a_subgraph_at_most(
    how: str, hook: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    limits = replace(QUICK, memory=250 * MEGABYTE) if how == "leak" else SHORT if how == "hang" else QUICK
    seen = Seen(partial(FaultyDelegate, how, hook), limits, tmp_path)
    assert seen.is_right
    assert seen.on_device == (0 if HOOKS[hook] == CLAIMED else COUNT)
    assert hook in SILENT or WAYS[how] in seen.said
    output, errors = capfd.readouterr()
    assert output == ""
    assert "Traceback" not in errors


@pytest.mark.parametrize("how", ["segfault", "raise"])
@pytest.mark.parametrize("hook", ["cache_key", "export_kernel", "import_kernel"])
def test_a_failure_of_the_cache_costs_the_cache(how: str, hook: str, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    if hook == "import_kernel":
        assert Seen(FaultyDelegate, cache=folder).is_right
    seen = Seen(partial(FaultyDelegate, how, hook), cache=folder)
    assert seen.is_right
    assert seen.on_device == COUNT


@pytest.mark.parametrize("hook", ["build", "create_graph_kernel"])
def test_a_delegate_with_a_build_of_its_own(hook: str) -> None:
    seen = Seen(partial(FaultyWalkingDelegate, "segfault", hook))
    assert seen.is_right
    assert seen.on_device == 0
    assert "by signal SIGSEGV" in seen.said


@pytest.mark.parametrize("kind", [FaultyDelegate, FaultyWalkingDelegate])
@pytest.mark.parametrize("hook", ["create_graph_kernel", "prepare", "execute", "fork"])
def test_what_crashes_once_is_made_again(kind: type[FaultyDelegate], hook: str, tmp_path: Path) -> None:
    """The graph kernels of the process that ended are made again in the next one."""
    seen = Seen(partial(kind, "segfault", hook, str(tmp_path / "once")), count=2)
    assert seen.is_right
    assert seen.on_device == 2
    assert seen.delegate.started == 2


def test_a_guilty_kernel_costs_itself_alone() -> None:
    seen = Seen(partial(FaultyDelegate, "segfault", "add1"), count=3)
    assert seen.is_right
    assert seen.on_device == 2
    assert "'add1' (AddFusion): the delegate's own process ended by signal SIGSEGV in create_graph_kernel" in seen.said


def test_an_import_that_ends_the_process() -> None:
    seen = Seen("tests.isolated.aborting:AbortingDelegate")
    assert seen.is_right
    assert seen.on_device == 0
    assert "Delegate 'AbortingDelegate' is not available" in seen.said
    assert "by signal SIGABRT" in seen.said


@pytest.mark.shows("ISOLATED", "ISOLATED_RESTARTS")
def test_a_process_is_not_started_for_ever() -> None:
    seen = Seen(partial(FaultyDelegate, "segfault", "supports"), replace(QUICK, restarts=1), count=3)
    assert seen.is_right
    assert seen.delegate.started == 2
    assert "not started again after 1 restart;" in seen.said


def test_a_lost_device_is_not_asked_again() -> None:
    seen = Seen(partial(FaultyDelegate, "lost", "execute"))
    assert seen.is_right
    assert "because the device is lost" in seen.said
    assert seen.delegate.started == 1
