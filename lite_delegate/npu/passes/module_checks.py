"""Checks after each pass over a module: the rules of modules, the unchanged given module, and the crossing tensors."""

from __future__ import annotations

from ...basics.counted import counted
from ...errors import DelegateBuildError
from ...ir.axes import identity, inverse, permute_shape
from ...passes.framework.base import PassResult
from ..ir.module import Module, ModulePort


class ModuleChecks:
    """Compares the module after each pass with the module before it.

    1. The constants of the given module, the one part that can be changed in place, are as they were.
    2. A module that is reported as modified differs, and keeps the rules of ``Module.program``.
    3. Outputs keep their number, order and tensors, with element type and shape in model order.
    4. No new input appears; inputs keep element types and shapes in model order. An input that nobody reads may go.

    Computed results are not compared: a pass that exchanges two steps of one shape goes unnoticed here.
    """

    def __init__(self, module: Module) -> None:
        self._constants = dict(module.constants)

    def after(self, name: str, before: Module, result: PassResult[Module]) -> Module:
        """Checks the result of a pass, and returns it.

        Raises:
            DelegateBuildError: a check failed; the message names the pass, and the old and the new state.
        """
        if dict(before.constants) != self._constants:
            raise DelegateBuildError(
                f"Pass '{name}' changed the constants of the module that it was given; it must make a new one."
            )
        if not result.modified:
            return before
        made = result.graph
        if made == before:
            raise DelegateBuildError(f"Pass '{name}' says that something changed, but gives an equal module.")
        try:
            made.program()
        except DelegateBuildError as e:
            raise DelegateBuildError(f"Pass '{name}' made a module that breaks a rule: {e}") from e
        _compare_outputs(name, before, made)
        _compare_inputs(name, before, made)
        self._constants = dict(made.constants)
        return made


def _compare_outputs(name: str, before: Module, made: Module) -> None:
    if len(before.outputs) != len(made.outputs):
        left = {id(port.tensor) for port in made.outputs}
        gone = [f"'{port.tensor.name}'" for port in before.outputs if id(port.tensor) not in left]
        lost = f", without {', '.join(gone)}" if gone else ""
        counts = f"expected {counted(len(before.outputs), 'output')}, got {len(made.outputs)}"
        raise DelegateBuildError(f"Pass '{name}': {counts}{lost}.")
    for position, (old, new) in enumerate(zip(before.outputs, made.outputs, strict=True)):
        was, now = _crossing(before, old), _crossing(made, new)
        if old.tensor is not new.tensor or was != now:
            raise DelegateBuildError(f"Pass '{name}': output {position} was {was}, is {now}.")


def _compare_inputs(name: str, before: Module, made: Module) -> None:
    for port in made.inputs:
        given = [_crossing(before, old) for old in before.inputs if old.tensor is port.tensor]
        now = _crossing(made, port)
        if now not in given:
            was = f"was {' and '.join(given)}" if given else "was none"
            raise DelegateBuildError(f"Pass '{name}': input {was}, is {now}.")


def _crossing(module: Module, port: ModulePort) -> str:
    """The crossing of a tensor, in model order. Axes may change, because the copy that crosses permutes them."""
    buffer = module.buffers[port.buffer]
    if tuple(sorted(port.axes)) != identity(len(buffer.shape)):
        return f"'{port.tensor.name}' {buffer.element} {buffer.shape} with axes {port.axes}"
    return f"'{port.tensor.name}' {buffer.element} {permute_shape(buffer.shape, inverse(port.axes))}"
