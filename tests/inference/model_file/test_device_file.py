"""The file for a device's own runtime: of a model that is one graph kernel, or an error that says why there is none."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import pytest

from lite_delegate import Context, DelegateError, DelegateWarning, DeviceFile, Kernel, Model
from lite_delegate.testing.delegates import GroupKernel, NamedDelegate
from tests.runtime.graphs import chain


class Writing(NamedDelegate):
    """Writes the names of a graph kernel's kernels."""

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        if not isinstance(kernel, GroupKernel):
            return None
        return DeviceFile(" ".join(each.name for each in kernel.kernels).encode(), ".bin", "the runtime of a test")


class Failing(NamedDelegate):
    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        raise DelegateError("the compiler has no license")


def built(length: int, *delegates: NamedDelegate) -> Model:
    context = Context()
    context.set_delegates(delegates)
    model = Model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DelegateWarning)
        model.build_from_graph(chain(length), context)
    return model


def refusal(length: int, *delegates: NamedDelegate) -> str:
    with pytest.raises(DelegateError) as caught:
        built(length, *delegates).compiled.device_file()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_model_that_is_one_graph_kernel_is_written() -> None:
    file = built(3, Writing()).compiled.device_file()
    assert (file.content, file.suffix, file.runtime) == (b"n0 n1 n2", ".bin", "the runtime of a test")


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (["n0"], "the CPU runs 'n1' ('n1' is not in the list), 'n2' ('n2' is not in the list), 'n3' ("),
        (["n0", "n1", "n2", "n3"], "the CPU runs 'n4' ('n4' is not in the list)."),
        (["n0", "n1"], " ('n4' is not in the list)."),
        ([], "is not in the list) and 2 more."),
    ],
)
def test_kernels_on_the_cpu_are_named_with_their_reasons(taken: Sequence[str], said: str) -> None:
    text = refusal(5, Writing(taken))
    assert text.startswith("A file for a device holds a whole model, but the CPU runs 'n")
    assert said in text


def test_several_subgraphs_are_counted() -> None:
    second = Writing(["n1"])
    second.name = "second"
    assert refusal(3, Writing(["n0", "n2"]), second) == (
        "A file for a device holds a model that is one subgraph, this model has 3 subgraphs."
    )


def test_a_delegate_without_files_is_named() -> None:
    assert refusal(3, NamedDelegate()) == (
        "Delegate 'named' writes no files for a device: -o FILE.ldm keeps the compiled model."
    )


def test_what_the_toolchain_says_is_said() -> None:
    assert refusal(3, Failing()) == "the compiler has no license"


def test_the_maker_is_asked_out_of_several_delegates() -> None:
    """The first delegate has nothing of the model, and writes no files for what another one made."""
    first, second = NamedDelegate([]), Writing()
    second.name = "second"
    assert built(2, first, second).compiled.device_file().content == b"n0 n1"
