"""The best classes of outputs that have a score for each class, with the labels of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from ...basics.opening import read_regular
from ...basics.words.one_line import printable
from ...errors import InputError
from ...reporting.terminal import table
from .files import InputFile
from .steps import Output

MOST = 5
"""Classes that are shown of each output; outputs with fewer numbers are shown as they are."""

labels_option = click.option(
    "--labels",
    type=InputFile(),
    metavar="FILE",
    help="A text file with the name of each class in a line: for the best classes of an output [1, classes].",
)


def read_labels(path: Path) -> list[str]:
    """The lines of a file.

    Raises:
        InputError: it is no text, or it has no line.
        OSError: it cannot be read.
    """
    try:
        lines = read_regular(path).decode().splitlines()
    except UnicodeDecodeError as e:
        raise InputError(f"--labels {path}: expected text in UTF-8, with a class in each line: {e}.") from e
    if not lines:
        raise InputError(f"--labels {path}: expected a class in each line, found an empty file.")
    return [printable(line.strip()) for line in lines]


def best_texts(outputs: Sequence[Output], labels: Sequence[str] | None) -> Iterator[str]:
    """A table of the best classes of each output of shape ``[1, classes]`` with numbers.

    Args:
        outputs: of a prediction.
        labels: the name of each class, where they are known.

    Raises:
        InputError: there are other labels than classes.
    """
    scored = [each for each in outputs if _has_scores(each.data)]
    if labels is not None and not scored:
        raise InputError(f"--labels: no output has the shape [1, N] with {MOST} numbers or more.")
    for output in scored:
        scores = output.data[0]
        if labels is not None and len(labels) != len(scores):
            raise InputError(
                f"--labels: the file has {len(labels):,} lines, output '{output.name}' has {len(scores):,} classes."
            )
        best = np.argsort(-scores.astype(np.float64), kind="stable")[:MOST]
        rows = [(str(index), f"{scores[index]:.6g}", *(() if labels is None else (labels[index],))) for index in best]
        heads = ("class", "score", *(() if labels is None else ("label",)))
        head = f"the best {MOST} of '{printable(output.name)}':"
        yield f"{head}\n{table(heads, rows, right=heads[:2], wrap=heads[2:])}"


def _has_scores(array: np.ndarray[Any, Any]) -> bool:
    return array.ndim == 2 and array.shape[0] == 1 and array.shape[1] >= MOST and array.dtype.kind in "fiu"
