"""The folder of a job: another job is refused, what is not whole goes, what cannot be read now stays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lite_delegate.batch.parts import job_folder as module
from lite_delegate.batch.parts.job_folder import JobFolder
from lite_delegate.batch.parts.part import read_facts
from lite_delegate.errors import InputError
from tests.batch import marked_rows
from tests.batch.inline import InlineEngine, run


@pytest.fixture
def done(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A model, rows, and the folder of a job that has ended, with 5 parts."""
    model = marked_rows.write_model(tmp_path / "m.onnx")
    source = marked_rows.write_rows(tmp_path / "x.parquet", list(marked_rows.rows_of(40)))
    run(model, source, tmp_path / "out", rows=8, chunk_rows=8)
    return model, source, tmp_path / "out"


def test_the_same_job_again_runs_nothing(done: tuple[Path, Path, Path]) -> None:
    engine = InlineEngine()
    result = run(*done, engine)
    assert engine.tasks == []
    assert (result.rows, result.parts, result.found_parts, result.rows_run) == (40, 5, 5, 0)


def test_what_is_missing_or_half_written_is_made_again(done: tuple[Path, Path, Path]) -> None:
    out = done[2]
    parts = sorted(out.glob("part-*.parquet"))
    parts[1].unlink()
    parts[3].write_bytes(parts[3].read_bytes()[:-20])
    (out / ".part-00000001.parquet.abc.tmp").write_bytes(b"half")
    engine = InlineEngine()
    result = run(*done, engine)
    assert [task.chunk.index for task in engine.tasks] == [1, 3]
    assert marked_rows.faults_of(out, marked_rows.rows_of(40), {}) == []
    assert (result.found_parts, result.rows_run) == (3, 16)
    assert not list(out.glob(".*.tmp"))


def test_the_mark_of_success_is_not_there_while_parts_are_missing(done: tuple[Path, Path, Path]) -> None:
    out = done[2]
    assert (out / "_SUCCESS").exists()
    (out / "part-00000002.parquet").unlink()

    class Looking(InlineEngine):
        def close(self) -> None:
            assert not (out / "_SUCCESS").exists()
            self.tasks.append(None)  # type: ignore[arg-type]

    engine = Looking()
    run(*done, engine)
    assert engine.tasks[-1] is None
    assert (out / "_SUCCESS").exists()


def test_a_part_that_cannot_be_read_now_is_not_removed(
    done: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(path: Path) -> None:
        raise OSError(5, "Input/output error", str(path))

    monkeypatch.setattr(module, "read_facts", fails)
    with pytest.raises(OSError, match="Input/output"):
        run(*done)
    assert len(list(done[2].glob("part-*.parquet"))) == 5


def test_another_job_is_refused(done: tuple[Path, Path, Path]) -> None:
    with pytest.raises(InputError, match=r"holds the results of another job: kept"):
        run(*done, keep=())
    os.utime(done[1], (1, 1))
    with pytest.raises(InputError, match=r"holds the results of another job: source.state"):
        run(*done)


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(InputError, match=r"has files already \('mine.txt'\)"):
        JobFolder(tmp_path)


@pytest.mark.parametrize("left", ["_lock", "._job.json.0a.tmp", "_model-0a.ldm", "._model-0a.ldm.0b.tmp"])
def test_what_a_driver_leaves_that_ends_at_its_start_is_no_hindrance(tmp_path: Path, left: str) -> None:
    (tmp_path / left).touch()
    JobFolder(tmp_path)


def test_two_drivers_cannot_work_on_one_job(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path)
    with folder.held(), pytest.raises(InputError, match="Another process works on the job"), folder.held():
        pass


def test_the_manifest_says_what_ran_where(done: tuple[Path, Path, Path]) -> None:
    manifest = json.loads((done[2] / "_manifest.json").read_text())
    assert (manifest["rows"], manifest["errors"], manifest["parts"]) == (40, 0, 5)
    assert {node["device"] for node in manifest["partition"]["nodes"]} == {"CPU"}
    (worker,) = manifest["workers"]["each"].values()
    assert worker["rows"] == 40


def test_facts_stand_in_parts(done: tuple[Path, Path, Path]) -> None:
    facts = read_facts(done[2] / "part-00000004.parquet")
    assert facts is not None
    assert (facts.chunk, facts.rows, facts.errors) == (4, 8, 0)
    assert pq.read_table(done[2]).num_rows == 40
