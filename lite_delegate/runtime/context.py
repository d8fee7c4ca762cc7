"""Context: where and how a model runs. Names and defaults of the ``mindspore_lite`` package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..delegate import Delegate

_TARGETS = ("cpu", "gpu", "ascend")
_CPU_PRECISIONS = ("enforce_fp32", "preferred_fp16")


class CpuDevice:
    """How the CPU kernels run: ``context.cpu``."""

    def __init__(self) -> None:
        self._precision_mode = "enforce_fp32"
        self._thread_num = 0
        self._inter_op_parallel_num = 0
        self._thread_affinity_mode = 0
        self._thread_affinity_core_list: list[int] = []

    @property
    def precision_mode(self) -> str:
        """ "enforce_fp32" or "preferred_fp16". NOTE: the CPU kernels compute a tensor in its own type either way."""
        return self._precision_mode

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        _check_type("cpu.precision_mode", precision_mode, str)
        if precision_mode not in _CPU_PRECISIONS:
            raise ValueError(f"cpu.precision_mode must be one of {', '.join(_CPU_PRECISIONS)}, got {precision_mode!r}.")
        self._precision_mode = precision_mode

    @property
    def thread_num(self) -> int:
        """Threads of the matrix products of one prediction; 0: as many as the math library likes."""
        return self._thread_num

    @thread_num.setter
    def thread_num(self, thread_num: int) -> None:
        self._thread_num = _checked_count("cpu.thread_num", thread_num)

    @property
    def inter_op_parallel_num(self) -> int:
        """Kernels that may run at once; 0: automatic. NOTE: kernels of one prediction run one after another."""
        return self._inter_op_parallel_num

    @inter_op_parallel_num.setter
    def inter_op_parallel_num(self, inter_op_parallel_num: int) -> None:
        count = _checked_count("cpu.inter_op_parallel_num", inter_op_parallel_num)
        if self._thread_num and count > self._thread_num:
            raise ValueError(
                f"cpu.inter_op_parallel_num must not exceed cpu.thread_num {self._thread_num}, got {count}."
            )
        self._inter_op_parallel_num = count

    @property
    def thread_affinity_mode(self) -> int:
        """0 none, 1 big cores, 2 middle cores. NOTE: a wish; the operating system places the threads."""
        return self._thread_affinity_mode

    @thread_affinity_mode.setter
    def thread_affinity_mode(self, thread_affinity_mode: int) -> None:
        _check_type("cpu.thread_affinity_mode", thread_affinity_mode, int)
        if thread_affinity_mode not in (0, 1, 2):
            raise ValueError(f"cpu.thread_affinity_mode must be 0, 1 or 2, got {thread_affinity_mode}.")
        self._thread_affinity_mode = thread_affinity_mode

    @property
    def thread_affinity_core_list(self) -> list[int]:
        """Cores to run on. NOTE: a wish; the operating system places the threads."""
        return list(self._thread_affinity_core_list)

    @thread_affinity_core_list.setter
    def thread_affinity_core_list(self, thread_affinity_core_list: Sequence[int]) -> None:
        _check_type("cpu.thread_affinity_core_list", thread_affinity_core_list, list)
        for core in thread_affinity_core_list:
            _checked_count("cpu.thread_affinity_core_list element", core)
        self._thread_affinity_core_list = list(thread_affinity_core_list)

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kCPU,\nprecision_mode: {self.precision_mode},\nthread_num: {self.thread_num},\n"
            f"inter_op_parallel_num: {self.inter_op_parallel_num},\n"
            f"thread_affinity_mode: {self.thread_affinity_mode},\n"
            f"thread_affinity_core_list: {self.thread_affinity_core_list}."
        )


class Context:
    """Where and how a model runs.

    Besides what ``mindspore_lite.Context`` has: ``set_delegate`` and ``strict``.
    """

    def __init__(self) -> None:
        self._target = ["cpu"]
        self._delegate: Delegate | None = None
        self._strict = False
        self.cpu = CpuDevice()

    @property
    def target(self) -> list[str]:
        """Devices in order of preference: "cpu", "gpu", "ascend"; the CPU is always there as the last resort."""
        return list(self._target)

    @target.setter
    def target(self, target: list[str] | None) -> None:
        if not target:
            self._target = ["cpu"]
            return
        _check_type("target", target, list)
        for name in target:
            _check_type("target element", name, str)
            if name.lower() not in _TARGETS:
                raise ValueError(f"target elements must be in {list(_TARGETS)}, got {name!r}.")
        self._target = [name.lower() for name in target]

    def set_delegate(self, delegate: Delegate | None) -> None:
        """The delegate that is asked for every kernel before the CPU is; None for none.

        Raises:
            TypeError: not a Delegate.
        """
        if delegate is not None:
            _check_type("delegate", delegate, Delegate)
        self._delegate = delegate

    @property
    def delegate(self) -> Delegate | None:
        """The delegate that was set."""
        return self._delegate

    @property
    def strict(self) -> bool:
        """True: building a model fails if any kernel would run on the CPU. False, the default: it falls back."""
        return self._strict

    @strict.setter
    def strict(self, strict: bool) -> None:
        _check_type("strict", strict, bool)
        self._strict = strict

    def __str__(self) -> str:
        return f"target: {self._target}."


def _check_type(name: str, value: object, expected: type[Any]) -> None:
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"{name} must be {expected.__name__}, but got {type(value).__name__}.")


def _checked_count(name: str, value: int) -> int:
    _check_type(name, value, int)
    if value < 0:
        raise ValueError(f"{name} must be a non-negative int, got {value}.")
    return value
