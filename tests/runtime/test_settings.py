"""Settings: the names that delegates may have, and the numbers that hold for a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lite_delegate.errors import InputError
from lite_delegate.runtime.settings import Settings, check_delegate_names


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["npu", "gpu", "npu"], "2 are called 'npu'"),
        (["CPU"], "No delegate may be called 'CPU'"),
        (["npu", "cpu"], "No delegate may be called 'cpu'"),
    ],
)
def test_a_name_stands_for_one_delegate_and_not_for_the_cpu(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_delegate_names(names)


def test_different_names_are_allowed() -> None:
    check_delegate_names(["npu", "NPU", "npu.1"])


@pytest.mark.parametrize(
    ("given", "threads"),
    [
        ({}, 0),
        ({"chosen_threads": 3}, 3),
        ({"chosen_threads": 3, "threads": 2}, 2),
        ({"chosen_threads": 3, "threads": 2, "stream_threads": 1}, 1),
    ],
)
def test_the_threads_of_a_run_are_the_users_own_number_before_the_measured_number(
    given: dict[str, int], threads: int
) -> None:
    assert replace(Settings(), **given).run_threads == threads  # type: ignore[arg-type]


def test_threads_are_open_until_the_user_chooses_their_number_or_their_cores() -> None:
    assert Settings(chosen_threads=3).leaves_threads_open
    for chosen in (Settings(threads=1), Settings(stream_threads=1), Settings(pins_threads=True)):
        assert not chosen.leaves_threads_open


def test_settings_are_equal_where_each_wish_is() -> None:
    assert Settings(threads=2).equals(Settings(threads=2))
    assert not Settings(threads=2).equals(Settings(threads=2, strict=True))
