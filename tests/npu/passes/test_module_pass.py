"""The contract of passes over modules: a pass that breaks it is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lite_delegate.errors import DelegateBuildError
from lite_delegate.npu.device.instructions.lookup import Function, Lookup
from lite_delegate.npu.device.programs.program import ElementType
from lite_delegate.npu.ir.module import Module, ModulePort
from lite_delegate.npu.passes import ModulePass, run_module_passes
from lite_delegate.npu.passes.dead_code import DeadCode
from lite_delegate.passes import PassResult
from lite_delegate.passes.framework.base import Pass
from lite_delegate.tensors.tensor import Tensor
from tests.npu.passes.modules import Sketch

NEG, ABS = Lookup(Function.NEG), Lookup(Function.ABS)


class Planted(ModulePass):
    """A pass that does what a test says."""

    name = "planted"

    def __init__(self, rewritten: Callable[[Module], Module]) -> None:
        self.rewritten = rewritten

    def rewrite(self, module: Module) -> Module:
        return self.rewritten(module)


class Lying(Planted):
    """Says the contrary of what it did."""

    def call(self, graph: Module) -> PassResult[Module]:
        result = super().call(graph)
        return PassResult(result.graph, not result.modified)


class Stating(Planted):
    """States that there are two outputs before it, and no steps after."""

    def requires(self, graph: Module) -> None:
        if len(graph.outputs) != 2:
            raise DelegateBuildError("two outputs are needed")

    def ensures(self, graph: Module) -> None:
        if graph.steps:
            raise DelegateBuildError("steps are left")


def module_of() -> Module:
    """x (2, 3) and z (3, 2): outputs -x, |z|, and a constant (3) as it is."""
    s = Sketch()
    x, z = s.input(2, 3), s.input(3, 2)
    return s.module(s.step(NEG, x), s.step(ABS, z), s.constant([1.0, 2.0, 3.0]))


def error_of(module: Module, planted: ModulePass) -> str:
    with pytest.raises(DelegateBuildError) as caught:
        run_module_passes(module, [DeadCode(), planted])
    return str(caught.value)


def with_output(module: Module, position: int, port: ModulePort) -> Module:
    outputs = list(module.outputs)
    outputs[position] = port
    return replace(module, outputs=tuple(outputs))


def in_float32(module: Module, index: int) -> Module:
    buffers = list(module.buffers)
    buffers[index] = replace(buffers[index], element=ElementType.FLOAT32)
    return replace(module, buffers=tuple(buffers))


def test_the_contract_is_that_of_every_pass() -> None:
    module = module_of()
    assert issubclass(ModulePass, Pass)
    assert Planted(lambda m: m).call(module) == PassResult(module, modified=False)
    assert Planted(lambda m: replace(m, steps=())).call(module).modified


def test_an_output_of_another_shape_is_named() -> None:
    said = error_of(
        module_of(), Planted(lambda m: with_output(m, 0, replace(m.outputs[0], buffer=m.outputs[1].buffer)))
    )
    assert said == "Pass 'planted': output 0 was 'y0' float16 (2, 3), is 'y0' float16 (3, 2)."


def test_an_output_whose_axes_move_is_named() -> None:
    said = error_of(module_of(), Planted(lambda m: with_output(m, 1, replace(m.outputs[1], axes=(1, 0)))))
    assert said == "Pass 'planted': output 1 was 'y1' float16 (3, 2), is 'y1' float16 (2, 3)."


def test_axes_that_do_not_fit_are_named() -> None:
    said = error_of(module_of(), Planted(lambda m: with_output(m, 1, replace(m.outputs[1], axes=(0, 1, 2)))))
    assert said.endswith("is 'y1' float16 (3, 2) with axes (0, 1, 2).")


def test_an_output_of_another_element_type_is_named() -> None:
    said = error_of(module_of(), Planted(lambda m: in_float32(m, m.outputs[0].buffer)))
    assert said == "Pass 'planted': output 0 was 'y0' float16 (2, 3), is 'y0' float32 (2, 3)."


def test_outputs_in_another_order_are_named() -> None:
    said = error_of(module_of(), Planted(lambda m: replace(m, outputs=m.outputs[::-1])))
    assert said.startswith("Pass 'planted': output 0 was 'y0'")


def test_a_dropped_output_is_named() -> None:
    said = error_of(module_of(), Planted(lambda m: replace(m, outputs=m.outputs[:1] + m.outputs[2:])))
    assert said == "Pass 'planted': expected 3 outputs, got 2, without 'y1'."


def test_an_input_of_another_element_type_is_named() -> None:
    said = error_of(module_of(), Planted(lambda m: in_float32(m, m.inputs[0].buffer)))
    assert said == "Pass 'planted': input was 'x0' float16 (2, 3), is 'x0' float32 (2, 3)."


def test_an_input_from_nowhere_is_named() -> None:
    def other(module: Module) -> Module:
        first = replace(module.inputs[0], tensor=Tensor.describe("other", module.inputs[0].tensor.dtype, (2, 3)))
        return replace(module, inputs=(first, *module.inputs[1:]))

    assert error_of(module_of(), Planted(other)) == "Pass 'planted': input was none, is 'other' float16 (2, 3)."


def test_a_broken_rule_is_named() -> None:
    said = error_of(module_of(), Planted(lambda m: replace(m, steps=m.steps[1:])))
    assert said.startswith("Pass 'planted' made a module that breaks a rule: Outputs must be filled buffers")


def test_a_pass_that_says_that_nothing_changed_but_changed_something_is_named() -> None:
    said = error_of(module_of(), Lying(lambda m: replace(m, steps=m.steps[::-1])))
    assert said.startswith("Pass 'planted' says that nothing changed, but gives another")


def test_a_pass_that_says_that_something_changed_but_changed_nothing_is_named() -> None:
    assert error_of(module_of(), Lying(lambda m: m)).startswith("Pass 'planted' says that something changed")
    said = error_of(module_of(), Planted(replace))
    assert said == "Pass 'planted' says that something changed, but gives an equal module."


def test_a_pass_that_changes_what_it_was_given_is_named() -> None:
    def emptied(module: Module) -> Module:
        assert isinstance(module.constants, dict)
        module.constants.clear()
        return module

    said = error_of(module_of(), Planted(emptied))
    assert said.startswith("Pass 'planted' changed the constants of the module that it was given")


def test_what_passes_state_is_checked() -> None:
    s = Sketch()
    x = s.input(2, 3)
    one, two = s.module(s.step(NEG, x)), s.module(x, s.step(ABS, x))
    assert error_of(one, Stating(lambda m: m)) == "Pass 'planted' cannot run: two outputs are needed"
    assert error_of(two, Stating(lambda m: m)) == "Pass 'planted' does not keep its word: steps are left"


def test_an_input_that_nobody_reads_may_go() -> None:
    s = Sketch()
    s.input(2)
    module = s.module(s.step(NEG, s.input(3)))
    assert [port.tensor.name for port in run_module_passes(module, [DeadCode()]).inputs] == ["x1"]
