"""Vela as a process: a package of its name that is made here succeeds and fails in the ways that Vela may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lite_delegate import DelegateUnavailable
from lite_delegate.backends.ethosu import EthosUDelegate
from lite_delegate.backends.ethosu.accelerators import ACCELERATORS
from lite_delegate.backends.ethosu.compiling import compiled
from lite_delegate.backends.ethosu.vela import VelaSettings
from lite_delegate.backends.ethosu.vela_process import vela_process
from lite_delegate.devices.registry.names import ETHOS_U
from lite_delegate.errors import DelegateBuildError, PropertyError

SETTINGS = VelaSettings("u55-64", seconds=60)
SUCCESS = """
folder = sys.argv[sys.argv.index("--output-dir") + 1]
open(os.path.join(folder, "model_vela.tflite"), "w").write(" ".join(sys.argv[1:]))
print("Warning (supported operators) operator: RELU, ofm: 'y'\\nReason: too wide")
"""
INI = "[System_Config.Small]\ncore_clock=1e8\n[Memory_Mode.Sram]\nconst_mem_area=Axi0\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package ``ethosu`` without a compiler in it, and a process of Vela that finds it."""
    vela_process().close()
    monkeypatch.syspath_prepend(tmp_path / "site")
    folder = tmp_path / "site" / "ethosu"
    (folder / "vela").mkdir(parents=True)
    for name in ("__init__.py", "vela/__init__.py"):
        (folder / name).write_text("")
    yield folder
    vela_process().close()


def answers(package: Path, source: str) -> None:
    """Makes the compiler of some lines."""
    (package / "vela" / "__main__.py").write_text(f"import os, signal, sys, time\n{source}")


def failure(settings: VelaSettings = SETTINGS) -> str:
    """What is said of a compilation that fails."""
    with pytest.raises(DelegateBuildError) as caught:
        compiled(b"model", settings)
    return str(caught.value)


def test_success_gives_the_file_and_the_reasons(package: Path) -> None:
    answers(package, SUCCESS)
    output = compiled(b"model", VelaSettings("u55-64", memory="Sram", arena=4096))
    arguments = output.content.decode()
    assert "--accelerator-config ethos-u55-64 --optimise Performance" in arguments
    assert arguments.endswith("--memory-mode Sram --arena-cache-size 4096")
    assert output.reasons == {"y": "RELU: too wide"}


@pytest.mark.shows(
    "ETHOSU",
    "DEVICE_ID",
    "VELA_CONFIG",
    "SYSTEM_CONFIG",
    "MEMORY_MODE",
    "OPTIMISE",
    "ARENA_CACHE_SIZE",
    "COMPILE_SECONDS",
)
def test_properties_reach_vela(package: Path, tmp_path: Path) -> None:
    answers(package, SUCCESS)
    (tmp_path / "own.ini").write_text(INI)
    options: dict[str, object] = {
        "DEVICE_ID": "u85-256",
        "VELA_CONFIG": str(tmp_path / "own.ini"),
        "SYSTEM_CONFIG": "Small",
        "MEMORY_MODE": "Sram",
        "OPTIMISE": "Size",
        "ARENA_CACHE_SIZE": 4096,
        "COMPILE_SECONDS": 7,
    }
    settings = EthosUDelegate(options=options).settings
    arguments = compiled(b"model", settings).content.decode()
    for part in (
        "--accelerator-config ethos-u85-256",
        f"--config {tmp_path / 'own.ini'}",
        "--system-config Small",
        "--memory-mode Sram",
        "--optimise Size",
        "--arena-cache-size 4096",
    ):
        assert part in arguments
    answers(package, "time.sleep(60)")
    assert failure(replace(settings, seconds=1)) == "Vela has not compiled the model within 1 s."
    assert settings.seconds == 7


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("print('one'); print('two'); sys.exit(3)", "Vela ended with status 3: one / two"),
        (
            "sys.exit('ethosu.vela.errors.CliOptionError: \"Error: no such name\"')",
            "Vela ended with status 1: Error: no such name",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", "Vela was ended by signal SIGKILL: it printed nothing"),
        ("pass", "Vela wrote no file: it printed nothing"),
    ],
)
def test_failures_say_how_vela_ended(package: Path, source: str, said: str) -> None:
    answers(package, source)
    assert failure() == said


def test_a_compilation_that_takes_too_long_is_ended(package: Path) -> None:
    answers(package, "time.sleep(60)")
    assert failure(VelaSettings("u55-64", seconds=1)) == "Vela has not compiled the model within 1 s."


def unavailable(**options: object) -> str:
    """The line that is said of a delegate that cannot be used."""
    with pytest.raises(DelegateUnavailable) as caught:
        EthosUDelegate(options=options).init()
    (line,) = str(caught.value).splitlines()
    return line


def test_a_package_that_is_absent_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite_delegate.backends.ethosu.delegate.is_installed", lambda package: False)
    assert unavailable() == "The package 'ethos-u-vela' is not installed: pip install 'lite-delegate[ethosu]'."


def test_a_configuration_file_is_checked_before_vela_starts(package: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="the package ai-edge-litert is not installed")
    (tmp_path / "own.ini").write_text(INI)
    (tmp_path / "bad.ini").write_text("no section")
    config = str(tmp_path / "own.ini")
    EthosUDelegate(options={"VELA_CONFIG": config, "SYSTEM_CONFIG": "Small", "MEMORY_MODE": "Sram"}).init()
    assert unavailable(VELA_CONFIG="absent.ini") == "Vela's configuration file 'absent.ini' is not there."
    assert "cannot be read" in unavailable(VELA_CONFIG=str(tmp_path / "bad.ini"))
    assert unavailable(VELA_CONFIG=config, SYSTEM_CONFIG="Large").endswith("has no System_Config.Large; it has Small.")


def test_a_file_beside_the_caller_is_given_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.ini").write_text(INI)
    monkeypatch.chdir(tmp_path)
    delegate = EthosUDelegate(options={"VELA_CONFIG": "own.ini"})
    assert delegate.settings.config == str(tmp_path / "own.ini")


def test_the_key_of_caches_follows_the_content_of_the_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "own.ini").write_text(INI)
    delegate = EthosUDelegate(options={"VELA_CONFIG": str(tmp_path / "own.ini")})
    before = delegate.cache_key()
    (tmp_path / "own.ini").write_text(INI.replace("1e8", "2e8"))
    assert delegate.cache_key() != before


def test_other_accelerators_are_refused_by_name() -> None:
    with pytest.raises(PropertyError, match=r"must be u55-32, .* or u85-2048; got 'u55-999'"):
        EthosUDelegate("u55-999")


def test_aliases_are_the_accelerators() -> None:
    assert ETHOS_U == ACCELERATORS


def test_vela_is_imported_once(package: Path, tmp_path: Path) -> None:
    """By a process that stays; each model has a fork, whose changes the next one does not see."""
    imports = tmp_path / "imports"
    (package / "vela" / "vela.py").write_text(f"open({str(imports)!r}, 'a').write('x')\nCALLS = []\n")
    answers(package, f"from .vela import CALLS\nCALLS.append(1)\nassert CALLS == [1], CALLS\n{SUCCESS}")
    before = vela_process().started
    for _ in range(3):
        compiled(b"model", SETTINGS)
    assert imports.read_text() == "x"
    assert vela_process().started == before + 1


def test_a_compiler_that_cannot_be_imported_says_so(package: Path) -> None:
    answers(package, "import a_package_that_is_absent")
    assert failure().endswith("ModuleNotFoundError: No module named 'a_package_that_is_absent'")
