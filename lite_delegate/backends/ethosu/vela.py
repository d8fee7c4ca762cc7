"""Vela, Arm's compiler for Ethos-U: its package, and the options that it is called with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ...basics.data_class import dataclass
from .accelerators import PREFIX

PACKAGE = "ethosu"
DISTRIBUTION = "ethos-u-vela"
EXTRA = "pip install 'lite-delegate[ethosu]'"


@dataclass(frozen=True, slots=True)
class VelaSettings:
    """The options that Vela is called with.

    Attributes:
        accelerator: one of ``ACCELERATORS``.
        config: a configuration file; "" for Vela's own figures.
        system: a system of the file; "" for Vela's default.
        memory: a memory mode of the file; "" for Vela's default.
        optimise: "Performance" or "Size".
        arena: bytes of fast memory; 0: as the memory mode says.
        seconds: the time for one compilation.
    """

    accelerator: str
    config: str = ""
    system: str = ""
    memory: str = ""
    optimise: str = "Performance"
    arena: int = 0
    seconds: int = 300

    @property
    def arguments(self) -> list[str]:
        """The arguments of the command line."""
        found = ["--accelerator-config", PREFIX + self.accelerator, "--optimise", self.optimise]
        for option, value in (
            ("--config", self.config),
            ("--system-config", self.system),
            ("--memory-mode", self.memory),
            ("--arena-cache-size", str(self.arena) if self.arena else ""),
        ):
            if value:
                found += [option, value]
        return found


def release() -> str:
    """Vela's release, "absent" where the package is not there."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "absent"
