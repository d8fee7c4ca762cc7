"""Settings: attributes that are checked when they are set."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from lite_delegate.mindspore.context.setting import Setting, checked_count, choice_of, of_type, or_none


class Oven:
    _where: ClassVar[str] = "oven."
    degrees = Setting(180, checked_count, "How hot it is.")
    mode = Setting("air", choice_of("air", "grill"), "How it heats.")
    is_open = Setting(False, of_type(bool), "Whether its door is open.")
    note = Setting(None, or_none(str), "A note on its door.")


def test_a_setting_has_its_default_until_it_is_set_and_each_instance_its_own() -> None:
    one, other = Oven(), Oven()
    one.degrees, one.note = 200, "hot"
    assert (one.degrees, one.note, one.mode) == (200, "hot", "air")
    assert (other.degrees, other.note) == (180, None)
    one.note = None
    assert one.note is None
    assert Oven.degrees.__doc__ == "How hot it is."


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("degrees", -1, ValueError, r"oven\.degrees must be a non-negative int, got -1\."),
        ("degrees", True, TypeError, r"oven\.degrees must be int, but got bool\."),
        ("mode", "steam", ValueError, r"oven\.mode must be one of 'air', 'grill', got 'steam'\."),
        ("is_open", 1, TypeError, r"oven\.is_open must be bool, but got int\."),
        ("note", 1, TypeError, r"oven\.note must be str or None, but got int\."),
    ],
)
def test_what_does_not_fit_is_named_and_changes_nothing(
    name: str, value: Any, error: type[Exception], message: str
) -> None:
    oven = Oven()
    before = getattr(oven, name)
    with pytest.raises(error, match=f"^{message}$"):
        setattr(oven, name, value)
    assert getattr(oven, name) == before
