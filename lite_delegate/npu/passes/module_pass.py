"""ModulePass: from a module to a module that gives the same numbers on the device, and the running of passes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ...errors import DelegateBuildError
from ...passes.framework.base import Pass, PassResult, PassRunner
from ...passes.framework.base import check_order as check_order_of
from ..ir.module import Module
from .module_checks import ModuleChecks


class ModulePass(Pass[Module]):
    """A rewrite of a run's instructions. A module that it is given is never changed: it makes a new one.

    Outputs keep count and order; they and the inputs that are left keep tensor, element type and shape in model order.
    """

    def call(self, graph: Module) -> PassResult[Module]:
        """The module rewritten; modified when it is another than the given one."""
        module = self.rewrite(graph)
        return PassResult(module, modified=module is not graph)

    @abstractmethod
    def rewrite(self, module: Module) -> Module:
        """The module rewritten; the very same object exactly when nothing changes, as a second time must find."""


def run_module_passes(module: Module, passes: Sequence[ModulePass]) -> Module:
    """Applies passes one after another, and checks each result (``ModuleChecks``).

    Raises:
        DelegateBuildError: a pass comes before a pass that it must follow, reports its changes wrongly, or made a
            module that breaks a rule or crosses in another way; the message names the pass.
    """
    return PassRunner(DelegateBuildError, ModuleChecks(module).after).run(module, passes).graph


def check_order(passes: Sequence[ModulePass]) -> None:
    """Checks that no pass comes before one that it must follow.

    Raises:
        DelegateBuildError: names the two passes.
    """
    check_order_of(passes, DelegateBuildError)
