from __future__ import annotations

import sys
import threading
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest

from lite_delegate import Delegate, DelegateUnavailable, InputError
from lite_delegate.devices import DeviceRegistry, Physical
from lite_delegate.devices.registry.delegate_source import BUILT_IN, GROUP
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.devices.acme import install

ROOT = Path(__file__).parents[3]


class Counting(NamedDelegate):
    """Is there or not, and counts who asks."""

    calls: ClassVar[list[str]] = []
    why: str | None = None

    def init(self) -> None:
        self.calls.append("init")
        if self.why:
            raise DelegateUnavailable(self.why)

    def close(self) -> None:
        self.calls.append("close")


class Probed(Counting):
    def probe(self) -> str:
        self.calls.append("probe")
        return self.why or ""


@pytest.fixture
def counting():
    Counting.calls.clear()
    yield Counting
    Counting.why = None


def test_the_package_says_of_its_device_what_is_built_in() -> None:
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
    assert list(entries) == list(BUILT_IN)
    assert entries["NPU"] == f"{NPUDelegate.__module__.rpartition('.')[0]}:{NPUDelegate.__qualname__}"


def test_a_device_without_a_probe_is_initialized_once_until_it_is_looked_for_anew(counting) -> None:
    registry = DeviceRegistry()
    registry.register("chip", Counting)
    assert counting.calls == []
    assert [registry.why_absent(Physical("CHIP")) for _ in range(3)] == [""] * 3
    assert registry.infos()[-1].available
    assert counting.calls == ["init", "close"]
    Counting.why = "unplugged"
    assert registry.infos()[-1].available
    registry.rescan()
    assert registry.infos()[-1].reason == "unplugged"
    assert counting.calls == ["init", "close", "init"]


def test_a_device_with_a_probe_is_never_initialized_to_list_it(counting) -> None:
    registry = DeviceRegistry()
    registry.register("chip", Probed)
    Counting.why = "no cable"
    assert {info.name: info.reason for info in registry.infos()}["chip"] == "no cable"
    Counting.why = None
    registry.rescan()
    assert registry.infos()[-1].available
    assert counting.calls == ["probe", "probe"]


def test_delegates_are_imported_when_they_are_asked_for(tmp_path: Path, monkeypatch) -> None:
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    registry = DeviceRegistry()
    assert "acme" in registry.names
    assert "acme_delegate" not in sys.modules
    try:
        assert registry.delegate(Physical("Acme"), {"speed": 2}).name == "acme-chip"
        assert "acme_delegate" in sys.modules
        with pytest.raises(InputError, match="Acme has no option 'DEVICE_ID'"):
            registry.delegate(Physical("acme", "7"))
    finally:
        sys.modules.pop("acme_delegate", None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("npu", "There is a device 'npu' already"),
        ("CPU", "There is a device 'CPU' already"),
        ("AUTO", "one word that is none of HETERO, AUTO, MULTI, BATCH"),
        ("a.b", "one word"),
        ("a b", "at position 2, found ' '"),
    ],
)
def test_names_that_cannot_be_registered(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        DeviceRegistry().register(name, Counting)


def test_a_factory_that_makes_no_delegate_is_an_absent_device() -> None:
    registry = DeviceRegistry()
    registry.register("none", lambda options: None)  # type: ignore[arg-type, return-value]
    registry.register("raises", lambda options: 1 / 0)  # type: ignore[arg-type, return-value]
    reasons = {info.name: info.reason for info in registry.infos()}
    assert "its factory must give a Delegate, gave None" in reasons["none"]
    assert "its factory failed: ZeroDivisionError" in reasons["raises"]
    with pytest.raises(TypeError, match="must be callable"):
        registry.register("no", 3)  # type: ignore[arg-type]


def test_a_device_is_registered_again_only_where_it_is_asked_for() -> None:
    registry = DeviceRegistry()
    first, second = NamedDelegate(), NamedDelegate()
    registry.register("chip", lambda options: first)
    assert registry.delegate(Physical("chip")) is first
    with pytest.raises(InputError, match=r"'CHIP' is registered already: .* replace=True"):
        registry.register("CHIP", lambda options: second)
    assert registry.delegate(Physical("chip")) is first
    registry.register("chip", lambda options: second, replace=True)
    assert registry.delegate(Physical("chip")) is second


def test_an_unknown_device_is_reported_with_similar_names() -> None:
    registry = DeviceRegistry()
    with pytest.raises(
        InputError, match=r"Device 'MPU' at position 9 is not registered\. Did you mean 'NPU'"
    ) as raised:
        registry.name_of(Physical("MPU", at=9))
    assert "entry point group 'lite_delegate.delegates'" in str(raised.value)
    with pytest.raises(InputError, match="the CPU has no ids"):
        registry.name_of(Physical("CPU", "1"))


def test_simulated_devices_are_apart(monkeypatch) -> None:
    monkeypatch.setenv("LITE_DELEGATE_NPU_DEVICES", "4000,4000,3720")
    registry = DeviceRegistry()

    def device(name: str, **options: object):
        delegate = registry.delegate(Physical("NPU", name), options)
        assert isinstance(delegate, NPUDelegate)
        return delegate

    first, second, third = device("4000.0"), device("4000.1"), device("3720")
    assert len({id(each.device) for each in (first, second, third)}) == 3
    assert device("4000").device is first.device is device("").device
    assert device("", DEVICE_ID="4000.1").device is second.device
    assert device("4000.1", NPU_TURBO="YES").device is second.device
    assert (first.profile.name, third.profile.name) == ("npu4000", "npu3720")
    assert device("kirin").profile.name == "kirin"
    with pytest.raises(InputError, match=r"There is no NPU '4000.2': .* lists 4000.0, 4000.1, 3720.0"):
        device("4000.2")
    with pytest.raises(InputError, match="No NPU profile '9999'"):
        device("9999")


def test_one_simulated_device_has_several_names(monkeypatch) -> None:
    monkeypatch.delenv("LITE_DELEGATE_NPU_DEVICES", raising=False)
    registry = DeviceRegistry()
    names = [Physical("npu"), Physical("NPU", "generic"), Physical("NPU", "GENERIC.0")]
    devices = [registry.delegate(name) for name in names]
    assert len({id(each.device) for each in devices if isinstance(each, NPUDelegate)}) == 1


def test_threads_that_ask_at_once_get_one_device() -> None:
    made: list[Delegate] = []

    def factory(options: object) -> Delegate:
        made.append(NamedDelegate())
        return made[-1]

    registry = DeviceRegistry()
    registry.register("chip", factory)
    barrier = threading.Barrier(8)

    def ask() -> None:
        barrier.wait()
        registry.delegate(Physical("chip"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
