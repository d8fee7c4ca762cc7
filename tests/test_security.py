"""What SECURITY.md promises and sources show."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from lite_delegate.basics.opening import LARGEST_TEXT

ROOT = Path(__file__).parent.parent
PAGE = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
PACKAGES = ("lite_delegate", "lite_delegate_command", "lite_delegate_pytest", "kernels", "schemas")
NETWORK = {
    *(
        "aiohttp",
        "ftplib",
        "http",
        "httpx",
        "imaplib",
        "poplib",
        "requests",
        "smtplib",
        "socket",
        "socketserver",
        "ssl",
    ),
    *("requests", "telnetlib", "urllib", "urllib3", "websockets", "xmlrpc"),
}
"""Modules that open connections."""


def imported(path: Path) -> set[str]:
    """The first names of the modules that a file imports, anywhere in it, from other packages."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0]
    return {name.partition(".")[0] for name in names if name != "urllib.parse"}  # which works on texts alone


def test_nothing_opens_a_network_connection() -> None:
    found = {name for package in PACKAGES for path in (ROOT / package).rglob("*.py") for name in imported(path)}
    assert "opens no network connection" in PAGE
    assert found & NETWORK <= {"socket"}


def test_sockets_are_pairs_of_a_parent_and_its_child() -> None:
    """Descriptors pass through nothing else; no socket of them is connected, bound or given an address."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if "socket" in imported(path)]
    of_ray = ROOT / "lite_delegate" / "batch" / "engines" / "ray_engine" / "ray_package.py"
    assert of_ray in files, "it asks whether an address of Ray answers"
    files.remove(of_ray)
    assert {path.relative_to(ROOT).parts[1] for path in files} == {"basics", "isolated"}
    names = {
        node.attr
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "socket"
    }
    assert names == {"MSG_WAITALL", "recv_fds", "send_fds", "socket", "socketpair"}


def test_the_size_of_files_of_settings() -> None:
    (size,) = re.findall(r"have at most (\d+) MiB", PAGE)
    assert int(size) * 2**20 == LARGEST_TEXT
