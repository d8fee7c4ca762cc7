"""Pieces of the engine on Ray that need no cluster."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest

from lite_delegate.batch.engines.ray_engine import node_files, ray_package
from lite_delegate.batch.engines.ray_engine.endings import ending_of_actor
from lite_delegate.batch.engines.ray_engine.environment import added_folders, runtime_environment
from lite_delegate.batch.engines.ray_engine.node_files import SentFile, file_here
from lite_delegate.batch.engines.ray_engine.ray_worker import DriverFiles, NodeSight, RayWorker
from lite_delegate.batch.engines.ray_engine.resources import WorkerResources
from lite_delegate.batch.ray_data.mapped_rows import actors_beside_reading
from lite_delegate.cli.main import main
from lite_delegate.errors import InputError
from lite_delegate.sections.digest import digest_of


def test_resources_become_options_of_an_actor() -> None:
    share = WorkerResources.read("CPU=2, GPU=0.5,npu=1")
    assert share.options == {"num_cpus": 2.0, "num_gpus": 0.5, "resources": {"npu": 1.0}}
    assert share.with_cpus(8).text == "CPU 2, GPU 0.5, npu 1"
    assert WorkerResources.read("npu=1").with_cpus(4).options["num_cpus"] == 4


@pytest.mark.parametrize("text", ["CPU", "CPU=", "=1", "CPU=-1", "npu=two", "CPU=inf", "CPU=nan"])
def test_resources_that_are_none_are_an_error(text: str) -> None:
    with pytest.raises(InputError, match="NAME=NUMBER"):
        WorkerResources.read(text)


def test_places_are_counted_node_by_node() -> None:
    nodes = [{"CPU": 3.0, "npu": 2.0}, {"CPU": 3.0}]
    assert WorkerResources({"CPU": 2.0}).places(nodes) == 2, "3 + 3 CPUs have room for one worker with 2 each"
    assert WorkerResources({"CPU": 1.0, "npu": 1.0}).places(nodes) == 2
    assert WorkerResources({"CPU": 0.1}).places(nodes) == 60


@pytest.mark.parametrize(
    ("cpus", "wanted", "expected"),
    [
        ([2.0], 1.0, (1, 1.0)),
        ([1.0, 1.0], 1.0, (1, 1.0)),
        ([1.0], 1.0, (1, 0.0)),
        ([16.0], 4.0, (3, 4.0)),
        ([16.0, 16.0], 1.0, (31, 1.0)),
    ],
)
def test_actors_leave_a_cpu_for_reading(cpus: list[float], wanted: float, expected: tuple[int, float]) -> None:
    assert actors_beside_reading(WorkerResources({"CPU": wanted}), [{"CPU": each} for each in cpus]) == expected


def test_actors_find_the_modules_of_the_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    made = runtime_environment({"pip": ["x"], "env_vars": {"A": "1", "PYTHONPATH": "/mine"}})
    folders = made["env_vars"]["PYTHONPATH"].split(os.pathsep)
    assert folders[0] == "/mine"
    assert str(tmp_path) in folders
    assert folders[-1] == "${PYTHONPATH}"
    assert made["pip"] == ["x"]
    assert made["env_vars"]["A"] == "1"
    assert not any(folder.startswith(sys.base_prefix) for folder in folders)


def test_actors_need_no_environment_without_folders_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "path", [os.getcwd(), os.path.dirname(os.path.realpath(sys.argv[0])), os.path.dirname(os.__file__)]
    )
    assert runtime_environment({}) == {}


def test_a_node_looks_for_names_and_sizes(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"1234")
    there, larger, gone = (str(tmp_path / "there"), 4), (str(tmp_path / "there"), 5), (str(tmp_path / "gone"), 4)
    worker = RayWorker.__new__(RayWorker)  # the constructor turns standard output away
    here = os.getcwd()
    try:
        seen = worker.look(DriverFiles(str(tmp_path), there, [there, gone], str(tmp_path / "mark")))
        again = worker.look(DriverFiles("/no/such/folder", larger, [("there", 4)], str(tmp_path / "there")))
    finally:
        os.chdir(here)
    assert seen == NodeSight(seen.host, model=True, source=False, parts=False)
    assert again == NodeSight(seen.host, model=False, source=True, parts=True)


def test_a_file_of_a_node_is_fetched_once_and_again_when_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[object] = []

    class Store:
        def get(self, content: bytes) -> bytes:
            fetched.append(content)
            return content

    monkeypatch.setattr(node_files, "ray_package", Store)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sent = SentFile(digest_of(b"model"), b"model")
    path = file_here(sent)
    assert (path.read_bytes(), file_here(sent), len(fetched)) == (b"model", path, 1)
    path.write_bytes(b"modem")
    assert (file_here(sent).read_bytes(), len(fetched)) == (b"model", 2)
    assert path.parent.stat().st_mode & 0o077 == 0, "of this user alone"
    os.utime(path, (0, 0))
    other = file_here(SentFile(digest_of(b"other"), b"other"))
    assert sorted(path.parent.glob("*.ldm")) == [other], "a file that nobody used for long goes"


def test_an_engine_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'lite-delegate\[ray\]'"):
        ray_package.ray_package()


def test_the_ends_of_actors_are_put_in_words() -> None:
    exceptions = pytest.importorskip("ray.exceptions", reason="Ray is not installed")
    unreachable = exceptions.ActorUnavailableError("no answer", None)
    assert ending_of_actor(unreachable) == "or cannot be reached"
    assert ending_of_actor(exceptions.OutOfMemoryError("95 %")).startswith("by Ray's memory monitor")
    gone = exceptions.RayError("The actor died because its node has died. Node Id: 1")
    assert ending_of_actor(gone) == "with its node"
    killed = exceptions.RayError("Worker exit detail: Worker exits by user request. More text.")
    assert ending_of_actor(killed) == "unexpectedly (Worker exits by user request)"


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nothing_answers_is_an_error_at_once(scheme: str) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    assert not ray.is_initialized()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(InputError, match=f"--address {scheme}127.0.0.1:{port}: ConnectionRefusedError"):
        ray_package.connected(f"{scheme}127.0.0.1:{port}")


def test_options_of_ray_are_refused_for_the_local_engine(tmp_path: Path) -> None:
    from click.testing import CliRunner

    model = tmp_path / "m.onnx"
    model.write_bytes(b"")
    done = CliRunner().invoke(main, ["batch", str(model), "--input", "x", "--output", "y", "--resources", "npu=1"])
    assert done.exit_code != 0
    assert "--resources is of --engine ray" in done.output + str(done.exception)


@pytest.mark.parametrize(("said", "expected"), [(None, "0"), ("1", "1")])
def test_a_cluster_that_is_started_here_reports_nothing(
    said: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | None] = []
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", said or "")
    if said is None:
        monkeypatch.delenv("RAY_USAGE_STATS_ENABLED")
    monkeypatch.setattr(ray_package.ray_package(), "is_initialized", lambda: False)
    monkeypatch.setattr(
        ray_package.ray_package(), "init", lambda *_, **__: seen.append(os.environ.get("RAY_USAGE_STATS_ENABLED"))
    )
    assert ray_package.connected("none")
    assert seen == [expected]


def test_a_client_hands_on_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray hands it on for a process of the cluster, and not for one that is connected through ``ray://``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert str(tmp_path) not in added_folders()
    assert str(tmp_path) in added_folders(is_client=True)
