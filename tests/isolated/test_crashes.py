"""A crash, a hang, an exit or an error in any hook of a delegate costs a subgraph at most, and is said.

Each hook fails in one or two ways; ``python -m tests.isolated`` lets each fail in every way.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from lite_delegate import Delegate, Kernel
from tests.isolated.chains import QUICK, Seen
from tests.isolated.faulty import FaultyDelegate, FaultyWalkingDelegate
from tests.isolated.judging import judged
from tests.isolated.visits import HOOKS, STAYS, SUBGRAPH, WAYS, Visit

QUICK_WAYS = [how for how in WAYS if how not in ("hang", "leak")]
CASES = [
    *[(QUICK_WAYS[number % len(QUICK_WAYS)], hook) for number, hook in enumerate(HOOKS)],
    *[(how, hook) for how in ("hang", "leak") for hook in ("init", "create_graph_kernel", "kernel.run")],
]


@pytest.mark.shows("ISOLATED", "ISOLATED_START_SECONDS", "ISOLATED_CLAIM_SECONDS", "ISOLATED_BUILD_SECONDS")
@pytest.mark.shows("ISOLATED", "ISOLATED_RUN_SECONDS", "ISOLATED_MEMORY")
@pytest.mark.parametrize(("how", "hook"), CASES)
def test_a_failure_costs_a_subgraph_at_most(
    how: str, hook: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    visit = Visit(how, hook, tmp_path).go(HOOKS[hook].steps)
    assert not judged(visit).startswith("!"), visit.said
    output, errors = capfd.readouterr()
    assert output == ""
    assert "Traceback" not in errors
    if HOOKS[hook].cost == SUBGRAPH:
        assert WAYS[how] in visit.said


def test_every_hook_fails_once() -> None:
    """Also the ones that a later release adds."""
    asked = {name for name, each in vars(Delegate).items() if callable(each) and not name.startswith("_")}
    told = {name for name, each in vars(Kernel).items() if callable(each) or isinstance(each, property)}
    known = {f"kernel.{name}" for name in told if not name.startswith("_")} | asked
    known -= {f"kernel.{name}" for name in ("inputs", "operands", "outputs")}
    beside = {"import", "constructor", "kernel.run", "kernel.give_back"}
    assert {*HOOKS, *STAYS} == known | beside


def test_what_a_crash_of_an_answer_costs_is_bounded(tmp_path: Path) -> None:
    """Each of many graph kernels would cost a process, and the restarts would run out."""
    visit = Visit("segfault", "kernel.estimate", tmp_path).go(HOOKS["kernel.estimate"].steps)
    assert visit.delegate is not None
    assert visit.delegate.started == 2


def test_an_error_of_giving_memory_back_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lite_delegate"):
        Visit("segfault", "kernel.give_back", tmp_path).go(HOOKS["kernel.give_back"].steps)
    assert "memory of a request on 'adding' could not be given back" in caplog.text


@pytest.mark.parametrize("kind", [FaultyDelegate, FaultyWalkingDelegate])
@pytest.mark.parametrize("hook", ["create_graph_kernel", "kernel.prepare", "kernel.run", "kernel.fork"])
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


def test_an_import_that_ends_the_process(tmp_path: Path) -> None:
    visit = Visit("abort", "import", tmp_path).go(None)
    assert visit.on_device == 0
    assert "Delegate 'FaultyDelegate' is not available" in visit.said
    assert "by signal SIGABRT" in visit.said


@pytest.mark.shows("ISOLATED", "ISOLATED_RESTARTS")
def test_a_process_is_not_started_for_ever() -> None:
    seen = Seen(partial(FaultyDelegate, "segfault", "supports"), replace(QUICK, restarts=1), count=3)
    assert seen.is_right
    assert seen.delegate.started == 2
    assert "not started again after 1 restart;" in seen.said


def test_a_lost_device_is_not_asked_again() -> None:
    seen = Seen(partial(FaultyDelegate, "lost", "kernel.run"))
    assert seen.is_right
    assert "because the device is lost" in seen.said
    assert seen.delegate.started == 1
