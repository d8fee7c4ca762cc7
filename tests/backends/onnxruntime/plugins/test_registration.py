"""A plugin is registered once, and what prevents it is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lite_delegate import DelegateUnavailable
from lite_delegate.backends.onnxruntime.plugins import registration
from lite_delegate.backends.onnxruntime.plugins.packages import Plugin
from lite_delegate.backends.onnxruntime.plugins.registration import absence, provider_devices, register
from lite_delegate.backends.onnxruntime.sessions import session
from lite_delegate.backends.onnxruntime.sessions.session import SessionSettings, check_provider
from tests.backends.onnxruntime.plugins.packages import FakeRuntime, OldRuntime, device, install

ONE = "OneExecutionProvider"


@pytest.fixture(autouse=True)
def _nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registration, "_libraries", {})


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The library of the only installed plugin."""
    place = str(install(tmp_path, "onnxruntime_test_one", [ONE, f"{ONE}.AUTO"]))
    monkeypatch.setattr(registration, "installed_plugins", lambda: [Plugin(place, "onnxruntime-test-one", (ONE,))])
    return place


def refusal(ort: Any, provider: str, wanted: str = "") -> str:
    """The one line with which a provider is refused."""
    with pytest.raises(DelegateUnavailable) as caught:
        register(ort, provider, wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_plugin_of_a_package_is_registered_once(library: str) -> None:
    ort = FakeRuntime({library: [device(ONE)]})
    plugin = register(ort, ONE, "")
    assert plugin is not None
    assert plugin.origin == "onnxruntime-test-one"
    assert ort.registered == [(ONE, library)]
    assert register(ort, ONE, "") is None, "ONNX Runtime has it"
    assert [each.ep_name for each in provider_devices(ort, ONE)] == [ONE]


def test_another_provider_of_the_same_library_loads_it_no_second_time(library: str) -> None:
    ort = FakeRuntime({library: [device(ONE), device(f"{ONE}.AUTO")]})
    assert register(ort, f"{ONE}.AUTO", "") is not None
    register(ort, ONE, "")
    assert ort.registered == [(ONE, library)]


def test_a_library_without_a_device_is_loaded_once(library: str) -> None:
    ort = FakeRuntime()
    for _ in range(2):
        assert register(ort, ONE, "") is not None
    assert len(ort.registered) == 1


def test_a_path_of_the_user_counts_before_packages(library: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.so"
    mine.write_bytes(b"")
    ort = FakeRuntime({str(mine): [device(ONE)]})
    register(ort, ONE, str(mine))
    assert ort.registered == [(ONE, str(mine))]


def test_built_in_providers_need_no_plugin(library: str) -> None:
    ort = FakeRuntime()
    assert register(ort, "CPUExecutionProvider", "") is None
    assert register(ort, "NoneExecutionProvider", "") is None
    assert ort.registered == []


def test_an_old_release_is_one_line(library: str) -> None:
    assert refusal(OldRuntime(), ONE) == (
        "ONNX Runtime 1.18.0 cannot load the plugin 'onnxruntime-test-one': 1.23 or newer is needed."
    )
    assert provider_devices(OldRuntime(), ONE) == []


def test_a_library_that_cannot_be_loaded_is_one_line(library: str) -> None:
    ort = FakeRuntime(error=RuntimeError("Failed to load library,\n  error: libcuda.so.1: no such file\n"))
    said = refusal(ort, ONE)
    assert said.startswith("ONNX Runtime cannot load the plugin 'onnxruntime-test-one': Failed to load library")
    assert "libcuda.so.1" in said


def test_a_failure_is_tried_again(library: str) -> None:
    ort = FakeRuntime({library: [device(ONE)]}, RuntimeError("busy"))
    refusal(ort, ONE)
    ort._error = None
    register(ort, ONE, "")
    assert ort.registered == [(ONE, library)]


@pytest.mark.parametrize(
    ("provider", "brought", "said"),
    [
        (ONE, True, "The plugin 'onnxruntime-test-one' of ONNX Runtime is installed, and has no device for "),
        ("QNNExecutionProvider", False, "Its plugin is on the index: pip install onnxruntime-qnn."),
        ("OtherExecutionProvider", False, "ONNX Runtime has no 'OtherExecutionProvider' here; it has CPUExecution"),
    ],
)
def test_a_provider_without_a_device_is_one_line(
    library: str, monkeypatch: pytest.MonkeyPatch, provider: str, brought: bool, said: str
) -> None:
    monkeypatch.setattr(session, "runtime", FakeRuntime)
    with pytest.raises(DelegateUnavailable) as caught:
        check_provider(SessionSettings(provider))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ("installed" in str(caught.value)) is brought


def test_a_provider_of_no_known_plugin_has_no_hint() -> None:
    assert absence("MineExecutionProvider", None, ["A", "B"]) == (
        "ONNX Runtime has no 'MineExecutionProvider' here; it has A, B."
    )
