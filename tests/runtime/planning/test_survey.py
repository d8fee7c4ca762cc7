"""A delegate sees all kernels of a plan together before it is asked about each."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite_delegate import Context, DelegateUnavailable, DelegateWarning, FallbackError, Kernel, Model
from lite_delegate.delegate import SupportResult
from lite_delegate.testing.delegates import NamedDelegate
from tests.runtime.graphs import chain


class Surveying(NamedDelegate):
    """Keeps the order of its calls; its survey may fail."""

    def __init__(self, names: Sequence[str] | None = None, error: BaseException | None = None) -> None:
        super().__init__(names)
        self.error = error
        self.calls: list[object] = []

    def survey(self, kernels: Sequence[Kernel]) -> None:
        self.calls.append([kernel.name for kernel in kernels])
        if self.error is not None:
            raise self.error

    def supports(self, kernel: Kernel) -> SupportResult | None:
        self.calls.append(kernel.name)
        return super().supports(kernel)


def built(*delegates: NamedDelegate, strict: bool = False) -> Model:
    context = Context()
    context.set_delegates(delegates)
    context.strict = strict
    model = Model()
    model.build_from_graph(chain(3), context)
    return model


def test_it_is_called_once_and_first_with_all_kernels() -> None:
    delegate = Surveying()
    built(delegate)
    names = ["n0", "n1", "n2"]
    assert delegate.calls == [names, *names]


def test_the_second_delegate_is_shown_what_it_is_asked_for() -> None:
    first, second = Surveying(["n1"]), Surveying()
    second.name = "second"
    built(first, second)
    asked, *each = second.calls
    assert asked == each
    assert {"n0", "n2"} <= set(each)


def test_an_error_rejects_all_kernels_with_its_reason() -> None:
    delegate = Surveying(error=DelegateUnavailable("no license"))
    with pytest.warns(DelegateWarning, match="no license") as told:
        model = built(delegate)
    nodes = model.get_partition().nodes
    assert [node.subgraph for node in nodes] == [None] * 3
    assert len({node.code for node in nodes}) == 1
    assert all("no license" in node.reason for node in nodes)
    assert delegate.calls == [["n0", "n1", "n2"]], "it is not asked about any"
    assert len(told) == 1
    assert "Traceback" not in str(told[0].message)


def test_strict_mode_raises_for_it() -> None:
    with pytest.raises(FallbackError, match="no license"):
        built(Surveying(error=RuntimeError("no license")), strict=True)


def test_what_ends_the_program_ends_it() -> None:
    with pytest.raises(KeyboardInterrupt):
        built(Surveying(error=KeyboardInterrupt()))
