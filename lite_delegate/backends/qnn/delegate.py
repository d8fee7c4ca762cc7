"""QnnDelegate: Qualcomm's HTP by ONNX Runtime's plugin."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock

from ...delegate import DeviceFile, Kernel, SupportResult
from ...errors import DelegateUnavailable
from ...ir import DataType
from ...properties import Registry
from ...tensors.tensor import Tensor
from ..configurable import NO_OPTIONS
from ..onnxruntime.delegate import OnnxRuntimeDelegate
from ..onnxruntime.trials.trial_process import ReadReasons
from ..presence import is_installed
from . import properties
from .chips import CHIPS, Chip
from .graph import QnnGraph, context_of, exported, imported
from .limits import rejection
from .model_builder import QnnModelBuilder
from .reasons import read_reasons

PROVIDER = "QNNExecutionProvider"
PACKAGE = "onnxruntime_qnn"
EXTRA = "pip install 'lite-delegate[qnn]'"
EMULATED_ON = ("x86_64", "amd64")
"""Processors for which the package has an emulator of the HTP in place of a driver."""
_lock = Lock()
_in_use: list[Chip] = []
"""The chip that this process emulates: the emulator keeps the first one for as long as the process lives."""


class QnnDelegate(OnnxRuntimeDelegate):
    """Qualcomm's HTP: the emulator of the package on x86 processors, the chip itself where the program runs on one.

    Args:
        chip: the chip that is compiled for, ``SM8650``, or an architecture, ``htp75``; see ``chips``.
        provider_options: options of the plugin in addition, by its own names.
        session_config: configuration entries of sessions, by ONNX Runtime's names.
        options: properties of this delegate by name, see ``properties``.

    Raises:
        PropertyError: there is no such chip or option.
    """

    name = "qnn"
    graph_kernel = QnnGraph
    storage_dtype = DataType.FLOAT16
    """The emulator has float32 for the HTP v68 and where no chip is named, but functions and norms are as inexact."""
    is_simulated = platform.machine().lower() in EMULATED_ON

    def __init__(
        self,
        chip: str = properties.CHIP,
        *,
        provider_options: Mapping[str, object] = NO_OPTIONS,
        session_config: Mapping[str, object] = NO_OPTIONS,
        options: Mapping[str, object] = NO_OPTIONS,
    ) -> None:
        super().__init__(chip, provider_options=provider_options, session_config=session_config, options=options)

    def registry(self) -> Registry:
        """The properties of the device QNN."""
        return properties.registry()

    @property
    def chip(self) -> Chip:
        """The chip that is compiled for."""
        return CHIPS[self.device]

    @property
    def provider(self) -> str:
        """The plugin's provider."""
        return PROVIDER

    @property
    def provider_options(self) -> dict[str, str]:
        """The chip's options, and those of the user."""
        return {**self.chip.options, **super().provider_options}

    @property
    def read_reasons(self) -> ReadReasons:
        """The reader of the plugin's reasons."""
        return read_reasons

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Tries kernels that are not known to go wrong on the HTP.

        Raises:
            DelegateUnavailable: the plugin cannot be tried.
        """
        super().survey([kernel for kernel in kernels if rejection(kernel) is None])

    def supports(self, kernel: Kernel) -> SupportResult:
        """The limits that are known (``limits``), then the plugin's own answer."""
        return rejection(kernel) or super().supports(kernel)

    def device_ids(self) -> Sequence[str]:
        """None: chips are no devices of this machine, but what ``QNN:SM8650`` compiles for."""
        return ()

    def probe(self) -> str | None:
        """The reason why the package is not there; None where it is: only ``init``, which loads it, knows devices."""
        return None if is_installed(PACKAGE) else f"The package 'onnxruntime-qnn' is not installed: {EXTRA}."

    def init(self) -> None:
        """Checks that the package is there, and that a session is made with the plugin.

        Raises:
            DelegateUnavailable: the package is missing or cannot be loaded, or this process emulates another chip.
        """
        absence = self.probe()
        if absence:
            raise DelegateUnavailable(absence)
        self._take_process()
        super().init()

    @cached_property
    def _builder(self) -> QnnModelBuilder:
        return QnnModelBuilder()

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The context model for the chip, see ``graph.exported``; None for graph kernels of other delegates."""
        return exported(kernel.shared) if isinstance(kernel, QnnGraph) else None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> QnnGraph:
        """The graph kernel of a context model; its session is made when it is prepared.

        Raises:
            ModelFormatError: it is none.
        """
        return QnnGraph(self.next_name(QnnGraph.kind), inputs, outputs, imported(data, self.settings))

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        """The context model, which ONNX Runtime with the same plugin loads on the chip."""
        if not isinstance(kernel, QnnGraph):
            return None
        return DeviceFile(context_of(kernel.shared), ".onnx", f"ONNX Runtime with {self.toolchain()} on {self.device}")

    def _take_process(self) -> None:
        """The emulator of a process has one chip, whatever later sessions ask for.

        Raises:
            DelegateUnavailable: the process emulates another chip.
        """
        chip = self.chip
        with _lock:
            _in_use[:] = _in_use or [chip]
            first = _in_use[0]
        if self.is_simulated and first != chip:
            raise DelegateUnavailable(
                f"This process emulates Qualcomm's '{first.name}' already, and cannot emulate '{chip.name}' as well: "
                f"the emulator takes one chip for each process. isolated:qnn:{chip.name} has a process of its own."
            )
