"""What a delegate says on standard error, per level."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lite_delegate.delegate.calls.log import LEVELS, DelegateLog
from lite_delegate.errors import DelegateUnavailable, PropertyWarning
from lite_delegate.npu import Device, NPUDelegate
from tests.npu.graphs import node, variable

X = variable("x", (2, 3))
CLAIMED, REJECTED = node("AddFusion", [X, X], (2, 3)), node("Rank", [X], ())


def said(capsys: pytest.CaptureFixture[str], level: str, act: Callable[[NPUDelegate], object]) -> str:
    delegate = NPUDelegate("npu4000", options={"LOG_LEVEL": level})
    capsys.readouterr()
    act(delegate)
    out, err = capsys.readouterr()
    assert out == ""
    return err


@pytest.mark.shows("NPU", "LOG_LEVEL")
@pytest.mark.parametrize("level", LEVELS)
def test_levels(capsys, level):
    def act(delegate):
        delegate.supports(CLAIMED)
        delegate.supports(REJECTED)

    err = said(capsys, level, act)
    assert ("npu debug: 'Rank' (Rank) rejected" in err) == (level in ("LOG_DEBUG", "LOG_TRACE"))
    assert ("npu trace: 'AddFusion' (AddFusion) claimed" in err) == (level == "LOG_TRACE")


def test_every_message_is_one_line(capsys):
    DelegateLog("npu", "LOG_ERROR").write("LOG_ERROR", "two\nlines")
    DelegateLog("npu", "LOG_ERROR").write("LOG_WARNING", "nothing")
    assert capsys.readouterr().err == "npu error: two lines\n"


def test_the_level_may_be_changed_at_any_time(capsys):
    delegate = NPUDelegate()
    delegate.supports(REJECTED)
    assert capsys.readouterr().err == ""
    delegate.set_property({"LOG_LEVEL": "log_debug"})
    delegate.supports(REJECTED)
    assert "rejected" in capsys.readouterr().err


def test_a_device_that_is_not_there_is_a_warning(capsys):
    delegate = NPUDelegate(device=Device(present=False), options={"LOG_LEVEL": "LOG_WARNING"})
    with pytest.raises(DelegateUnavailable):
        delegate.init()
    assert capsys.readouterr().err.startswith("npu warning: The simulated NPU is not there")


def test_the_environment_gives_the_level_when_nobody_sets_it(monkeypatch):
    monkeypatch.setenv("LITE_DELEGATE_NPU_LOG_LEVEL", "LOG_INFO")
    assert NPUDelegate().get_property("LOG_LEVEL") == "LOG_INFO"
    assert NPUDelegate(options={"LOG_LEVEL": "LOG_NONE"}).get_property("LOG_LEVEL") == "LOG_NONE"


def test_a_level_in_the_environment_that_there_is_not_is_ignored_with_a_warning(monkeypatch):
    monkeypatch.setenv("LITE_DELEGATE_NPU_LOG_LEVEL", "LOUD")
    expected = r"environment variable LITE_DELEGATE_NPU_LOG_LEVEL\) must be LOG_NONE.* got 'LOUD'\. The variable is"
    with pytest.warns(PropertyWarning, match=expected):
        assert NPUDelegate().get_property("LOG_LEVEL") == "LOG_NONE"
