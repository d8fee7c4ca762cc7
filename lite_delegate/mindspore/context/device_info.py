"""The settings of each kind of device: ``context.cpu``, ``context.gpu``, ``context.ascend``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ...inference.properties.context_properties import CPU
from .property_view import Valued, flag, number, word
from .setting import Setting, check_type, checked_count, choice_of

_CPU_PRECISIONS = ("enforce_fp32", "preferred_fp16")
ASCEND_PRECISIONS = ("enforce_fp32", "preferred_fp32", "enforce_fp16", "enforce_origin", "preferred_optimal")


class CpuDevice(Valued):
    """The settings of the CPU kernels: ``context.cpu``."""

    _where: ClassVar[str] = "cpu."
    registry = CPU

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*_CPU_PRECISIONS),
        """ "enforce_fp32" or "preferred_fp16": real numbers may be computed in float16 by kernels that offer float16.

        Delegates that compute on the CPU learn the mode (``DelegateModel.precisions``). The mode is read when a model
        is built or resized. NOTE: numpy's kernels compute a tensor in its own type in both modes.
        """,
    )

    thread_num = number(
        "INFERENCE_NUM_THREADS",
        """The number of threads of the matrix products of one prediction; 0: the math library chooses.""",
    )

    reference_kernels = flag(
        "REFERENCE_KERNELS",
        """True: no fast kernels, for the search of a difference between kernels. NOTE: not in MindSpore Lite.""",
    )

    backends = word(
        "CPU_BACKENDS",
        """The runtimes on whose kernels groups of nodes that no delegate takes run, where the runtime is faster.

        "none", the default; "onnxruntime", "openvino", or "auto" for the installed runtimes. With ``reference_kernels``
        no runtime is used. NOTE: not in MindSpore Lite.
        """,
    )

    def __init__(self) -> None:
        super().__init__()
        self._inter_op_parallel_num = 0
        self._thread_affinity_mode = 0
        self._thread_affinity_core_list: list[int] = []

    @property
    def inter_op_parallel_num(self) -> int:
        """The number of kernels that may run at once; 0: automatic. NOTE: a prediction runs one kernel at a time."""
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
        """The numbers of the cores to run on. NOTE: a wish; the operating system places the threads."""
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

    A delegate that drives a GPU learns the precision mode.
    """

    _where: ClassVar[str] = "gpu."

    @property
    def rank_id(self) -> int:
        """The rank in a distributed run: 0."""
        return 0

    @property
    def group_size(self) -> int:
        """The number of members of a distributed run: 1."""
        return 1

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*_CPU_PRECISIONS),
        """ "enforce_fp32" or "preferred_fp16", for delegates that compute on a GPU.""",
    )

    device_id = Setting(
        0,
        checked_count,
        """The number of the GPU, from 0.""",
    )

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kGPU,\nprecision_mode: {self.precision_mode},\ndevice_id: {self.device_id},\n"
            f"rank_id: {self.rank_id},\ngroup_size: {self.group_size}."
        )


class AscendDevice:
    """Settings of an Ascend device: ``context.ascend``. NOTE: the device is never there; scripts may still set them."""

    _where: ClassVar[str] = "ascend."

    precision_mode = Setting(
        "enforce_fp32",
        choice_of(*ASCEND_PRECISIONS),
        """A word of ``ASCEND_PRECISIONS``. NOTE: MindSpore Lite documents no default; here it is "enforce_fp32".""",
    )

    device_id = Setting(
        0,
        checked_count,
        """The number of the device, from 0.""",
    )

    rank_id = Setting(
        0,
        checked_count,
        """The rank in a distributed run.""",
    )

    provider = Setting(
        "",
        choice_of("", "ge"),
        """The provider of the device's kernels: "" or "ge".""",
    )

    def __str__(self) -> str:
        return (
            f"device_type: DeviceType.kAscend,\nprecision_mode: {self.precision_mode},\n"
            f"device_id: {self.device_id},\nrank_id: {self.rank_id},\nprovider: {self.provider}."
        )
