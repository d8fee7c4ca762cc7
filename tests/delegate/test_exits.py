"""A delegate that raises SystemExit fails as with any other exception; a KeyboardInterrupt goes through."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from lite_delegate import Context, Delegate, DelegateModel, Kernel, LiteDelegateError, Model, Supported
from tests.runtime.graphs import chain

X = np.ones((2, 3), np.float32)
EXPECTED = X + 1 + 2
EARLY = ("init", "limits", "unmatched", "supports", "build", "create_graph_kernel", "prepare")
LATE = ("fork", "execute", "release", "close")


class Ends(Delegate):
    name = "ends"

    def __init__(self, where: str, error: type[BaseException]) -> None:
        super().__init__()
        self.where, self.error = where, error

    def at(self, where: str) -> None:
        if where == self.where:
            raise self.error(3)

    def init(self) -> None:
        self.at("init")

    def limits(self):
        self.at("limits")
        return super().limits()

    def unmatched(self, kernels, removed):
        self.at("unmatched")
        return super().unmatched(kernels, removed)

    def supports(self, kernel: Kernel) -> Supported:
        self.at("supports")
        return Supported()

    def build(self, model: DelegateModel) -> None:
        self.at("build")
        super().build(model)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.at("create_graph_kernel")
        return Adds(run, model, self)

    def close(self) -> None:
        self.at("close")


class Adds(Kernel):
    """The constants of a chain of additions, added."""

    def __init__(self, run: Sequence[Kernel], model: DelegateModel, owner: Ends) -> None:
        boundary = model.boundary_of(run)
        super().__init__("adds", "Adds", boundary.inputs, boundary.outputs)
        self.owner, self.sum = owner, sum(float(t.data.ravel()[0]) for k in run for t in k.inputs if t.is_const)

    def prepare(self) -> None:
        self.owner.at("prepare")

    def execute(self) -> None:
        self.owner.at("execute")
        self.outputs[0].data = self.inputs[0].data + np.float32(self.sum)

    def fork(self, inputs, outputs):
        self.owner.at("fork")
        return

    def resize(self) -> None:
        self.owner.at("resize")

    def release(self) -> None:
        self.owner.at("release")


def run(where: str, error: type[BaseException], on_error: str) -> np.ndarray:
    context = Context()
    context.set_delegate(Ends(where, error))
    context.on_delegate_error = on_error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Model() as model:
            model.build_from_graph(chain(2), context)
            return model.predict([X])[0].get_data_to_numpy().copy()


@pytest.mark.parametrize("where", [*EARLY, *LATE])
def test_the_cpu_takes_over(where: str) -> None:
    if where == "init":
        with pytest.raises(LiteDelegateError, match="init failed: SystemExit: 3"):
            run(where, SystemExit, "fallback")
        return
    np.testing.assert_array_equal(run(where, SystemExit, "fallback"), EXPECTED)


def test_a_failing_execution_is_an_error_where_nobody_asked_for_the_cpu() -> None:
    with pytest.raises(LiteDelegateError, match=r"Graph kernel 'adds' \(Adds\) failed: SystemExit: 3"):
        run("execute", SystemExit, "raise")


@pytest.mark.parametrize("where", [*EARLY, "execute", "release"])
def test_an_interrupt_goes_through(where: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(where, KeyboardInterrupt, "fallback")
