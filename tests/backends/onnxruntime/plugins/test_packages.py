"""Packages of plugins are found by what their source offers, and nothing else is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite_delegate import DelegateUnavailable
from lite_delegate.backends.onnxruntime.plugins.packages import (
    Plugin,
    installed_plugins,
    plugin_named,
    plugin_of_package,
    plugin_release,
)
from tests.backends.onnxruntime.plugins.packages import install


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that Python looks into first; its packages are forgotten at the end."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("onnxruntime_"):
            del sys.modules[name]


def ours() -> dict[str, Plugin]:
    """The plugins that tests installed, by package."""
    return {each.origin: each for each in installed_plugins() if each.origin.startswith("onnxruntime-test")}


def test_a_package_with_its_library_is_a_plugin(folder: Path) -> None:
    library = install(folder, "onnxruntime_test_one", ["OneExecutionProvider"])
    assert ours() == {
        "onnxruntime-test-one": Plugin(str(library), "onnxruntime-test-one", ("OneExecutionProvider",)),
    }


def test_a_package_may_have_several_providers(folder: Path) -> None:
    names = ["TwoExecutionProvider", "TwoExecutionProvider.AUTO"]
    install(folder, "onnxruntime_test_two", names)
    assert ours()["onnxruntime-test-two"].providers == tuple(names)


def test_packages_that_are_no_plugins_are_not_imported(folder: Path) -> None:
    (folder / "onnxruntime_test_other.py").write_text("raise SystemExit('imported')")
    (folder / "onnxruntime_test_binary.py").write_bytes(b"\xff\xfe\x00")
    (folder / "onnxruntime_test_empty").mkdir()
    (folder / "other_test_plugin.py").write_text("get_library_path = get_ep_name = None\nraise SystemExit('imported')")
    assert ours() == {}


@pytest.mark.parametrize(
    ("more", "has_library", "said"),
    [
        ("", False, "has no library for this machine: '.*plugin.so' is no file"),
        (
            "raise OSError('libfoo.so.2: cannot open')",
            True,
            "offers no plugin .* here: OSError: libfoo.so.2: cannot open",
        ),
        ("import nothing_of_this_name", True, "offers no plugin .* here: .*nothing_of_this_name"),
        (
            "def get_ep_name():\n    raise RuntimeError('no chip;\\nno driver')",
            True,
            "offers no plugin .* here: RuntimeError: no chip; no driver",
        ),
        ("del get_ep_name", True, "offers no plugin .* here: .*get_ep_name"),
    ],
)
def test_a_package_that_offers_nothing_here_is_left_out_and_says_why(
    folder: Path, more: str, has_library: bool, said: str
) -> None:
    install(folder, "onnxruntime_test_bad", ["BadExecutionProvider"], has_library=has_library, more=more)
    install(folder, "onnxruntime_test_good", ["GoodExecutionProvider"])
    assert list(ours()) == ["onnxruntime-test-good"]
    with pytest.raises(DelegateUnavailable, match=f"^The package 'onnxruntime_test_bad' {said}") as caught:
        plugin_of_package("onnxruntime_test_bad")
    assert "\n" not in str(caught.value)


def test_a_user_names_a_library_or_a_package(folder: Path) -> None:
    library = install(folder, "onnxruntime_test_one", ["OneExecutionProvider"])
    assert plugin_named(str(library)) == Plugin(str(library), str(library))
    assert plugin_named("onnxruntime_test_one").providers == ("OneExecutionProvider",)
    for text in (str(folder / "gone.so"), str(folder)):
        with pytest.raises(DelegateUnavailable, match=r"^The plugin of ONNX Runtime '.*' is no file\.$"):
            plugin_named(text)
    with pytest.raises(DelegateUnavailable, match="The package 'gone' offers no plugin"):
        plugin_named("gone")


def test_the_release_of_a_plugin_is_the_package_s_or_the_file_s(folder: Path) -> None:
    library = install(folder, "onnxruntime_test_one", ["OneExecutionProvider"])
    assert plugin_release("OneExecutionProvider", "") == "onnxruntime-test-one"
    info = folder / "onnxruntime_test_one-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: onnxruntime-test-one\nVersion: 1.2\n")
    for provider, wanted in (
        ("OneExecutionProvider", ""),
        ("OneExecutionProvider.AUTO", ""),
        ("Any", "onnxruntime_test_one"),
    ):
        assert plugin_release(provider, wanted) == "onnxruntime-test-one 1.2"
    assert plugin_release("NoneExecutionProvider", "") == ""
    before = plugin_release("OneExecutionProvider", str(library))
    assert before.startswith(f"{library} of ")
    library.write_bytes(b"another library")
    assert plugin_release("OneExecutionProvider", str(library)) != before
