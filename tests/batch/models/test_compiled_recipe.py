"""Models that the user has compiled, as recipes of jobs."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import parquet  # noqa: E402

from lite_delegate import Core, Model  # noqa: E402
from lite_delegate.batch import BatchOptions, CompiledRecipe  # noqa: E402
from lite_delegate.batch.driver.run import run_job  # noqa: E402
from lite_delegate.batch.models.compiled_recipe import recipe_of  # noqa: E402
from lite_delegate.errors import InputError  # noqa: E402
from tests.batch.comparing.test_compare_rows import RIGHT, X, product  # noqa: E402
from tests.batch.inline import InlineEngine  # noqa: E402


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_compiled_model_runs_on_its_devices(as_bytes: bool, tmp_path: Path) -> None:
    path = product(tmp_path / "m.onnx", RIGHT)
    compiled = Core().compile_model(path.read_bytes() if as_bytes else path, "HETERO:NPU,CPU")
    recipe = pickle.loads(pickle.dumps(recipe_of(compiled, "", {})))
    assert recipe.facts == CompiledRecipe(compiled).facts
    parquet.write_table(pa.table({"x": X.tolist()}), tmp_path / "in.parquet")
    result = run_job(recipe, tmp_path / "in.parquet", tmp_path / "out", BatchOptions(rows=4), InlineEngine())
    assert result.model["where"] == ["1 of 1 kernel on 'NPU'"]
    found = np.array(parquet.read_table(tmp_path / "out").column("y").to_pylist())
    np.testing.assert_allclose(found, X @ RIGHT, atol=0.01)


def test_other_calls_are_other_jobs(tmp_path: Path) -> None:
    path, core = product(tmp_path / "m.onnx", RIGHT), Core()
    first = CompiledRecipe(core.compile_model(path, "CPU")).facts
    assert first == CompiledRecipe(core.compile_model(path, "CPU")).facts
    assert first != CompiledRecipe(core.compile_model(path, "HETERO:NPU,CPU")).facts
    assert first != CompiledRecipe(core.compile_model(path, "CPU", {"INFERENCE_NUM_THREADS": 2})).facts


def test_models_made_in_another_way_are_refused(tmp_path: Path) -> None:
    path = product(tmp_path / "m.onnx", RIGHT)
    model = Model()
    model.build_from_file(path)
    with pytest.raises(InputError, match=r"that Core\.compile_model has compiled: give the path"):
        CompiledRecipe(model.compiled)
    core = Core()
    with pytest.raises(InputError, match="a graph in memory"):
        CompiledRecipe(core.compile_model(core.read_model(path), "CPU"))
