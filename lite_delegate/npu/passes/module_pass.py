"""The contract of a pass over a module: module in, module out, and the same numbers from the device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ...errors import DelegateBuildError
from ..ir.module import Module


class ModulePass(ABC):
    """A rewrite of a run's instructions. A module that it is given is never changed: it makes a new one.

    Attributes:
        name: for messages and reports.
        runs_after: passes that must have run before this one, where they run at all.
    """

    name: ClassVar[str]
    runs_after: ClassVar[tuple[type[ModulePass], ...]] = ()

    @abstractmethod
    def call(self, module: Module) -> Module:
        """The module rewritten; the very same object exactly when nothing changes, as a second call must find."""


def run_module_passes(module: Module, passes: Sequence[ModulePass]) -> Module:
    """Applies passes one after another, and checks the module after each that changed it.

    Raises:
        DelegateBuildError: a pass comes before one that it must follow, or made a module that breaks a rule.
    """
    check_order(passes)
    for each in passes:
        result = each.call(module)
        if result is not module:
            try:
                result.program()
            except DelegateBuildError as e:
                raise DelegateBuildError(f"Pass '{each.name}' made a module that breaks a rule: {e}") from e
        module = result
    return module


def check_order(passes: Sequence[ModulePass]) -> None:
    """Checks that no pass comes before one that it must follow.

    Raises:
        DelegateBuildError: names the two passes.
    """
    for position, each in enumerate(passes):
        for later in passes[position + 1 :]:
            if isinstance(later, each.runs_after):
                raise DelegateBuildError(f"Pass '{each.name}' must run after pass '{later.name}'; swap them.")
