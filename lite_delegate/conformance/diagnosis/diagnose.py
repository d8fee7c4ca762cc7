"""The name of a defect in outputs, found by trying the defects that would explain them."""

from __future__ import annotations

import time
import warnings

from ...mindspore.model import Model
from ..judging.case import Array
from ..judging.chain import Chain
from ..judging.oracle import Expected
from ..reports.defects import Defect
from .arrays import coarse, missing, moved, uninitialized
from .evidence import Evidence
from .variants import variants

MAX_SECONDS = 1.0
"""Time that is spent on one chain."""


def diagnose(
    chain: Chain, expected: Expected, got: tuple[Array, ...], *, closely: bool = True
) -> tuple[Defect | None, str]:
    """The defect, and a note on its position; None and "" where no known defect explains the outputs.

    Args:
        chain: the chain, with the data that was given.
        expected: what had to come.
        got: what came.
        closely: also compute what other chains would give, which takes a while.
    """
    evidence = Evidence(chain, expected, got, time.monotonic() + MAX_SECONDS)
    found = uninitialized(evidence) or moved(evidence)
    if found is None and closely:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _of_variants(evidence)
    return found or missing(evidence) or coarse(evidence) or (None, "")


def _of_variants(evidence: Evidence) -> tuple[Defect, str] | None:
    for defect, note, chain in variants(evidence.chain):
        if evidence.is_late:
            return None
        if evidence.is_result_of(chain):
            return defect, note
    return None


def diagnose_untaken(model: Model, expected: Expected) -> tuple[Defect | None, str]:
    """The defect of a graph kernel whose outputs the runtime did not take, told by running it alone.

    For a model that is all one graph kernel.
    """
    kernels = model.get_graph_kernels()
    names = [set(), *({t.name for t in k.inputs if not t.is_const} for k in kernels)][-1]
    if len(kernels) != 1 or names != set(expected.inputs):
        return None, ""
    (kernel,) = kernels
    for tensor in kernel.inputs:
        if not tensor.is_const:
            tensor.data = expected.inputs[tensor.name].copy()
    for tensor in kernel.outputs:
        tensor.bind(None)
    try:
        kernel.execute()
    except Exception:  # it raised by itself, so there is nothing to look at
        return None, ""
    got = [tensor.take() for tensor in kernel.outputs]
    if any(y is None for y in got):
        missed = next(t.name for t, y in zip(kernel.outputs, got, strict=True) if y is None)
        return Defect.OUTPUT_NOT_SET, missed
    return _told(expected, tuple(y for y in got if y is not None))


def _told(expected: Expected, got: tuple[Array, ...]) -> tuple[Defect | None, str]:
    found = moved(Evidence(Chain("", (), {}, {}, ()), expected, got, 0.0))
    return found or (None, "")
