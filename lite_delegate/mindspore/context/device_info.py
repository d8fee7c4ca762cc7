"""How each kind of device runs: ``context.cpu``, ``context.gpu``, ``context.ascend``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...inference.properties.context_properties import CPU
from .property_view import Valued, flag, number, word
from .setting import Setting, check_type, checked_count, choice_of

_CPU_PRECISIONS = ("enforce_fp32", "preferred_fp16")
ASCEND_PRECISIONS = ("enforce_fp32", "preferred_fp32", "enforce_fp16", "enforce_origin", "preferred_optimal")


class CpuDevice(Valued):
    """How the CPU kernels run: ``context.cpu``."""

    _where: ClassVar[str] = "cpu."
    registry = CPU

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*_CPU_PRECISIONS),
        """ "enforce_fp32" or "preferred_fp16": real numbers may be computed in float16 where there are kernels for it.

        Delegates that compute on the CPU are told (``DelegateModel.precisions``); it is read when a model is built or
        resized. NOTE: numpy's kernels compute a tensor in its own type either way.
        """,
    )

    thread_num = number(
        "INFERENCE_NUM_THREADS",
        """Threads of the matrix products of one prediction; 0: as many as the math library likes.""",
    )

    reference_kernels = flag(
        "REFERENCE_KERNELS",
        """True: no fast kernels, for those who look for what one does differently. NOTE: not in MindSpore Lite.""",
    )

    backends = word(
        "CPU_BACKENDS",
        """Runtimes on whose kernels nodes that no delegate takes run, in groups, where that is faster.

        "none", the default; "onnxruntime", "openvino", or "auto": those that are installed. With ``reference_kernels``
        there are none. NOTE: not in MindSpore Lite.
        """,
    )

    def __init__(self) -> None:
        super().__init__()
        self._inter_op_parallel_num = 0
        self._thread_affinity_mode = 0
        self._thread_affinity_core_list: list[int] = []

    @property
    def inter_op_parallel_num(self) -> int:
        """Kernels that may run at once; 0: automatic. NOTE: kernels of one prediction run one after another."""
        return self._inter_op_parallel_num

    @inter_op_parallel_num.setter
    def inter_op_parallel_num(self, inter_op_parallel_num: int) -> None:
        count = checked_count("cpu.inter_op_parallel_num", inter_op_parallel_num)
        if self.thread_num and count > self.thread_num:
            raise ValueError(
                f"cpu.inter_op_parallel_num must not exceed cpu.thread_num {self.thread_num}, got {count}."
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

    _where: ClassVar[str] = "gpu."

    @property
    def rank_id(self) -> int:
        """Rank in a distributed run: 0."""
        return 0

    @property
    def group_size(self) -> int:
        """Members of a distributed run: 1."""
        return 1

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*_CPU_PRECISIONS),
        """ "enforce_fp32" or "preferred_fp16", for delegates that compute on a GPU.""",
    )

    device_id = Setting(
        0,
        checked_count,
        """Which GPU, from 0.""",
    )

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kGPU,\nprecision_mode: {self.precision_mode},\ndevice_id: {self.device_id},\n"
            f"rank_id: {self.rank_id},\ngroup_size: {self.group_size}."
        )


class AscendDevice:
    """Settings of an Ascend device: ``context.ascend``. NOTE: this runtime has none; scripts may still set them."""

    _where: ClassVar[str] = "ascend."

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*ASCEND_PRECISIONS),
        """One of ``ASCEND_PRECISIONS``. NOTE: the original's default is not documented; ours is "enforce_fp32".""",
    )

    device_id = Setting(
        0,
        checked_count,
        """Which device, from 0.""",
    )

    rank_id = Setting(
        0,
        checked_count,
        """Rank in a distributed run.""",
    )

    provider = Setting(
        "",
        choice_of("", "ge"),
        """ "" or "ge".""",
    )

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kAscend,\nprecision_mode: {self.precision_mode},\n"
            f"device_id: {self.device_id},\nrank_id: {self.rank_id},\nprovider: {self.provider}."
        )
