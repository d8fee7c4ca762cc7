"""The demo's model on the built-in NPU in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import lite_delegate.demo
from lite_delegate import Context, Delegate, Model
from lite_delegate.devices.registry.delegate_spec import resolve_delegate
from lite_delegate.formats.ms import write_ms
from lite_delegate.isolated import IsolatedDelegate
from tests.isolated.chains import chain

COMMAND = Path(sys.executable).parent / "lite-delegate"
DIGITS = Path(lite_delegate.demo.__file__).parent / "digits.ms"


def predicted(delegate: Delegate | None) -> np.ndarray:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    context.strict = True
    model.build_from_file(str(DIGITS), context=context)
    (x,) = model.get_inputs()
    array = np.random.default_rng(0).random(x.shape, np.float32)
    (y,) = model.predict([array])
    model.close()
    return y.get_data_to_numpy()


def test_the_numbers_are_those_of_the_delegate_itself() -> None:
    isolated = resolve_delegate("isolated:npu")
    assert isinstance(isolated, IsolatedDelegate)
    np.testing.assert_array_equal(predicted(isolated), predicted(resolve_delegate("npu")))
    assert isolated.started == 1


def test_the_installed_command_survives_a_crash(tmp_path: Path) -> None:
    write_ms(chain(3), tmp_path / "model.ms")
    options = [word for pair in ("how=segfault", "where=add1") for word in ("--delegate-option", pair)]
    spec = "isolated:tests.isolated.faulty:FaultyDelegate"
    command = [str(COMMAND), "report", str(tmp_path / "model.ms"), "--delegate", spec, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("lite-delegate: warning: Delegate 'faulty': 1 kernel goes back to the CPU")
    assert warning.endswith("'add1': the delegate's own process ended by signal SIGSEGV in create_graph_kernel")
    assert "2 of 4 kernels" in done.stdout


def test_a_mistake_in_the_spec_is_one_line() -> None:
    command = [str(COMMAND), "report", str(DIGITS), "--delegate", "isolated:tests.isolated.delegates:Adding"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "has no attribute 'Adding'" in line
