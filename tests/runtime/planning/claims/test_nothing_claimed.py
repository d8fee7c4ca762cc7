"""A delegate that claims nothing is said aloud, with the most common reason, and only where it is its own doing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

import pytest

from lite_delegate import (
    Context,
    Delegate,
    DelegateUnavailable,
    DelegateWarning,
    Kernel,
    Model,
    PartitionOptions,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
)
from lite_delegate.testing.delegates import NamedDelegate
from tests.inference.shapes.test_open_shapes import KnownOnly, reshaped_to_2x4
from tests.runtime.graphs import chain


class Picky(NamedDelegate):
    """Rejects what it has a rule for, claims the rest."""

    name = "picky"

    def __init__(self, rules: Mapping[str, str]) -> None:
        super().__init__(None)
        self.rules = rules

    def supports(self, kernel: Kernel) -> SupportResult:
        rule = self.rules.get(kernel.name)
        return Supported() if rule is None else Rejected.by_rule(RejectCode.RANK, rule, f"is '{kernel.name}'")


def said(delegate: Delegate, count: int = 3, options: PartitionOptions | None = None) -> tuple[list[str], list[str]]:
    """The warnings and the notes of building a chain."""
    context = Context()
    context.set_delegate(delegate)
    context.partition = PartitionOptions() if options is None else options
    context.plan_only = True
    model = Model()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DelegateWarning)
        model.build_from_graph(chain(count), context)
    return [str(each.message) for each in caught], list(model.get_partition().notes)


def test_the_most_common_rule_is_named() -> None:
    expected = (
        "Delegate 'picky' does not claim any of 3 kernels; the most common reason, for 2 of them: RANK: rank up to 1."
    )
    assert said(Picky({"n0": "rank up to 1", "n1": "no rank at all", "n2": "rank up to 1"})) == ([expected], [expected])


def test_one_kernel_has_one_reason() -> None:
    (line,), _ = said(Picky({"n0": "rank up to 1"}), 1)
    assert line == "Delegate 'picky' does not claim the only kernel; the reason: RANK: rank up to 1."


class Away(Picky):
    def init(self) -> None:
        raise DelegateUnavailable("not plugged in")


@pytest.mark.parametrize(
    ("delegate", "options", "lines"),
    [
        (Picky({"n0": "rank up to 1"}), None, 0),
        (Picky({}), PartitionOptions(affinity={"n0": "CPU", "n1": "CPU", "n2": "CPU"}), 0),
        (Picky({}), PartitionOptions(deny_names={"n0", "n1", "n2"}), 0),
        (Away({}), None, 1),
    ],
)
def test_what_the_user_chose_and_a_device_that_is_away_are_no_claims_of_nothing(
    delegate: Delegate, options: PartitionOptions | None, lines: int
) -> None:
    found, _ = said(delegate, options=options)
    assert len(found) == lines
    assert not any("does not claim" in line for line in found)


def test_nothing_is_said_as_long_as_shapes_are_not_known() -> None:
    context = Context()
    context.set_delegate(KnownOnly(None))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DelegateWarning)
        model = Model()
        model.build_from_graph(reshaped_to_2x4(), context)
    assert not any("does not claim" in note for note in model.get_partition().notes)
