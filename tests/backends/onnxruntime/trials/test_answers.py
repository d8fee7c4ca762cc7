"""Kept answers are found again, and a damaged file costs no more than finding them anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lite_delegate.backends.onnxruntime.trials.answers import KeptAnswers, TrialAnswer

TAKEN, LEFT = TrialAnswer(""), TrialAnswer("no Erf at all", "no Erf")


def kept(folder: Path, version: str = "1") -> KeptAnswers:
    return KeptAnswers(folder, version)


def file_of(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_answers_are_found_again_by_the_same_version_alone(tmp_path: Path) -> None:
    answers = kept(tmp_path / "made")
    answers.put("a", TAKEN)
    answers.put("b", LEFT)
    answers.write()
    again = kept(tmp_path / "made")
    assert (again.get("a"), again.get("b"), again.get("c")) == (TAKEN, LEFT, None)
    assert kept(tmp_path / "made", "2").get("a") is None


def test_two_writers_keep_what_both_found(tmp_path: Path) -> None:
    one, two = kept(tmp_path), kept(tmp_path)
    one.put("a", TAKEN)
    two.put("b", LEFT)
    one.write()
    two.write()
    again = kept(tmp_path)
    assert (again.get("a"), again.get("b")) == (TAKEN, LEFT)
    file_of(tmp_path)


def test_nothing_is_written_without_a_folder_or_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answers = KeptAnswers(None, "1")
    answers.put("a", TAKEN)
    answers.write()
    assert answers.get("a") == TAKEN
    kept(tmp_path).write()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    answers = kept(tmp_path / "file" / "inside")
    answers.put("a", TAKEN)
    answers.write()
    assert answers.get("a") == TAKEN


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose file tests write over."""
    folder = tmp_path_factory.mktemp("damaged")
    answers = kept(folder)
    answers.put("a", LEFT)
    answers.write()
    return folder


SHAPES = (
    b"",
    b"[]",
    b"null",
    b'{"a": []}',
    b'{"a": {"reason": 1}}',
    b'{"a": {"reason": "x", "more": "y"}}',
    b"[" * 99999,
)


@pytest.mark.parametrize("data", [*SHAPES, b'{"a": {"reason": "no Er'])
def test_a_damaged_file_has_no_answers(damaged: Path, data: bytes) -> None:
    file_of(damaged).write_bytes(data)
    assert kept(damaged).get("a") is None


@given(data=st.binary(max_size=200) | st.sampled_from(SHAPES))
def test_a_damaged_file_of_any_bytes_is_written_anew(damaged: Path, data: bytes) -> None:
    file_of(damaged).write_bytes(data)
    answers = kept(damaged)
    assert answers.get("a") in (None, LEFT)
    answers.put("b", TAKEN)
    answers.write()
    assert kept(damaged).get("b") == TAKEN
