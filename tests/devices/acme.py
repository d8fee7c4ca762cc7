"""A package with a delegate, as ``pip install`` leaves it: a module and the metadata of a distribution."""

from __future__ import annotations

from pathlib import Path

MODULE = """
from lite_delegate import Delegate, DelegateUnavailable, RejectCode, Rejected, Supported
from lite_delegate.testing.delegates import NamedDelegate

INITS = []


class Acme(NamedDelegate):
    name = "acme-chip"

    def __init__(self, speed: int = 1):
        super().__init__()
        self.speed = speed

    def supports(self, kernel):
        if kernel.type == "Softmax":
            return Rejected(RejectCode.OPERATOR, f"no Softmax at speed {self.speed}")
        return Supported()


class Away(Acme):
    def probe(self):
        return "no driver."

    def init(self):
        INITS.append(1)


class Broken(Acme):
    def probe(self):
        raise OSError("bus error")


def of_function(options):
    return Acme(**{key.lower(): value for key, value in options.items()})
"""
ENTRY_POINTS = """
[lite_delegate.delegates]
acme = acme_delegate:Acme
acme-away = acme_delegate:Away
acme-broken = acme_delegate:Broken
acme-function = acme_delegate:of_function
acme-missing = acme_delegate_x:Acme
"""


def install(folder: Path) -> None:
    """Puts the package into a folder that Python looks into."""
    (folder / "acme_delegate.py").write_text(MODULE)
    info = folder / "acme_delegate-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-delegate\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
