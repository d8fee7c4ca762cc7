"""Delegates with a fault planted in one case, named by SPEC in the tests of the worker processes.

They compute with the node's own kernel, so every other case is right.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence

import numpy as np

from lite_delegate import Delegate, DelegateModel, Kernel, RejectCode, Rejected, Supported, SupportResult

FAULTY = "rank_4_channels"
"""The case of Softmax that goes wrong."""


class Passing(Kernel):
    """Runs the one node it stands for."""

    def __init__(self, node: Kernel, model: DelegateModel) -> None:
        boundary = model.boundary_of([node])
        super().__init__("G", "G", boundary.inputs, boundary.outputs)
        self.node = node

    def execute(self) -> None:
        self.node.execute()


class Honest(Delegate):
    """Claims everything, and is right; prints, which must not disturb anyone."""

    name = "planted"

    def supports(self, kernel: Kernel) -> SupportResult | None:
        return Supported()

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        (node,) = run
        print("compiling", node.name)
        if node.name == FAULTY:
            self.misbehave(node)
        return Passing(node, model)

    def misbehave(self, node: Kernel) -> None:
        """What the subclasses are for."""


class Raising(Honest):
    def misbehave(self, node: Kernel) -> None:
        raise OSError("bus error")


class RaisingAlways(Honest):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        raise OSError("bus error")


class Leaving(Honest):
    def misbehave(self, node: Kernel) -> None:
        sys.exit("enough")


class Hanging(Honest):
    def misbehave(self, node: Kernel) -> None:
        time.sleep(1000)


class Exiting(Honest):
    def misbehave(self, node: Kernel) -> None:
        os._exit(7)


class Segfaulting(Honest):
    def misbehave(self, node: Kernel) -> None:
        os.kill(os.getpid(), signal.SIGSEGV)


class WrongKernel(Passing):
    """Off by one per cent."""

    def execute(self) -> None:
        super().execute()
        self.outputs[0].data = np.asarray(self.outputs[0].data * np.float32(1.01))


class Wrong(Honest):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return (WrongKernel if run[0].name == FAULTY else Passing)(run[0], model)


class WritingKernel(Passing):
    """Right, but spoils its input for the next reader."""

    def execute(self) -> None:
        super().execute()
        self.inputs[0].data[...] = 0


class Writing(Honest):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return (WritingKernel if run[0].name == FAULTY else Passing)(run[0], model)


class LeftOut(Honest):
    """Claims, but its build takes nothing."""

    def build(self, model: DelegateModel) -> None:
        return None


class Rejecting(Honest):
    """Rejects everything; by force it could all of it."""

    def supports(self, kernel: Kernel) -> SupportResult | None:
        return Rejected(RejectCode.OPERATOR, f"planted has no {kernel.type}")


class RejectingForGoodReason(Rejecting):
    """Right to reject: what it is made to take comes out wrong."""

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return WrongKernel(run[0], model)


class HangingWhenForced(Rejecting):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        time.sleep(1000)
        raise AssertionError("nobody waits for this")


class ExitingWhenForced(Rejecting):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        os._exit(9)


class Walking(Delegate):
    """Overrides build, so no claim can be forced on it."""

    name = "walking"

    def build(self, model: DelegateModel) -> None:
        return None


class Absent(Honest):
    """Its device is not there."""

    def init(self) -> None:
        from lite_delegate import DelegateUnavailable

        raise DelegateUnavailable("no device")


class DyingOnCreation(Honest):
    def __init__(self) -> None:
        os._exit(5)


class HangingOnCreation(Honest):
    def __init__(self) -> None:
        time.sleep(1000)


class NotADelegate:
    pass


class LargeIsWrongKernel(Passing):
    """Wrong for numbers above 2 only."""

    def execute(self) -> None:
        super().execute()
        y = self.outputs[0].data
        self.outputs[0].data = np.where(self.inputs[0].data.max() > 2, y + np.float32(1), y).astype(y.dtype)


class LargeIsWrong(Honest):
    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        return LargeIsWrongKernel(run[0], model)
