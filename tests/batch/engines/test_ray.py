"""The engine on a real cluster of Ray with two nodes on this machine: rows, faults, resumption, files nodes lack."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from lite_delegate.batch import BatchProgress, BatchResult, LocalEngine, RayEngine, ray_map, run
from lite_delegate.cli.main import main
from lite_delegate.errors import InputError
from tests.batch.engines.clusters import QUIET, add_node, cluster_of
from tests.batch.engines.fragile import (
    KILLED_ONCE,
    SEGFAULTS,
    WEIGHTS,
    FragileRecipe,
    check_rows,
    model_file,
    rows_file,
)

ray = pytest.importorskip("ray", reason="Ray is not installed")
PAGE = Path(__file__).parents[3] / "docs" / "batch_ray.md"
PIECES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes with one CPU each; this process is connected to them."""
    with cluster_of(1, 1) as made:
        yield made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_file(tmp_path_factory.mktemp("model"))


def result_of(
    recipe: Any, folder: Path, engine: Any, tell: Callable[[BatchProgress], None] | None = None
) -> BatchResult:
    """A job in a folder: its rows go to ``out``, in chunks of 4."""
    tell = tell or (lambda progress: None)
    return run(recipe, folder / "in.parquet", folder / "out", engine=engine, on_progress=tell, rows=4, chunk_rows=4)


def test_rows_are_those_of_a_plain_loop_in_order(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet")
    result = result_of(FragileRecipe(model, seconds=0.05), tmp_path, RayEngine())
    check_rows(tmp_path / "out", x, {})
    assert result.errors == 1
    assert result.workers["nodes"] == 2
    assert len(result.workers["each"]) == 2, "both workers have done something"
    assert result.workers["sent"] == [], "all nodes see the files"
    assert ray.is_initialized(), "the user's connection stays"


def test_the_command_runs_on_the_cluster_that_is_connected(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=8)
    files = [str(model), "--input", str(tmp_path / "in.parquet"), "--output", str(tmp_path / "out")]
    options = ["--engine", "ray", "--workers", "1", "--resources", "CPU=0.5", "--chunk-rows", "8"]
    done = CliRunner().invoke(main, ["batch", *files, *options])
    assert done.exit_code == 0, done.output
    check_rows(tmp_path / "out", x, {})


def test_a_worker_that_is_killed_costs_no_row(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=12, special={6: KILLED_ONCE})
    result = result_of(FragileRecipe(model, marker=tmp_path / "killed"), tmp_path, RayEngine(2))
    check_rows(tmp_path / "out", x, {})
    assert result.deaths == 1


def test_a_row_that_segfaults_is_an_error_and_the_only_one(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=8, special={5: SEGFAULTS})
    result = result_of(FragileRecipe(model), tmp_path, RayEngine(2))
    check_rows(tmp_path / "out", x, {5: "the worker ended unexpectedly, by a crash or a signal"})
    assert result.deaths <= 6, "twice with the chunk, once with a half, twice alone"


def test_a_node_that_is_removed_costs_no_row(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=96)
    third: list[Any] = [add_node(cluster)]

    def tell(progress: BatchProgress) -> None:
        if progress.parts >= 8 and third:
            cluster.remove_node(third.pop())

    result = result_of(FragileRecipe(model, seconds=0.2), tmp_path, RayEngine(3), tell)
    check_rows(tmp_path / "out", x, {})
    assert not third
    assert len(result.workers["each"]) >= 3
    assert result.deaths <= 1


def test_a_job_of_one_engine_goes_on_with_the_other(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=32)

    def interrupt(progress: BatchProgress) -> None:
        if progress.parts in (2, 5):
            raise KeyboardInterrupt

    for engine, parts in ((LocalEngine(1), 2), (RayEngine(1), 5)):
        with pytest.raises(KeyboardInterrupt):
            result_of(FragileRecipe(model), tmp_path, engine, interrupt)
        assert len(list((tmp_path / "out").glob("part-*"))) == parts
    result = result_of(FragileRecipe(model), tmp_path, LocalEngine(1))
    assert result.found_parts == 5
    check_rows(tmp_path / "out", x, {})


DRIVER = """
import sys
from pathlib import Path
from lite_delegate.batch import RayEngine
from tests.batch.engines.fragile import FragileRecipe
from tests.batch.engines.test_ray import result_of
print("ready", flush=True)
result_of(FragileRecipe(Path(sys.argv[1]), seconds=0.3), Path(sys.argv[2]), RayEngine(2, sys.argv[3]))
"""


def test_a_killed_driver_ends_its_workers_and_is_resumed(cluster: Any, model: Path, tmp_path: Path) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=64)
    environment = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", DRIVER, str(model), str(tmp_path), cluster.address]
    driver = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(list((tmp_path / "out").glob("part-*"))) >= 2, driver)
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    wait_for(lambda: ray.available_resources().get("CPU") == 2.0)
    result = result_of(FragileRecipe(model), tmp_path, RayEngine(2))
    assert 2 <= result.found_parts < 16
    check_rows(tmp_path / "out", x, {})


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    end = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < end
        assert process is None or process.poll() is None
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("resources", "reason"),
    [
        ("npu=1", "no node has them: the most that one node has is CPU 1, npu 0"),
        ("CPU=2", "no node has them: the most that one node has is CPU 1"),
    ],
)
def test_a_worker_without_a_place_is_one_line(
    resources: str, reason: str, cluster: Any, model: Path, tmp_path: Path
) -> None:
    rows_file(tmp_path / "in.parquet", rows=8)
    with pytest.raises(InputError, match="Ray had no place for a worker with CPU") as raised:
        result_of(FragileRecipe(model), tmp_path, RayEngine(2, resources=resources, place_seconds=1))
    assert reason in str(raised.value)


def test_resources_that_another_job_holds_are_named(cluster: Any, model: Path, tmp_path: Path) -> None:
    rows_file(tmp_path / "in.parquet", rows=8)

    class Holder:
        def there(self) -> bool:
            return True

    holders = [ray.remote(Holder).options(num_cpus=1).remote() for _ in range(2)]
    assert ray.get([holder.there.remote() for holder in holders])
    with pytest.raises(InputError, match="others hold them: free in the whole cluster are CPU 0"):
        result_of(FragileRecipe(model), tmp_path, RayEngine(1, place_seconds=1))
    for holder in holders:
        ray.kill(holder)
    wait_for(lambda: ray.available_resources().get("CPU") == 2.0)


def test_nodes_that_see_no_file_get_the_model_and_rows_and_send_parts_back(
    cluster: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = rows_file(tmp_path / "in.parquet", rows=24, special={14: KILLED_ONCE})
    recipe = FragileRecipe(model, marker=tmp_path / "killed")
    engine = RayEngine(2, shares_files=False, runtime_env={"env_vars": {"TMPDIR": str(tmp_path)}})
    result = result_of(recipe, tmp_path, engine)
    check_rows(tmp_path / "out", x, {})
    assert result.workers["sent"] == ["model", "parts", "source"]
    assert result.deaths == 1
    assert len(list(tmp_path.glob("lite_delegate-*/*.ldm"))) == 1, "one copy of the model for the node"


def test_a_node_finds_out_itself_that_it_does_not_see_the_source(cluster: Any, model: Path, tmp_path: Path) -> None:
    """A path through a descriptor of this process is none of another process."""
    x = rows_file(tmp_path / "in.parquet", rows=12)
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        source = f"/proc/self/fd/{handle}/in.parquet"
        result = run(FragileRecipe(model), source, tmp_path / "out", engine=RayEngine(1), rows=4, chunk_rows=4)
    finally:
        os.close(handle)
    check_rows(tmp_path / "out", x, {})
    assert result.workers["sent"] == ["source"]


def test_the_page_runs_a_job_and_maps_a_data_set(
    cluster: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pytest.importorskip("ray.data", reason="Ray Data needs pandas, of the extra ray[data]")
    data.DataContext.get_current().enable_progress_bars = False
    job, mapping = (code.replace("/shared", str(tmp_path)) for code in PIECES)
    monkeypatch.chdir(model.parent)
    (tmp_path / "rows").mkdir()
    x = rows_file(tmp_path / "rows" / "in.parquet", rows=40)
    exec(job, {})
    check_rows(tmp_path / "out", x, {})
    table = parquet.read_table(tmp_path / "rows" / "in.parquet").rename_columns(["id", "features"])
    parquet.write_table(table, tmp_path / "rows" / "in.parquet")
    exec(mapping, {})
    found = parquet.read_table(tmp_path / "scored").sort_by("id").to_pydict()
    assert list(found) == ["id", "scores", "error"]
    assert found["id"] == list(range(40))
    assert [error for error in found["error"] if error] == ["input 'x': has no value"]
    assert found["scores"].pop(3) is None
    np.testing.assert_allclose(found["scores"], np.delete(x, 3, axis=0) @ WEIGHTS, rtol=1e-5, atol=1e-5)


FUNCTIONS = """
import numpy as np

def halved(row):
    return row["x"] * np.float32(0.5)

def best(outputs):
    return {"best": int(np.argmax(outputs["y"])), "name": str(int(np.argmax(outputs["y"])))}

best.columns = {"best": "int32", "name": "str"}
"""


def test_a_mapped_data_set_has_the_functions_of_a_job(
    cluster: Any, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pytest.importorskip("ray.data", reason="Ray Data needs pandas, of the extra ray[data]")
    data.DataContext.get_current().enable_progress_bars = False
    (tmp_path / "row_functions.py").write_text(FUNCTIONS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "row_functions", raising=False)
    x = rows_file(tmp_path / "in.parquet", rows=8)
    rows = data.read_parquet(str(tmp_path / "in.parquet"))
    mapped = ray_map(rows, FragileRecipe(model), preprocess="row_functions:halved", postprocess="row_functions:best")
    found = {row["id"]: row for row in mapped.take_all()}
    wanted = np.argmax(x / 2 @ WEIGHTS, axis=1)
    assert [found[n]["best"] for n in range(8) if n != 3] == np.delete(wanted, 3).tolist()
    assert [found[n]["name"] for n in range(8) if n != 3] == [str(each) for each in np.delete(wanted, 3)]
    assert "row_functions:halved raised TypeError" in found[3]["error"]
