"""What a profile says of its driver decides how runs come to the compiler, or that they cannot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lite_delegate import Context, DelegateWarning, Model
from lite_delegate.demo import model_path
from lite_delegate.errors import InputError
from lite_delegate.npu import NPUDelegate
from lite_delegate.npu.driver_ir.layout import VERSIONS, versions_of
from lite_delegate.npu.profiles import load_profile
from lite_delegate.npu.profiles.digest import profile_hash


def profile(folder: Path, versions: str) -> str:
    path = folder / "driver.toml"
    path.write_text(f'base = "npu4000"\ndriver_ir = {versions}\n')
    return str(path)


def result(delegate: NPUDelegate) -> np.ndarray:
    context, model = Context(), Model()
    context.set_delegate(delegate)
    with model:
        model.build_from_file(model_path(), context=context)
        (tensor,) = model.get_inputs()
        tensor.set_data_from_numpy(np.random.default_rng(0).random(tensor.shape, np.float32))
        (output,) = model.predict([tensor])
        return output.get_data_to_numpy().copy()


def test_an_older_driver_gives_the_same_bits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {"LOG_LEVEL": "LOG_DEBUG"}
    older = result(NPUDelegate(profile(tmp_path, '["1.0"]'), options=told))
    assert "in-memory model 1.0: " in capsys.readouterr().err
    np.testing.assert_array_equal(older, result(NPUDelegate("npu4000", options=told)))
    assert "in-memory model 1.1: " in capsys.readouterr().err


def test_no_common_version_leaves_the_run_to_the_host(tmp_path: Path) -> None:
    with pytest.warns(
        DelegateWarning, match=r"takes in-memory models of version 2\.0, this delegate writes 1\.0, 1\.1"
    ):
        result(NPUDelegate(profile(tmp_path, '["2.0"]')))


def test_the_driver_of_a_profile_that_says_nothing_takes_all() -> None:
    assert versions_of(load_profile("npu4000").driver_ir) == VERSIONS
    assert versions_of(["1.0", "1.12"]) == [(1, 0), (1, 12)]


def test_what_was_compiled_does_not_depend_on_how_it_came_to_the_compiler(tmp_path: Path) -> None:
    older = load_profile(profile(tmp_path, '["1.0"]'))
    assert profile_hash(older) == profile_hash(load_profile("npu4000"))


@pytest.mark.parametrize("versions", ['["1"]', '["1.0.0"]', '["one"]', "[1.0]", '"1.0"', "[]"])
def test_versions_that_are_none_are_rejected(versions: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'driver_ir' must be"):
        load_profile(profile(tmp_path, versions))
