"""Processes of this machine: each kind of fault a few times; ``python -m tests.batch_faults`` has more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite_delegate.batch import BatchOptions, LocalEngine
from lite_delegate.batch.driver.run import run_job
from lite_delegate.cli.data_set.build_recipe import BuildRecipe
from lite_delegate.cli.options.build_options import BuildOptions
from lite_delegate.errors import InputError
from tests import batch_faults
from tests.batch import marked_rows


@pytest.mark.parametrize("kind", ["bad-rows", "raising-rows", "worker-killed", "driver-killed"])
def test_no_row_is_lost_or_doubled(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(marked_rows.SECONDS, "0")
    tally = batch_faults.campaign(kind, 1, seed=0)
    assert tally.wrong == []
    assert tally.rows == batch_faults.ROWS * tally.jobs > 0


def test_rows_that_end_their_worker_are_errors(tmp_path: Path) -> None:
    rows = marked_rows.rows_of(6)
    rows[4, 0] = marked_rows.SEGFAULT
    model = marked_rows.write_model(tmp_path / "m.onnx")
    source = marked_rows.write_rows(tmp_path / "x.parquet", list(rows))
    recipe = BuildRecipe(model, BuildOptions(marked_rows.DELEGATE))
    options = BatchOptions(rows=2, chunk_rows=2)
    result = run_job(recipe, source, tmp_path / "out", options, LocalEngine(1))
    assert marked_rows.faults_of(tmp_path / "out", rows, {4: "the worker ended by signal SIGSEGV"}) == []
    assert result.deaths == 4
    assert result.partition["kernels_delegated"] == 1
    assert "cannot export" in result.notes[0]


def test_a_limit_of_errors_stops_the_job_now_and_later(tmp_path: Path) -> None:
    rows: list[object] = [None] * 4 + list(marked_rows.rows_of(4))
    model = marked_rows.write_model(tmp_path / "m.onnx")
    source = marked_rows.write_rows(tmp_path / "x.parquet", rows)
    recipe = BuildRecipe(model, BuildOptions("none"))
    for _ in range(2):
        with pytest.raises(InputError, match=r"4 rows have errors, more than the 3 allowed; .* has no value"):
            run_job(recipe, source, tmp_path / "out", BatchOptions(chunk_rows=4, max_errors=3, rows=2), LocalEngine(1))
    assert not (tmp_path / "out" / "_SUCCESS").exists()
