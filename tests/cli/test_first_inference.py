"""``lite-delegate benchmark --first-inference``: parts that add up, from the file and from the cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lite_delegate.demo import model_path
from lite_delegate.testing.delegates import NamedDelegate
from tests.commands import call

ENDS = ["inputs", "request", "inference"]


def test_parts_add_up_and_the_first_inference_comes_from_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    options = ("--first-inference", "--runs", 1, "--delegate", "npu:kirin", "--cache-dir", folder, "--format", "json")
    data = json.loads(call("benchmark", model_path(), *options).stdout)
    assert (data["model"], data["delegates"], data["runs"]) == (str(model_path()), ["npu:kirin"], 1)
    assert (data["FEIL"]["cache"], data["FIL"]["cache"]) == ("cache disabled", "cache hit")
    assert list(data["FEIL"]["parts_ns"]) == ["start of Python", "imports", "read", "compile", *ENDS]
    assert list(data["FIL"]["parts_ns"]) == ["start of Python", "imports", "compile, or load from the cache", *ENDS]
    for kind in ("FEIL", "FIL"):
        assert sum(data[kind]["parts_ns"].values()) == data[kind]["total_ns"]
        assert min(data[kind]["parts_ns"].values()) > 0
    assert len(list(folder.glob("*.ldc"))) == 1


def test_a_table_in_a_file_without_a_folder_of_a_cache(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    options = ("--first-inference", "--runs", 1, "--format", "markdown", "-o", page)
    assert call("benchmark", model_path(), *options).stdout == ""
    text = page.read_text()
    assert "| FIL  | all" in text
    assert "FIL: cache hit." in text


def test_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    call("benchmark", model_path(), "--first-inference", "--runs", 1, "--format", "html", "-o", page)
    text = page.read_text()
    assert "<dt>FIL</dt><dd>cache hit.</dd>" in text.replace("<wbr>", "")
    assert '<td data-head="part">all</td>' in text


def test_nothing_is_kept_where_the_environment_names_a_folder_of_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_CACHE_DIR", str(tmp_path / "driver"))
    call("benchmark", model_path(), "--first-inference", "--runs", 1, "--delegate", "npu:kirin")
    assert not (tmp_path / "driver").exists()
    call("benchmark", model_path(), "--runs", 1, "--delegate", "npu:kirin")
    assert list((tmp_path / "driver").iterdir())


def test_a_compiled_model_is_what_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "model.ldm"
    call("compile", model_path(), "-o", file)
    data = json.loads(call("benchmark", file, "--first-inference", "--runs", 1, "--format", "json").stdout)
    assert "FEIL" not in data
    assert list(data["FIL"]["parts_ns"]) == ["start of Python", "imports", "load", *ENDS]
    assert data["FIL"]["cache"] == "cache disabled"
    text = call("benchmark", file, "--first-inference", "--runs", 1).stdout
    assert "FIL from the file." in text
    assert "FEIL" not in text


def test_a_graph_of_other_shapes_may_come_from_the_cache_too(tmp_path: Path) -> None:
    options = ("--first-inference", "--runs", 1, "--input-shape", "image=1,8,8,1", "--format", "json")
    data = json.loads(call("benchmark", model_path(), *options).stdout)
    made = ["read", "compile, or load from the cache"]
    assert list(data["FIL"]["parts_ns"]) == ["start of Python", "imports", *made, *ENDS]
    assert data["FIL"]["cache"] == "cache hit"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile",), "takes no --profile"),
        (("--warmup", 3), "takes no --warmup"),
        (("--seconds", 1, "--trace", "trace.json"), "takes no --seconds or --trace"),
        (("--runs", 1, "--delegate", "nobody"), "--delegate must be"),
        (("--runs", 1, "--delegate", "tests.cli.test_first_inference:Ending"), "the process that runs"),
    ],
)
def test_what_cannot_be_measured_is_one_line(options: tuple[object, ...], said: str) -> None:
    done = call("benchmark", model_path(), "--first-inference", *options, status=2, cwd=Path(__file__).parents[2])
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


class Ending(NamedDelegate):
    """A delegate that ends the process."""

    def __init__(self) -> None:
        raise SystemExit(7)
