"""Sets grow from the kernels that lose digits towards the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from lite_delegate.compare import Loss
from lite_delegate.compare.losses.growing import grown
from lite_delegate.compare.losses.losses import largest
from lite_delegate.runtime.binding.node_kernel import NodeKernel
from tests.compare.losing import VARIANCE, built, layer_norm


def nodes() -> tuple[NodeKernel, ...]:
    (stand_in,) = built(layer_norm()).compiled.plan.stand_ins.values()
    return stand_in.kernels


def loss(kernel: str, lost_db: float) -> Loss:
    return Loss(kernel, "T", "S", 1, 60.0, 60.0 - lost_db)


def grown_for(needed: Sequence[str], losses: Sequence[Loss]) -> tuple[frozenset[str], list[frozenset[str]]]:
    asked: list[frozenset[str]] = []

    def holds(kept: frozenset[str]) -> bool:
        asked.append(kept)
        return set(needed) <= kept

    return grown(nodes(), holds, lambda kept: losses), asked


def test_a_kernel_then_what_makes_its_operands_step_by_step() -> None:
    found, asked = grown_for(VARIANCE, [loss("normed", 20), loss("variance", 60)])
    assert found == set(VARIANCE)
    assert asked == [
        frozenset(),
        frozenset({"variance", "mean_square", "squared_mean"}),
        frozenset(VARIANCE),
    ]


def test_the_next_one_has_its_turn_where_nothing_is_left_before_the_first() -> None:
    found, _ = grown_for(("mean", "square", "mean_square"), [loss("mean", 60), loss("mean_square", 30)])
    assert found == {"mean", "square", "mean_square"}


def test_all_are_kept_where_no_kernel_loses_much() -> None:
    found, asked = grown_for(("normed",), [loss("variance", 11)])
    assert found == {node.name for node in nodes()}
    assert asked == [frozenset()]


def test_nothing_is_kept_where_nothing_is_needed() -> None:
    assert grown_for((), [loss("variance", 60)])[0] == frozenset()


def test_the_largest_losses_come_first_and_small_ones_are_not_shown() -> None:
    """Two binary digits are 12.04 dB."""
    losses = [loss("a", 13), loss("b", 12), loss("c", 50), loss("d", 20)]
    assert [each.kernel for each in largest(losses, 2)] == ["c", "d"]
    assert [each.kernel for each in largest(losses, 9)] == ["c", "d", "a"]
