"""A delegate that has every hook, and fails in a chosen one in a chosen way."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from threading import Lock
from typing import Any

import numpy as np

from lite_delegate import Delegate, DelegateModel, DeviceEstimate, DeviceFile, DeviceLost, Kernel, SupportResult, Tensor
from lite_delegate.delegate import DelegateLimits, LayerEstimate, LayerTime, RequestMemory, Telemetry, tell_layers
from lite_delegate.properties import Integer, PropertySpec
from tests.isolated.delegates import AddingDelegate, AddingKernel

MEGABYTE = 1 << 20
PRINTED = "printed by native code"


class Unpicklable(Exception):
    """An error that nothing can send anywhere, nor print."""

    def __init__(self) -> None:
        super().__init__(Lock())
        self.lock = Lock()

    def __str__(self) -> str:
        raise RuntimeError("no text")


def fail(how: str) -> object:
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
            os.write(1, f"{PRINTED}\n".encode())
            os.write(2, f"{PRINTED}\n".encode())
            print("printed by Python")
        case "raise":
            raise Unpicklable
        case "answer":
            return Unpicklable()
        case "shout":
            os.write(2, b"ERROR: no\tchip\x07\nassertion failed\n")
            os.abort()
        case "lost":
            raise DeviceLost("the device is gone")
    return None


Hook = Callable[..., Any]


def reaching(name: str, function: Hook) -> Hook:
    """A method that fails where it is the chosen one."""

    @wraps(function)
    def method(self: Any, *arguments: Any) -> Any:
        wrong = self.reach(name)
        return function(self, *arguments) if wrong is None else wrong

    return method


def reach_all(cls: type[Any], names: Sequence[str], before: str = "") -> None:
    """Lets methods and properties of a class fail where they are the chosen ones."""
    for name in names:
        found = getattr(cls, name)
        if isinstance(found, property):
            assert found.fget is not None
            setattr(cls, name, property(reaching(before + name, found.fget)))
        else:
            setattr(cls, name, reaching(before + name, found))


class FaultyKernel(AddingKernel):
    """Fails in the methods of graph kernels."""

    owner: FaultyDelegate
    is_prepared = False

    def reach(self, where: str) -> object:
        return self.owner.reach(where)

    def prepare(self) -> None:
        self.is_prepared = True

    def rehearse(self) -> None:
        self.is_prepared = True

    def bind(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> Callable[[], object]:
        run = super().bind(inputs, outputs)
        assert self.is_prepared, "it was not prepared"

        def reached() -> None:
            self.reach("kernel.run")
            run()
            tell_layers(self.name, [LayerTime("layer", "Add", "numpy", 1.0, None, True)])

        return reached

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        made = type(self)(inputs, outputs, self.count)
        made.owner, made.is_prepared = self.owner, self.is_prepared
        return made

    def resize(self) -> None:
        return None

    def release(self) -> None:
        return None

    def places(self) -> Mapping[str, str]:
        return {"": "DEVICE"}

    def estimate(self) -> DeviceEstimate | None:
        return DeviceEstimate(1.0, layers=(LayerEstimate("layer", "Add", (), 1.0),))

    def take_request_memory(self) -> RequestMemory | None:
        return RequestMemory(4, lambda: self.reach("kernel.give_back"))

    @property
    def counts_performance(self) -> bool:
        return True


reach_all(
    FaultyKernel,
    (
        *("prepare", "rehearse", "bind", "fork", "resize", "release", "places", "estimate"),
        *("take_request_memory", "counts_performance", "resident_nbytes", "storage_dtype", "optimal_requests"),
    ),
    before="kernel.",
)


class ExecutedKernel(FaultyKernel):
    """Is executed, and not bound."""

    def execute(self) -> None:
        self.reach("kernel.execute")
        self.outputs[0].data = self.inputs[0].data + np.float32(self.count)


class FaultyDelegate(AddingDelegate):
    """Fails in one hook, in one way; with ``once``, a file, only where it is not there yet.

    Args:
        how: see ``fail``.
        where: the name of the method; with "kernel." before it, of a method of graph kernels.
        once: the file; "" for every time.
        told: a file that is there once the method was called; "" for none.
    """

    name = "faulty"

    def __init__(self, how: str = "", where: str = "", once: str = "", told: str = "") -> None:
        self._how, self._where, self._once, self._told = how, where, once, told
        self.reach("constructor")

    def is_reached(self, where: str) -> bool:
        return where == self._where and not (self._once and os.path.exists(self._once))

    def reach(self, where: str) -> object:
        if not self.is_reached(where):
            return None
        for file in filter(None, (self._once, self._told)):
            with open(file, "w", encoding="utf-8"):
                pass
        return fail(self._how)

    def hang(self) -> None:
        fail("hang")

    def init(self) -> None:
        return None

    def close(self) -> None:
        return None

    def probe(self) -> str | None:
        return ""

    def survey(self, kernels: Sequence[Kernel]) -> None:
        return None

    def supports(self, kernel: Kernel) -> SupportResult:
        return super().supports(kernel)

    def limits(self) -> DelegateLimits:
        return DelegateLimits()

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[object]) -> Sequence[str]:
        return ()

    def version(self) -> str:
        return "1"

    def telemetry(self) -> Telemetry | None:
        return Telemetry({"programs": 4}, 4, 8, 0, 0, 1.0, 0.0, 0.0)

    def reset_peak_memory(self) -> None:
        return None

    def device_ids(self) -> Sequence[str]:
        return ("0",)

    def follows_threads(self) -> bool:
        return False

    def optimal_requests(self) -> int:
        return 2

    def requests_that_fit(self, kernels: Sequence[Kernel]) -> int | None:
        return 3

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        return 1.0

    def properties(self) -> Sequence[PropertySpec]:
        return (PropertySpec("SPEED", "How fast.", Integer(0, 9), 5, scope="dc", when="R"),)

    def get_property(self, name: str) -> object:
        return 5

    def set_property(self, properties: Mapping[str, object]) -> None:
        return None

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        return None

    def cache_key(self) -> Mapping[str, str] | None:
        return {"device": "faulty"}

    def check_import(self, key: Mapping[str, str]) -> None:
        return None

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        assert isinstance(kernel, FaultyKernel)
        return bytes([kernel.count])

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        return self._made(inputs, outputs, data[0])

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        return DeviceFile(b"program", ".bin", "a board")

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        for kernel in run:
            self.reach(kernel.name)
        boundary = model.boundary_of(run)
        return self._made([t for t in boundary.inputs if not t.is_const], boundary.outputs, len(run))

    def _made(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], count: int) -> Kernel:
        made = (ExecutedKernel if self._where == "kernel.execute" else FaultyKernel)(inputs, outputs, count)
        made.owner = self
        return made


_OWN = ("is_reached", "reach", "hang", "name")
reach_all(FaultyDelegate, [name for name in vars(FaultyDelegate) if not name.startswith("_") and name not in _OWN])


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
                if self.reach("build") is not None:
                    return
                start = model.replace(start, stop, self.create_graph_kernel(run, model))
            start += 1
