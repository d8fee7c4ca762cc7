"""A delegate that ends its process, or hangs, at a chosen place once it has a chosen node."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Sequence

from lite_delegate import Delegate, DelegateModel, Kernel, Supported, SupportResult


class FaultyKernel(Kernel):
    """Runs its nodes' CPU kernels, but for the fault."""

    def __init__(self, owner: FaultyDelegate, run: Sequence[Kernel], model: DelegateModel) -> None:
        boundary = model.boundary_of(run)
        super().__init__("faulty", "Faulty", boundary.inputs, boundary.outputs)
        self._owner, self._run = owner, tuple(run)

    def prepare(self) -> None:
        self._owner.reach("prepare", self._run)

    def execute(self) -> None:
        self._owner.reach("execute", self._run)
        for kernel in self._run:
            kernel.execute()


class FaultyDelegate(Delegate):
    """Claims everything.

    Args:
        how: "segfault", "abort", "exit", "hang" or "SystemExit".
        where: "create", "prepare" or "execute".
        node: with which it happens.
        log: a file that gets a line with the process for each graph kernel that is made; "" for none.
    """

    name = "faulty"

    def __init__(self, how: str = "segfault", where: str = "create", node: str = "n1", log: str = "") -> None:
        self._how, self._where, self._node, self._log = how, where, node, log

    def reach(self, where: str, run: Sequence[Kernel]) -> None:
        """Fails if this is the place and the node is in the run."""
        if where != self._where or all(kernel.name != self._node for kernel in run):
            return
        match self._how:
            case "segfault":
                ctypes.string_at(0)
            case "abort":
                os.abort()
            case "exit":
                os._exit(3)
            case "hang":
                time.sleep(600)
            case "SystemExit":
                raise SystemExit(4)

    def supports(self, kernel: Kernel) -> SupportResult:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        if self._log:
            with open(self._log, "a", encoding="utf-8") as file:
                file.write(f"{os.getpid()} {' '.join(kernel.name for kernel in run)}\n")
        self.reach("create", run)
        return FaultyKernel(self, run, model)


class SeedDelegate(FaultyDelegate):
    """States no claims and replaces all that it is offered, as one loop over the model."""

    supports = Delegate.supports  # type: ignore[assignment]

    def build(self, model: DelegateModel) -> None:
        start = 0
        while start < len(model):
            stop = start
            while stop < len(model) and model.primitive(model[stop]) is not None:
                stop += 1
            if stop > start:
                start = model.replace(start, stop, self.create_graph_kernel(list(model[start:stop]), model))
            start += 1
