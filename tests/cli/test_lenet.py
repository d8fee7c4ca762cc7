"""A real trained model through the installed command, against values of an independent float64 implementation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.shared
@pytest.mark.parametrize(("delegate", "bound"), [("none", 1e-6), ("npu", 1e-6)])
def test_lenet(delegate: str, bound: float, shared_models: Path, tmp_path: Path) -> None:
    with np.load(shared_models / "lenet_tod_infer.npz") as expected:
        given = {name.removeprefix("in:"): expected[name] for name in expected.files if name.startswith("in:")}
        want = {name[4:].replace("|", "/"): expected[name] for name in expected.files if name.startswith("out:")}
    command = [sys.executable, "-m", "lite_delegate", "run", str(shared_models / "lenet_tod_infer.ms")]
    for name, array in given.items():
        np.save(tmp_path / f"{name}.npy", array)
        command += ["--input", f"{name}={tmp_path / name}.npy"]
    command += ["--delegate", delegate, "--output", str(tmp_path / "out.npz")]
    subprocess.run(command, check=True, capture_output=True)
    with np.load(tmp_path / "out.npz") as got:
        assert set(got) == set(want)
        for name, array in want.items():
            assert np.abs(got[name] - array).max() <= bound
