"""The process: its output, its folder, its end with the parent, its interpreter, its limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import (
    Context,
    Core,
    DelegateUnavailable,
    DelegateWarning,
    InputError,
    Model,
    RemoteError,
    RequestCancelled,
)
from lite_delegate.devices.registry.delegate_spec import isolated_spec
from lite_delegate.isolated import IsolatedDelegate, Isolation, lane
from lite_delegate.isolated.folder import PREFIX
from lite_delegate.isolated.lane import Lane
from lite_delegate.isolated.process import unfit
from tests.isolated.chains import COUNT, QUICK, Seen, chain
from tests.isolated.delegates import AddingDelegate
from tests.isolated.faulty import FaultyDelegate


def folders() -> set[str]:
    return {each.name for each in Path(tempfile.gettempdir()).glob(f"{PREFIX}{os.getpid()}-*")}


def memories() -> int:
    """The shared memory that this process has open."""
    names = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            names.append(os.readlink(each))
    return sum("memfd:lite-delegate" in name for name in names)


def test_prints_stay_away_from_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    seen = Seen(partial(FaultyDelegate, "print", "create_graph_kernel"))
    assert seen.is_right
    assert "printed by native code" in seen.delegate.output
    assert capfd.readouterr().out == ""


def test_the_last_lines_are_in_the_reason() -> None:
    seen = Seen(partial(FaultyDelegate, "shout", "create_graph_kernel"))
    assert "(its last output: ERROR: no chip | assertion failed)" in seen.said


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other tests make folders meanwhile
    before, had = folders(), memories()
    seen = Seen(AddingDelegate)
    assert len(folders() - before) == 1
    process = seen.delegate._keeper.process()._spawned._process
    del seen
    assert folders() == before
    assert memories() == had
    assert process.returncode is not None


def test_a_folder_of_a_parent_that_was_killed_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    old = tmp_path / f"{PREFIX}{gone.pid}-old"
    old.mkdir()
    (old / "file").write_bytes(b"x")
    IsolatedDelegate(AddingDelegate)
    assert not old.exists()


KILLED = """
from tests.isolated.faulty import FaultyDelegate
from lite_delegate.isolated import IsolatedDelegate
delegate = IsolatedDelegate(FaultyDelegate)
print(delegate._keeper.process()._spawned._process.pid, flush=True)
delegate._keeper.ask("delegate", "hang", seconds=600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_process_ends_with_its_parent(how: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.send_signal(how)
    parent.wait()
    deadline = time.monotonic() + 10
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(child)


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie, which only its new parent can end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.shows("ISOLATED", "ISOLATED_PYTHON")
def test_another_interpreter() -> None:
    seen = Seen("tests.isolated.delegates:AddingDelegate", replace(QUICK, python=sys.executable))
    assert seen.is_right
    assert seen.on_device == COUNT


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"python": [3, 11, 0], "numpy": "1.26.4", "error": ""}, ""),
        ({"python": [3, 13, 0], "numpy": "2.4.0rc1", "error": ""}, ""),
        ({"python": [3, 8, 18], "numpy": "1.24.0", "error": ""}, "Python must be 3.11 or newer, is 3.8.18"),
        ({"python": [3, 11, 7], "numpy": "1.23.5", "error": ""}, "numpy must be 1.26 or newer, is 1.23.5"),
        ({"python": [3, 11, 7], "numpy": None, "error": "no"}, "numpy cannot be imported there (no)"),
    ],
)
def test_versions(found: dict[str, object], why: str) -> None:
    assert unfit(found) == why


def test_an_interpreter_that_is_none() -> None:
    delegate = IsolatedDelegate("tests.isolated.delegates:AddingDelegate", {"python": "/no/python"})
    with pytest.raises(DelegateUnavailable, match="The interpreter '/no/python' cannot be started"):
        delegate.init()


def test_options_and_properties() -> None:
    delegate = IsolatedDelegate(
        "tests.isolated.faulty:FaultyDelegate",
        {"how": "segfault", "ISOLATED_RUN_SECONDS": "5", "isolated_memory": "2G"},
    )
    assert delegate.get_property("ISOLATED_RUN_SECONDS") == 5
    assert delegate.get_property("ISOLATED_MEMORY") == 2 << 30
    assert delegate.get_property("SPEED") == 5
    delegate.set_property({"ISOLATED_CLAIM_SECONDS": 3})
    assert delegate.isolation == Isolation(run_seconds=5, memory=2 << 30, claim_seconds=3)
    with pytest.raises(InputError, match="ISOLATED_NOTHING"):
        IsolatedDelegate("npu", {"isolated_nothing": "5"})
    with pytest.raises(InputError, match="must be an integer, from 1 to"):
        delegate.set_property({"ISOLATED_RUN_SECONDS": 0})


def test_mistakes_of_the_user_are_errors() -> None:
    for spec in ("nothing", "tests.isolated.delegates:Nothing", "tests.isolated.nothing:Nothing"):
        with pytest.raises(InputError):
            IsolatedDelegate(spec)
    with pytest.raises(InputError, match="no option 'speed'"):
        IsolatedDelegate("tests.isolated.faulty:FaultyDelegate", {"speed": "5"})


def test_memory_of_the_device_cannot_be_reached() -> None:
    with pytest.raises(RemoteError, match="in a process of its own"):
        IsolatedDelegate(AddingDelegate).remote_context()


@pytest.mark.parametrize(
    ("spec", "isolated"),
    [
        ("npu", "npu"),
        ("npu:kirin", "npu:kirin"),
        ("none", "none"),
        ("auto", "auto"),
        ("HETERO:npu,CPU", "HETERO:npu,CPU"),
        ("lite_delegate.npu:NPUDelegate", "lite_delegate.npu:NPUDelegate"),
        ("isolated:npu", "isolated:npu"),
        ("my_npu.py:MyNpu", "isolated:my_npu.py:MyNpu"),
        ("my.module:MyNpu", "isolated:my.module:MyNpu"),
        ("big=my.module:MyNpu", "big=isolated:my.module:MyNpu"),
        ("unknown", "unknown"),
    ],
)
def test_specs_of_others_are_isolated(spec: str, isolated: str) -> None:
    assert isolated_spec(spec) == isolated


def test_a_forked_child_has_a_process_of_its_own() -> None:
    delegate, context, model = IsolatedDelegate(AddingDelegate), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(chain(), context)

    def predicted() -> list[float]:
        found: list[float] = model.predict({"x": np.arange(4, dtype=np.float32)})[0].get_data_to_numpy().tolist()
        return found

    expected = [1.0, 2.0, 3.0, 4.0]
    assert predicted() == expected
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = int(predicted() != expected or delegate.started != 2)
        finally:
            os._exit(status)
    assert predicted() == expected
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert predicted() == expected
    assert delegate.started == 1


def test_threads_predict_at_the_same_time() -> None:
    delegate, context, model = IsolatedDelegate(AddingDelegate), Context(), Model()
    context.set_delegate(delegate)
    context.strict = False
    model.build_from_graph(chain(), context)

    def predict(number: int) -> bool:
        array = np.full(4, number, np.float32)
        return all((model.predict({"x": array})[0].get_data_to_numpy() == number + 1).all() for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(predict, range(8)))
    assert delegate.started == 1


def test_an_interrupt_costs_the_process_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    delegate, context, model = IsolatedDelegate(AddingDelegate), Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(chain(), context)
    x = np.zeros(4, np.float32)
    model.predict({"x": x})
    with monkeypatch.context() as patched:
        patched.setattr(Lane, "_hear", raise_interrupt)
        patched.setattr(lane, "WELL", b"?")
        with pytest.raises(KeyboardInterrupt):
            model.predict({"x": x})
    (found,) = model.predict({"x": x})
    np.testing.assert_array_equal(found.get_data_to_numpy(), np.ones(4))
    assert delegate.started == 2


def raise_interrupt(*arguments: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore:the chip")
def test_a_run_can_be_cancelled() -> None:
    """The graph kernel looks whether it is cancelled, in its own process."""
    core = Core()
    core.register_device("SLOW", lambda options: IsolatedDelegate("tests.isolated.delegates:SlowDelegate", options))
    request = core.compile_model(chain(), "HETERO:SLOW,CPU").create_infer_request()
    request.start_async({"x": np.zeros(4, np.float32)})
    time.sleep(0.2)
    started = time.monotonic()
    request.cancel()
    with pytest.raises(RequestCancelled):
        request.wait()
    assert time.monotonic() - started < 20


def test_warnings_come_to_the_caller() -> None:
    delegate = IsolatedDelegate("tests.isolated.delegates:SlowDelegate")
    with pytest.warns(DelegateWarning, match="the chip is hot"):
        delegate.init()
