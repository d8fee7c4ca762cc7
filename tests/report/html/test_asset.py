"""The page's script, styles and licences are what the sources in ``web/report`` give, byte by byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import lite_delegate.report.html

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "web" / "report"
ASSETS = Path(lite_delegate.report.html.__file__).parent / "assets"
NO_NETWORK = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "network")


def test_versions_are_locked() -> None:
    package = json.loads((SOURCES / "package.json").read_text())
    lock = json.loads((SOURCES / "package-lock.json").read_text())
    wanted = {**package["dependencies"], **package["devDependencies"]}
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(each.get("integrity") for name, each in lock["packages"].items() if name)


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs npm")
    sources = tmp_path / "report"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns("node_modules"))
    installed = run([npm, "ci", "--no-audit", "--no-fund"], sources)
    if installed.returncode and any(word in installed.stderr for word in NO_NETWORK):
        pytest.skip(f"npm has no registry: {installed.stderr.strip().splitlines()[0]}")
    assert installed.returncode == 0, installed.stderr
    built = run([npm, "run", "build", "--", str(tmp_path / "assets")], sources)
    assert built.returncode == 0, built.stderr
    names = sorted(path.name for path in ASSETS.iterdir())
    assert sorted(path.name for path in (tmp_path / "assets").iterdir()) == names
    for name in names:
        assert (tmp_path / "assets" / name).read_bytes() == (ASSETS / name).read_bytes(), (
            f"{name} is not what web/report gives: run 'npm ci && npm run build' there"
        )


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "npm_config_fetch_retries": "0"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)
