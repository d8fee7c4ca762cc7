"""A build that raises is blamed for what it tried to take, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from lite_delegate import (
    Boundary,
    DelegateBuildError,
    DelegateModel,
    DelegateWarning,
    DeviceLost,
    FallbackError,
    RejectCode,
)
from lite_delegate.ir import Graph
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain
from tests.runtime.planning.building.test_repair import built
from tests.runtime.planning.claims.test_several_delegates import assert_same_as_cpu

Build = Callable[["Scripted", DelegateModel], None]


class Scripted(NamedDelegate):
    """Builds as a function says; ``calls`` has the names of the nodes that were offered each time."""

    def __init__(self, script: Build, *, claims: bool = True) -> None:
        super().__init__(None)
        self.script, self.claims = script, claims
        self.calls: list[list[str]] = []

    def supports(self, kernel):
        return super().supports(kernel) if self.claims else None

    def build(self, model: DelegateModel) -> None:
        self.calls.append([k.name for k in model if model.primitive(k) is not None])
        self.script(self, model)

    def take(self, model: DelegateModel, *names: str) -> None:
        """Replaces the nodes of these names, if they are offered."""
        run = [k for k in model if k.name in names and model.primitive(k) is not None]
        if run:
            model.replace(*model.span(run), self.create_graph_kernel(run, model))


def offered(model: DelegateModel, name: str) -> int | None:
    """The position of a node, None where it is not offered."""
    return next((i for i, k in enumerate(model) if k.name == name and model.primitive(k) is not None), None)


def on_cpu(model) -> dict[str, tuple[RejectCode, str]]:
    return {n.name: (n.code, n.reason) for n in model.get_partition().nodes if n.subgraph is None}


def odd(name: str) -> tuple[RejectCode, str]:
    return RejectCode.COMPILE_FAILED, f"'{name}' is odd"


@pytest.mark.parametrize("claims", [True, False], ids=["claims", "walks"])
def test_what_it_asked_the_boundary_of_is_to_blame(claims: bool) -> None:
    """n0-n1 was replaced before; n4-n5 comes later: neither is blamed, and n4-n5 is built all the same."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0", "n1")
        if (at := offered(model, "n3")) is not None:
            model.boundary(at, at + 1)
            raise DelegateBuildError("'n3' is odd")
        delegate.take(model, "n4", "n5")

    graph = chain(6)
    delegate = Scripted(script, claims=claims)
    model = built(graph, delegate)
    assert [s.kernels for s in model.get_partition().subgraphs] == [("n0", "n1"), ("n4", "n5")]
    assert on_cpu(model)["n3"] == odd("n3")
    assert on_cpu(model)["n2"][0] is RejectCode.POLICY
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("claims", [True, False], ids=["claims", "walks"])
def test_the_replace_that_was_rejected_is_to_blame(claims: bool) -> None:
    """Boundaries of other stretches that it asked for before are not."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        model.boundary(0, 1)
        if (at := offered(model, "n2")) is not None:
            model.replace(at, at + 1, GroupKernel("G", Boundary((), (), ()), [model[at]]))
        delegate.take(model, "n0")
        delegate.take(model, "n1")
        delegate.take(model, "n3")

    graph = chain(4)
    model = built(graph, Scripted(script, claims=claims))
    assert list(on_cpu(model)) == ["n2"]
    code, reason = on_cpu(model)["n2"]
    assert (code, "outputs must include 'n2:0'" in reason) == (RejectCode.COMPILE_FAILED, True)
    assert_same_as_cpu(graph, model)


def test_an_error_that_a_rejection_led_to_counts_as_it() -> None:
    def script(delegate: Scripted, model: DelegateModel) -> None:
        at = offered(model, "n1")
        if at is not None:
            try:
                model.replace(at, at + 1, GroupKernel("G", Boundary((), (), ()), [model[at]]))
            except DelegateBuildError as e:
                raise RuntimeError("cannot go on") from e
        delegate.take(model, "n0")

    model = built(chain(2), Scripted(script))
    assert on_cpu(model) == {"n1": (RejectCode.COMPILE_FAILED, "RuntimeError: cannot go on")}


def test_a_rejection_that_it_got_over_is_not_to_blame_for_what_it_raises_later() -> None:
    def script(delegate: Scripted, model: DelegateModel) -> None:
        with suppress(DelegateBuildError):
            model.replace(0, 1, GroupKernel("G", Boundary((), (), ()), [model[0]]))
        if (at := offered(model, "n2")) is not None:
            model.boundary(at, at + 1)
            raise DelegateBuildError("'n2' is odd")

    found = on_cpu(built(chain(3), Scripted(script)))
    assert found["n2"] == odd("n2")
    assert found["n0"][0] is RejectCode.POLICY


@pytest.mark.parametrize("claims", [True, False], ids=["claims", "walks"])
def test_the_stretch_that_it_cut_out_last_is_to_blame(claims: bool) -> None:
    """Compiling comes before the boundary is asked for, as in a walk that gives ``model[start:stop]`` to a compiler."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        for name in ("n0", "n1", "n2"):
            if (at := offered(model, name)) is not None:
                (kernel,) = run = model[at : at + 1]
                if kernel.name == "n1":
                    raise DelegateBuildError("'n1' is odd")
                delegate.take(model, *(k.name for k in run))

    graph = chain(3)
    delegate = Scripted(script, claims=claims)
    model = built(graph, delegate)
    assert on_cpu(model) == {"n1": odd("n1")}
    assert delegate.calls[:2] == [["n0", "n1", "n2"], ["n2"]]
    assert_same_as_cpu(graph, model)


@pytest.mark.parametrize("claims", [True, False], ids=["claims", "walks"])
def test_where_nothing_tells_all_of_it_is_taken_back_and_nothing_is_tried(claims: bool) -> None:
    """What the build took has the reason; what it had not come to has it where it claims that."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0", "n1")
        assert len(model[:]) == len(model)
        raise RuntimeError("lost my mind")

    graph = chain(4)
    delegate = Scripted(script, claims=claims)
    model = built(graph, delegate)
    left_out = RejectCode.COMPILE_FAILED, "left out by its build, which failed: RuntimeError: lost my mind"
    back = RejectCode.COMPILE_FAILED, "taken back, since its build failed: RuntimeError: lost my mind"
    unknown = RejectCode.POLICY, "delegate 'named' did not take it and states no reason"
    rest = left_out if claims else unknown
    assert on_cpu(model) == {"n0": back, "n1": back, "n2": rest, "n3": rest}
    assert model.get_partition().notes == (
        f"Delegate 'named': its build failed (RuntimeError: lost my mind), {4 if claims else 2} kernels stay off it",
    )
    assert len(delegate.calls) == 1
    assert_same_as_cpu(graph, model)


def test_an_error_after_everything_was_taken_takes_it_back() -> None:
    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0", "n1")
        raise RuntimeError("cannot say goodbye")

    delegate = Scripted(script)
    graph = chain(2)
    with pytest.warns(DelegateWarning, match="taken back, since its build failed: RuntimeError: cannot say goodbye"):
        model = _build(graph, delegate)
    assert set(on_cpu(model)) == {"n0", "n1"}
    assert not model.get_graph_kernels()
    assert "cannot say goodbye" in model.get_partition().notes[0]
    assert_same_as_cpu(graph, model)


def test_a_build_that_fails_at_its_end_is_called_until_it_returns_or_says_nothing() -> None:
    """The failure in the middle is explained; the one at the end is not, and what was loaded there runs nowhere."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0", "n1")
        if offered(model, "n2") is not None:
            model.boundary_of([k for k in model if k.name == "n2"])
            raise DelegateBuildError("'n2' is odd")
        raise RuntimeError("load model failed")

    graph = chain(3)
    model = built(graph, Scripted(script))
    assert on_cpu(model)["n2"] == odd("n2")
    assert [on_cpu(model)[name][1] for name in ("n0", "n1")] == [
        "taken back, since its build failed: RuntimeError: load model failed"
    ] * 2
    assert_same_as_cpu(graph, model)


def test_a_build_that_fails_at_its_end_is_an_error_where_nothing_may_fall_back() -> None:
    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0", "n1")
        raise RuntimeError("load model failed")

    with pytest.raises(FallbackError, match=r"'n0' \(AddFusion\): COMPILE_FAILED: taken back, .*load model failed"):
        built(chain(2), Scripted(script), strict=True)


def _build(graph: Graph, delegate: Scripted):
    from lite_delegate import Context, Model

    context, model = Context(), Model()
    context.set_delegate(delegate)
    model.build_from_graph(graph, context)
    return model


@pytest.mark.parametrize("tries", [0, 1, 2, 5, None])
def test_it_ends_whatever_the_tries(tries: int | None) -> None:
    """Every node fails, one a call: each is blamed when its turn comes, until the tries are used up."""

    def script(delegate: Scripted, model: DelegateModel) -> None:
        for i, kernel in enumerate(model):
            if model.primitive(kernel) is not None:
                model.boundary(i, i + 1)
                raise DelegateBuildError(f"'{kernel.name}' is odd")

    delegate = Scripted(script)
    found = on_cpu(built(chain(5), delegate, repair_tries=tries))
    assert list(found) == [f"n{i}" for i in range(5)]
    blamed = [name for name, why in found.items() if why == odd(name)]
    assert blamed == [f"n{i}" for i in range(5 if tries is None else min(tries + 1, 5))]
    assert all("left out by its build" in why for name, (_, why) in found.items() if name not in blamed)
    assert len(delegate.calls) <= 1 + (100 if tries is None else tries)


def test_a_lost_device_is_not_asked_for_the_rest() -> None:
    def script(delegate: Scripted, model: DelegateModel) -> None:
        delegate.take(model, "n0")
        model.boundary(1, 2)
        raise DeviceLost("gone")

    delegate = Scripted(script)
    found = on_cpu(built(chain(3), delegate))
    assert len(delegate.calls) == 1
    assert found == {
        "n0": (RejectCode.COMPILE_FAILED, "taken back, since its build failed: gone"),
        "n1": (RejectCode.COMPILE_FAILED, "gone"),
        "n2": (RejectCode.COMPILE_FAILED, "left out by its build, which failed: gone"),
    }
