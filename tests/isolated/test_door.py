"""``Delegate.isolated``: a delegate in a process of its own, as an author or a user asks for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, Delegate, DelegateWarning, InputError, Model
from lite_delegate.isolated import IsolatedDelegate
from tests.isolated.chains import chain
from tests.isolated.delegates import AddingDelegate
from tests.isolated.faulty import FaultyDelegate

SCRIPT = """
import os

from lite_delegate import Delegate
from tests.isolated.delegates import AddingDelegate


class Mine(AddingDelegate):
    def __init__(self, level: int = 0, parent: int = 0) -> None:
        assert level == 2 and os.getpid() != parent


if __name__ == "__main__":
    delegate = Mine.isolated(level=2, parent=os.getpid())
    delegate.init()
    print(delegate.name, delegate.started)
"""


def predicted(delegate: Delegate) -> tuple[list[float], str]:
    """The results of y = x + 1, and the device of the addition."""
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.on_delegate_error = "fallback"
    model.build_from_graph(chain(), context)
    found: list[float] = model.predict({"x": np.arange(4, dtype=np.float32)})[0].get_data_to_numpy().tolist()
    return found, model.get_partition().nodes[0].device


@pytest.mark.parametrize(
    "make",
    [
        lambda: Delegate.isolated("tests.isolated.delegates:AddingDelegate"),
        lambda: Delegate.isolated("tests.isolated.delegates:AddingDelegate", python=sys.executable),
        AddingDelegate.isolated,
        lambda: AddingDelegate.isolated(isolated_run_seconds=5),
    ],
)
def test_a_spec_or_a_class(make: type[Delegate]) -> None:
    delegate = make()
    assert isinstance(delegate, IsolatedDelegate)
    assert predicted(delegate) == ([1, 2, 3, 4], "adding")


def test_options_of_the_class_and_of_the_isolation() -> None:
    delegate = FaultyDelegate.isolated(how="segfault", where="kernel.run", isolated_restarts=3)
    assert isinstance(delegate, IsolatedDelegate)
    assert delegate.isolation.restarts == 3
    with pytest.warns(DelegateWarning, match="by signal SIGSEGV in execute"):
        assert predicted(delegate) == ([1, 2, 3, 4], "faulty")


def test_a_class_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("adding 1\n", "")


def test_mistakes_are_said_at_once() -> None:
    class Local(AddingDelegate):
        """Nobody else can import it."""

    for make, said in (
        (Delegate.isolated, "needs a SPEC"),
        (lambda: AddingDelegate.isolated("npu"), "takes options alone, got 'npu'"),
        (lambda: Delegate.isolated("nothing"), "got 'nothing'"),
        (lambda: FaultyDelegate.isolated(whre="init"), "no option 'whre'"),
        (lambda: AddingDelegate.isolated(isolated_seconds=1), "Unknown option"),
        (Local.isolated, "Local' cannot be made in another process"),
    ):
        with pytest.raises(InputError, match=said):
            make()
