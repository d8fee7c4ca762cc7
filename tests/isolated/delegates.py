"""Delegates that are run in a process of their own: one that computes, and one that fails in a chosen way and place."""

from __future__ import annotations

import ctypes
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock

import numpy as np

from lite_delegate import (
    BoundKernel,
    Delegate,
    DelegateModel,
    DeviceEstimate,
    DeviceFile,
    DeviceLost,
    Kernel,
    RejectCode,
    Rejected,
    Supported,
    SupportResult,
    Tensor,
    cancel_point,
)
from lite_delegate.delegate import DelegateLimits, LayerTime, tell_layers
from lite_delegate.properties import Integer, PropertySpec

MEGABYTE = 1 << 20


class AddingKernel(BoundKernel):
    """y = x + 1 for each of its kernels: the number is its program."""

    def __init__(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], count: int) -> None:
        super().__init__("adding", "Adding", inputs, outputs)
        self.count = count

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        return partial(np.add, inputs[0], np.float32(self.count), outputs[0])

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return AddingKernel(inputs, outputs, self.count)


class AddingDelegate(Delegate):
    """Takes chains of additions of one."""

    name = "adding"

    def supports(self, kernel: Kernel) -> SupportResult:
        if kernel.type == "AddFusion":
            return Supported()
        return Rejected(RejectCode.OPERATOR, f"{kernel.type} is not AddFusion")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return AddingKernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))


class Unpicklable(Exception):
    """An error that nothing can send anywhere, nor print."""

    def __init__(self) -> None:
        super().__init__(Lock())
        self.lock = Lock()

    def __str__(self) -> str:
        raise RuntimeError("no text")


def fail(how: str) -> None:
    """Does what native code may do."""
    match how:
        case "segfault":
            ctypes.string_at(0)
        case "abort":
            os.abort()
        case "exit":
            os._exit(3)
        case "sys.exit":
            sys.exit(4)
        case "hang":
            ctypes.PyDLL(None).sleep(600)  # holds the interpreter's lock
        case "leak":
            kept = [b"x" * MEGABYTE * 16 for _ in range(64)]
            raise AssertionError(f"{len(kept)} pieces")
        case "print":
            os.write(1, b"printed by native code\n")
            print("printed by Python")
        case "raise":
            raise Unpicklable
        case "shout":
            os.write(2, b"ERROR: no\tchip\x07\nassertion failed\n")
            os.abort()
        case "lost":
            raise DeviceLost("the device is gone")


class FaultyKernel(AddingKernel):
    """Fails in the methods of graph kernels."""

    owner: FaultyDelegate
    is_prepared = False

    def prepare(self) -> None:
        self.owner.reach("prepare")
        self.is_prepared = True

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        self.owner.reach("bind")
        run = super().bind(inputs, outputs)
        assert self.is_prepared, "it was not prepared"

        def reached() -> None:
            self.owner.reach("execute")
            run()
            tell_layers(self.name, [LayerTime("layer", "Add", "numpy", 1.0, None, True)])

        return reached

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        self.owner.reach("fork")
        made = FaultyKernel(inputs, outputs, self.count)
        made.owner, made.is_prepared = self.owner, self.is_prepared
        return made

    def release(self) -> None:
        self.owner.reach("release")

    def places(self) -> Mapping[str, str]:
        self.owner.reach("places")
        return {"": "DEVICE"}

    def estimate(self) -> DeviceEstimate | None:
        self.owner.reach("estimate")
        return None


class FaultyDelegate(AddingDelegate):
    """Fails in one hook, in one way; with ``once``, a file, only where it is not there yet.

    Args:
        how: see ``fail``.
        where: the name of the method.
        once: the file; "" for every time.
    """

    name = "faulty"

    def __init__(self, how: str = "", where: str = "", once: str = "") -> None:
        self._how, self._where, self._once = how, where, once
        self.reach("constructor")

    def reach(self, where: str) -> None:
        if where != self._where or (self._once and os.path.exists(self._once)):
            return
        if self._once:
            with open(self._once, "w", encoding="utf-8"):
                pass
        fail(self._how)

    def hang(self) -> None:
        fail("hang")

    def init(self) -> None:
        self.reach("init")

    def close(self) -> None:
        self.reach("close")

    def probe(self) -> str | None:
        self.reach("probe")
        return ""

    def supports(self, kernel: Kernel) -> SupportResult:
        self.reach("supports")
        return super().supports(kernel)

    def limits(self) -> DelegateLimits:
        self.reach("limits")
        return DelegateLimits()

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[object]) -> Sequence[str]:
        self.reach("unmatched")
        return ()

    def version(self) -> str:
        self.reach("version")
        return "1"

    def properties(self) -> Sequence[PropertySpec]:
        self.reach("properties")
        return (PropertySpec("SPEED", "How fast.", Integer(0, 9), 5, when="C"),)

    def get_property(self, name: str) -> object:
        self.reach("get_property")
        return Unpicklable() if name == "OWN" else 5

    def cache_key(self) -> Mapping[str, str] | None:
        self.reach("cache_key")
        return {"device": "faulty"}

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        self.reach("export_kernel")
        assert isinstance(kernel, FaultyKernel)
        return bytes([kernel.count])

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        self.reach("import_kernel")
        made = FaultyKernel(inputs, outputs, data[0])
        made.owner = self
        return made

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        self.reach("create_graph_kernel")
        for kernel in run:
            self.reach(kernel.name)
        boundary = model.boundary_of(run)
        made = FaultyKernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))
        made.owner = self
        return made


class FaultyWalkingDelegate(FaultyDelegate):
    """In MindSpore Lite's way: no claims, and one loop over the model."""

    supports = Delegate.supports  # type: ignore[assignment]

    def build(self, model: DelegateModel) -> None:
        start = 0
        while start < len(model):
            stop = start
            while stop < len(model) and model.primitive(model[stop]) is not None and model[stop].type == "AddFusion":
                stop += 1
            if stop > start:
                run = list(model[start:stop])
                self.reach("build")
                start = model.replace(start, stop, self.create_graph_kernel(run, model))
            start += 1


class SlowKernel(AddingKernel):
    """Waits until it is cancelled."""

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        def run() -> None:
            while True:
                cancel_point()
                time.sleep(0.001)

        return run

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return SlowKernel(inputs, outputs, self.count)


class SlowDelegate(AddingDelegate):
    """Makes slow kernels, and warns."""

    def init(self) -> None:
        warnings.warn("the chip is hot", stacklevel=1)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        boundary = model.boundary_of(run)
        return SlowKernel([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))


class SurveyingDelegate(AddingDelegate):
    """Claims the kernels that it surveyed, and writes files for its device."""

    def __init__(self) -> None:
        self._surveyed: list[str] = []

    def survey(self, kernels: Sequence[Kernel]) -> None:
        self._surveyed = [kernel.name for kernel in kernels]

    def supports(self, kernel: Kernel) -> SupportResult:
        seen = f"surveyed {', '.join(self._surveyed)}"
        return super().supports(kernel) if kernel.name in self._surveyed[1:] else Rejected(RejectCode.POLICY, seen)

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        return DeviceFile(kernel.name.encode(), ".bin", "a board")
