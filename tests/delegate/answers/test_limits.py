"""Limits that delegates state."""

from __future__ import annotations

import pytest

from lite_delegate import Context, Model
from lite_delegate.delegate import Delegate, DelegateLimits
from lite_delegate.npu import NPUDelegate
from lite_delegate.testing.delegates import NamedDelegate
from tests.passes.random_graphs import Builder


def test_nothing_is_known_unless_it_is_said():
    assert Delegate().limits() == DelegateLimits()
    assert not DelegateLimits().are_known
    assert DelegateLimits().allows((3, 1, 2, 0, 4))


def test_limits_are_kept_at_their_edge():
    limits = DelegateLimits(max_rank=4, permutations=[(0, 2, 1)])
    assert (limits.allows_rank(4), limits.allows_rank(5)) == (True, False)
    assert (limits.allows((0, 2, 1)), limits.allows((0, 1))) == (True, False)
    assert limits == DelegateLimits(4, {(0, 2, 1)})


@pytest.mark.parametrize("wrong", [{"max_rank": 0}, {"permutations": [(0, 2)]}, {"permutations": [(0, 0)]}])
def test_limits_that_are_none(wrong):
    with pytest.raises(ValueError, match="must"):
        DelegateLimits(**wrong)


def test_the_npu_states_its_profiles():
    assert NPUDelegate("generic").limits() == DelegateLimits(max_rank=4)
    assert NPUDelegate("kirin").limits() == DelegateLimits(4, [(0, 3, 1, 2), (0, 2, 3, 1)])


class Failing(NamedDelegate):
    def __init__(self, answer):
        super().__init__()
        self._answer = answer

    def limits(self):
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(("answer", "said"), [(RuntimeError("no idea"), "no idea"), (4, "returned int")])
def test_a_delegate_that_cannot_say_is_warned_of(answer, said):
    b = Builder()
    graph = b.graph(b.node("Abs", b.input("x", (2, 3))))
    context = Context()
    context.set_delegate(Failing(answer))
    model = Model()
    with pytest.warns(match=said):
        model.build_from_graph(graph, context)
    assert len(model.get_partition().subgraphs) == 1


@pytest.mark.parametrize("wrong", ["no", 0, None])
def test_the_switch_is_a_bool(wrong):
    with pytest.raises(TypeError, match="rewrite"):
        Context().rewrite = wrong
