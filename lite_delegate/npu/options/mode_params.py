"""Compilation mode parameters: ``optimization-level=1 performance-hint-override=latency``."""

from __future__ import annotations

from ...basics.data_class import dataclass
from ...properties import shown
from ...properties.kinds import MAX_TEXT

LEVEL = "optimization-level"
OVERRIDE = "performance-hint-override"
ISLANDS = "precision-islands"
PARAMS = {LEVEL: ("0", "1", "2"), OVERRIDE: ("efficiency", "latency"), ISLANDS: ("yes", "no")}


@dataclass(frozen=True, slots=True)
class ModeParams:
    """The choices that a program is compiled with.

    Attributes:
        optimization_level: 0 reduced set of passes, 1 balanced, 2 everything.
        hint_override: with the hint LATENCY: ``efficiency`` as the platform's table says, ``latency`` all tiles.
        islands: whether sensitive intermediate results of float16 programs are kept in float32.
        text: as the user gave it.
    """

    optimization_level: int = 1
    hint_override: str = "efficiency"
    islands: bool = True
    text: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class ModeParamsKind:
    """The kind of ``NPU_COMPILATION_MODE_PARAMS``."""

    @property
    def allowed(self) -> str:
        """The values that it takes."""
        return "KEY=VALUE between spaces, of " + ", ".join(f"{key}={'|'.join(v)}" for key, v in PARAMS.items())

    def parse(self, value: object) -> ModeParams:
        """The parameters; missing parameters have their defaults."""
        if isinstance(value, ModeParams):
            return value
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ValueError
        found: dict[str, str] = {}
        for part in value.split():
            key, _, setting = part.partition("=")
            if key not in PARAMS:
                raise ValueError(f"no parameter {shown(key)}")
            if key in found:
                raise ValueError(f"{key} is given twice")
            if setting not in PARAMS[key]:
                raise ValueError(f"{key} must be {' or '.join(PARAMS[key])}, is {shown(setting)}")
            found[key] = setting
        return ModeParams(
            int(found.get(LEVEL, "1")),
            found.get(OVERRIDE, "efficiency"),
            found.get(ISLANDS, "yes") == "yes",
            " ".join(value.split()),
        )
