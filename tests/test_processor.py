"""Telling OpenBLAS of AVX-512: only where it helps, and never against the user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lite_delegate.processor import AVX512_FEATURES, CORE_TYPE, use_avx512

FLAGS = " ".join(sorted(AVX512_FEATURES))


def cpuinfo(folder: Path, vendor: str, flags: str) -> Path:
    path = folder / "cpuinfo"
    processor = f"processor\t: 0\nvendor_id\t: {vendor}\nmodel name\t: A: B\nflags\t\t: fpu avx2 {flags}\n"
    path.write_text(f"{processor}\n{processor.replace('0', '1')}\n", encoding="utf-8")
    return path


def test_amd_with_avx512(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    assert use_avx512(environment, (), cpuinfo(tmp_path, "AuthenticAMD", FLAGS))
    assert environment == {"OPENBLAS_CORETYPE": "SkylakeX"}


@pytest.mark.parametrize("missing", sorted(AVX512_FEATURES))
def test_amd_that_lacks_a_feature(tmp_path: Path, missing: str) -> None:
    environment: dict[str, str] = {}
    assert not use_avx512(environment, (), cpuinfo(tmp_path, "AuthenticAMD", FLAGS.replace(missing, "")))
    assert environment == {}


def test_other_makers_are_left_alone(tmp_path: Path) -> None:
    assert not use_avx512({}, (), cpuinfo(tmp_path, "GenuineIntel", FLAGS))


def test_what_the_user_chose_stays(tmp_path: Path) -> None:
    environment = {CORE_TYPE: "Zen"}
    assert not use_avx512(environment, (), cpuinfo(tmp_path, "AuthenticAMD", FLAGS))
    assert environment == {CORE_TYPE: "Zen"}


def test_it_is_too_late_after_numpy(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    assert not use_avx512(environment, ("numpy",), cpuinfo(tmp_path, "AuthenticAMD", FLAGS))
    assert environment == {}


@pytest.mark.parametrize("content", [None, b"", b"\xff:\n:::\nvendor_id\n", b"vendor_id\t: AuthenticAMD\n"])
def test_nothing_is_known_of_the_processor(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "cpuinfo"
    if content is not None:
        path.write_bytes(content)
    assert not use_avx512({}, (), path)


def test_the_package_does_it_before_it_imports_numpy() -> None:
    program = (
        "import builtins, sys\n"
        "real, seen = builtins.__import__, []\n"
        "def spy(name, *rest):\n"
        "    seen.append(name)\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = spy\n"
        "import lite_delegate\n"
        "print(seen.index('processor') < seen.index('numpy'))\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != CORE_TYPE}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "True"
