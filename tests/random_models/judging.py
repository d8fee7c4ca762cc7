"""What becomes of a random model in each configuration: right, refused with a reason, or a finding."""

from __future__ import annotations

import tempfile
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lite_delegate import GraphError, LiteDelegateError, UnsupportedOperatorError
from tests.random_models.configurations import CONFIGURATIONS, DEAR, Configuration, NoKernel
from tests.random_models.sample import Sample
from tests.random_models.steps import Array

FIRST = next(iter(CONFIGURATIONS))
EVERY = 10


@dataclass(frozen=True)
class Judgement:
    """What one configuration made of a model.

    Attributes:
        configuration: its name.
        outcome: "right", "refused: ERROR", or for a finding "wrong" or "raised: ERROR".
        detail: where and by how much it is wrong, or what was raised.
    """

    configuration: str
    outcome: str
    detail: str = ""

    @property
    def is_finding(self) -> bool:
        """Whether it must not be."""
        return not self.outcome.startswith(("right", "refused"))


def judged(sample: Sample, configurations: Sequence[Configuration]) -> list[Judgement]:
    """A model in each configuration. Where the CPU refuses it, fails or is wrong, the others are not asked.

    Args:
        sample: the model.
        configurations: to run it in.
    """
    allowed = {size: sample.allowed(size) for size in {each.size for each in configurations}}
    found: list[Judgement] = []
    for each in configurations:
        if each.name in DEAR and sample.seed % EVERY:
            continue
        found.append(judged_in(sample, each, allowed[each.size]))
        if each.name == FIRST and found[-1].outcome != "right":
            break
    return found


def judged_in(sample: Sample, configuration: Configuration, allowed: Sequence[Array]) -> Judgement:
    """A model in one configuration.

    Args:
        sample: the model.
        configuration: how it is run.
        allowed: of each output, see ``Sample.allowed``.
    """
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outputs = configuration.run(sample, Path(folder))
        except (UnsupportedOperatorError, GraphError, NoKernel) as e:  # GraphError: what a format cannot say
            return Judgement(configuration.name, f"refused: {type(e).__name__}", str(e))
        except LiteDelegateError as e:
            return Judgement(configuration.name, f"raised: {type(e).__name__}", str(e))
        except Exception as e:
            return Judgement(configuration.name, f"raised: {type(e).__name__}", traceback.format_exc())
    detail = first_difference(sample, outputs, allowed)
    return Judgement(configuration.name, "wrong" if detail else "right", detail)


def first_difference(sample: Sample, outputs: Sequence[Array], allowed: Sequence[Array]) -> str:
    """Where results are not what they must be, "" where they are.

    Args:
        sample: the model, with what is expected.
        outputs: what was found.
        allowed: how far each element may be off.
    """
    for name, found, expected, most in zip(sample.outputs, outputs, sample.expected, allowed, strict=True):
        if found.shape != expected.shape or found.dtype != expected.dtype:
            return f"{name}: {expected.dtype}{list(expected.shape)} expected, {found.dtype}{list(found.shape)} found"
        wanted, got = expected.astype(np.float64), found.astype(np.float64)
        off = ~np.isfinite(got) | (np.abs(got - wanted) > most)
        if off.any():
            at = np.unravel_index(int(np.argmax(off)), off.shape)
            return f"{name}{list(map(int, at))}: {wanted[at]:g} expected, {got[at]:g} found, {most[at]:.2g} allowed"
    return ""


def still(configuration: Configuration, outcome: str) -> Callable[[Sample], bool]:
    """Tells of smaller models whether they show the same."""

    def shows(sample: Sample) -> bool:
        return judged_in(sample, configuration, sample.allowed(configuration.size)).outcome == outcome

    return shows
