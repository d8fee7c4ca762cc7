"""The list of packages and models, as ``models.toml`` has it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LIST = Path(__file__).with_name("models.toml")


@dataclass(frozen=True)
class Answer:
    """What an application reads off the outputs, and what it must be.

    Attributes:
        kind: ``argmax``, ``above`` or ``text``; see ``answers``.
        expect: the answer.
        output: which output it is read off.
        axis: ``argmax``: along which axis, after the others were reduced by ``reduce``.
        first: ``argmax``: the first element along that axis that counts.
        reduce: ``max`` or ``mean``.
        threshold: ``above``: of the largest element.
    """

    kind: str
    expect: Any
    output: int = 0
    axis: int = -1
    first: int = 0
    reduce: str = "mean"
    threshold: float = 0.0


@dataclass(frozen=True)
class RealModel:
    """One model of a package.

    Attributes:
        path: inside of the package.
        inputs: how each input is made, in order: the name of a function of ``inputs``, with arguments behind it.
        shapes: of the inputs, in order; empty where the file leaves nothing open.
        answer: None where nothing but numbers is compared.
        least_snr_db: by configuration, or by its part before the colon, what the outputs must reach against the native
            runtime.
        least_coverage: percent of kernels that an NPU takes at least, by the name of its profile.
        most_subgraphs: on an NPU, by the name of its profile.
        judged_by: a file of ``expected`` with the outputs of an interpreter that the native runtime is not.
        fails: configurations, or their parts before the colon, in which it is known not to be as expected.
        known: why it fails there, or why what is expected is less than usual, for people.
        is_quick: part of the quick slice.
    """

    path: str
    inputs: Sequence[Sequence[Any]]
    shapes: Sequence[Sequence[int]] = ()
    answer: Answer | None = None
    least_snr_db: Mapping[str, float] = field(default_factory=dict)
    least_coverage: Mapping[str, float] = field(default_factory=dict)
    most_subgraphs: Mapping[str, int] = field(default_factory=dict)
    judged_by: str = ""
    fails: Sequence[str] = ()
    known: str = ""
    is_quick: bool = False

    def is_known(self, configuration: str) -> bool:
        """Whether it is known to fail in a configuration."""
        return configuration in self.fails or configuration.partition(":")[0] in self.fails

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.path).name


@dataclass(frozen=True)
class RealPackage:
    """One package.

    Attributes:
        name, version: as the index has them.
        license: of the package, which is not part of this repository.
        models: those that are run.
        files: what else is taken out of it, such as images.
    """

    name: str
    version: str
    license: str
    models: Sequence[RealModel] = ()
    files: Sequence[str] = ()


def read_catalog(path: Path = LIST) -> list[RealPackage]:
    """The packages in the list's order.

    Raises:
        TypeError: an entry has a key that none has.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return [_package(each) for each in data["package"]]


def _package(record: dict[str, Any]) -> RealPackage:
    models = [_model(each) for each in record.pop("model", ())]
    return RealPackage(**record, models=models)


def _model(record: dict[str, Any]) -> RealModel:
    answer = record.pop("answer", None)
    return RealModel(**record, answer=None if answer is None else Answer(**answer))
