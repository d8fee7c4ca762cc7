"""How each kind of device runs: ``context.cpu``, ``context.gpu``, ``context.ascend``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_BACKENDS = ("none", "auto", "onnxruntime", "openvino")
_CPU_PRECISIONS = ("enforce_fp32", "preferred_fp16")
ASCEND_PRECISIONS = ("enforce_fp32", "preferred_fp32", "enforce_fp16", "enforce_origin", "preferred_optimal")


class CpuDevice:
    """How the CPU kernels run: ``context.cpu``."""

    def __init__(self) -> None:
        self._precision_mode = "enforce_fp32"
        self._thread_num = 0
        self._reference_kernels = False
        self._backends = "none"
        self._inter_op_parallel_num = 0
        self._thread_affinity_mode = 0
        self._thread_affinity_core_list: list[int] = []

    @property
    def precision_mode(self) -> str:
        """ "enforce_fp32" or "preferred_fp16": real numbers may be computed in float16 where there are kernels for it.

        Delegates that compute on the CPU are told (``DelegateModel.precisions``); it is read when a model is built or
        resized. NOTE: numpy's kernels compute a tensor in its own type either way.
        """
        return self._precision_mode

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        self._precision_mode = checked_choice("cpu.precision_mode", precision_mode, _CPU_PRECISIONS)

    @property
    def thread_num(self) -> int:
        """Threads of the matrix products of one prediction; 0: as many as the math library likes."""
        return self._thread_num

    @thread_num.setter
    def thread_num(self, thread_num: int) -> None:
        self._thread_num = checked_count("cpu.thread_num", thread_num)

    @property
    def reference_kernels(self) -> bool:
        """True: no fast kernels, for those who look for what one does differently. NOTE: not in MindSpore Lite."""
        return self._reference_kernels

    @reference_kernels.setter
    def reference_kernels(self, reference_kernels: bool) -> None:
        check_type("cpu.reference_kernels", reference_kernels, bool)
        self._reference_kernels = reference_kernels

    @property
    def backends(self) -> str:
        """Runtimes on whose kernels nodes that no delegate takes run, in groups, where that is faster.

        "none", the default; "onnxruntime", "openvino", or "auto": those that are installed. With ``reference_kernels``
        there are none. NOTE: not in MindSpore Lite.
        """
        return self._backends

    @backends.setter
    def backends(self, backends: str) -> None:
        self._backends = checked_choice("cpu.backends", backends, _BACKENDS)

    @property
    def inter_op_parallel_num(self) -> int:
        """Kernels that may run at once; 0: automatic. NOTE: kernels of one prediction run one after another."""
        return self._inter_op_parallel_num

    @inter_op_parallel_num.setter
    def inter_op_parallel_num(self, inter_op_parallel_num: int) -> None:
        count = checked_count("cpu.inter_op_parallel_num", inter_op_parallel_num)
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
        check_type("cpu.thread_affinity_mode", thread_affinity_mode, int)
        if thread_affinity_mode not in (0, 1, 2):
            raise ValueError(f"cpu.thread_affinity_mode must be 0, 1 or 2, got {thread_affinity_mode}.")
        self._thread_affinity_mode = thread_affinity_mode

    @property
    def thread_affinity_core_list(self) -> list[int]:
        """Cores to run on. NOTE: a wish; the operating system places the threads."""
        return list(self._thread_affinity_core_list)

    @thread_affinity_core_list.setter
    def thread_affinity_core_list(self, thread_affinity_core_list: Sequence[int]) -> None:
        check_type("cpu.thread_affinity_core_list", thread_affinity_core_list, list)
        for core in thread_affinity_core_list:
            checked_count("cpu.thread_affinity_core_list element", core)
        self._thread_affinity_core_list = list(thread_affinity_core_list)

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kCPU,\nprecision_mode: {self.precision_mode},\nthread_num: {self.thread_num},\n"
            f"inter_op_parallel_num: {self.inter_op_parallel_num},\n"
            f"thread_affinity_mode: {self.thread_affinity_mode},\n"
            f"thread_affinity_core_list: {self.thread_affinity_core_list}."
        )


class GpuDevice:
    """Settings of a GPU: ``context.gpu``. NOTE: this runtime has no GPU of its own; scripts may still set them.

    A delegate that drives one is told the precision.
    """

    def __init__(self) -> None:
        self._precision_mode = "enforce_fp32"
        self._device_id = 0

    @property
    def rank_id(self) -> int:
        """Rank in a distributed run: 0."""
        return 0

    @property
    def group_size(self) -> int:
        """Members of a distributed run: 1."""
        return 1

    @property
    def precision_mode(self) -> str:
        """ "enforce_fp32" or "preferred_fp16", for delegates that compute on a GPU."""
        return self._precision_mode

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        self._precision_mode = checked_choice("gpu.precision_mode", precision_mode, _CPU_PRECISIONS)

    @property
    def device_id(self) -> int:
        """Which GPU, from 0."""
        return self._device_id

    @device_id.setter
    def device_id(self, device_id: int) -> None:
        self._device_id = checked_count("gpu.device_id", device_id)

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kGPU,\nprecision_mode: {self.precision_mode},\ndevice_id: {self.device_id},\n"
            f"rank_id: {self.rank_id},\ngroup_size: {self.group_size}."
        )


class AscendDevice:
    """Settings of an Ascend device: ``context.ascend``. NOTE: this runtime has none; scripts may still set them."""

    def __init__(self) -> None:
        self._precision_mode = "enforce_fp32"
        self._device_id = 0
        self._rank_id = 0
        self._provider = ""

    @property
    def precision_mode(self) -> str:
        """One of ``ASCEND_PRECISIONS``. NOTE: the original's default is not documented; ours is "enforce_fp32"."""
        return self._precision_mode

    @precision_mode.setter
    def precision_mode(self, precision_mode: str) -> None:
        self._precision_mode = checked_choice("ascend.precision_mode", precision_mode, ASCEND_PRECISIONS)

    @property
    def device_id(self) -> int:
        """Which device, from 0."""
        return self._device_id

    @device_id.setter
    def device_id(self, device_id: int) -> None:
        self._device_id = checked_count("ascend.device_id", device_id)

    @property
    def rank_id(self) -> int:
        """Rank in a distributed run."""
        return self._rank_id

    @rank_id.setter
    def rank_id(self, rank_id: int) -> None:
        self._rank_id = checked_count("ascend.rank_id", rank_id)

    @property
    def provider(self) -> str:
        """ "" or "ge"."""
        return self._provider

    @provider.setter
    def provider(self, provider: str) -> None:
        self._provider = checked_choice("ascend.provider", provider, ("", "ge"))

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kAscend,\nprecision_mode: {self.precision_mode},\n"
            f"device_id: {self.device_id},\nrank_id: {self.rank_id},\nprovider: {self.provider}."
        )


def check_type(name: str, value: object, expected: type[Any]) -> None:
    """Raises TypeError, in the words of the ``mindspore_lite`` package, unless ``value`` is of a type."""
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        raise TypeError(f"{name} must be {expected.__name__}, but got {type(value).__name__}.")


def checked_count(name: str, value: int) -> int:
    """``value`` if it is an int that is not negative.

    Raises:
        TypeError: not an int.
        ValueError: negative.
    """
    check_type(name, value, int)
    if value < 0:
        raise ValueError(f"{name} must be a non-negative int, got {value}.")
    return value


def checked_choice(name: str, value: str, choices: Sequence[str]) -> str:
    """``value`` if it is one of ``choices``.

    Raises:
        TypeError: not a str.
        ValueError: none of them.
    """
    check_type(name, value, str)
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")
    return value


def checked_limit(name: str, value: int) -> int:
    """A limit, which is an int of 1 or more.

    Raises:
        TypeError: it is no int.
        ValueError: it is below 1.
    """
    if isinstance(value, bool):
        raise TypeError(f"{name} must be int, but got bool.")
    check_type(name, value, int)
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}.")
    return value
