"""Kernel: something that can run, bound to the tensors it reads and writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..basics.words.one_line import OneLine, quoted
from ..errors import ResizeUnsupported
from ..ir.primitive import Primitive
from ..ir.source import Source
from ..ir.types.data_type import DataType
from ..ir.types.enums import QuantType
from ..tensors.tensor import Array, Tensor
from .flow import ControlFlow

if TYPE_CHECKING:
    from .answers.device_run import DeviceReservation
    from .answers.estimate import DeviceEstimate
    from .answers.request_memory import RequestMemory


class Kernel(ABC, OneLine):
    """A kernel reads input tensors and writes output tensors.

    A delegate's graph kernel subclasses this and implements ``execute``; ``prepare`` and ``fork`` where they help.

    Args:
        name: the name of the node, unique within the model; any name for a graph kernel. Where several graph kernels of
            a model have one name, the runtime renames them before ``prepare``, so that reports, records and messages
            tell them apart: the second "MyGraph" becomes "MyGraph#2".
        type: the primitive's name; any word for a graph kernel.
        inputs: its input tensors. None stands for an absent optional input of a node.
        outputs: its output tensors.
        primitive: operator type and attributes; None for a graph kernel.

    Attributes:
        operands: the tensors it reads by position in the operator's order, None where an optional one is absent.
        inputs: the tensors it reads, in the operator's order, absent optional ones left out.
        outputs: the tensors it writes, in the operator's order.
    """

    quant_type: QuantType = QuantType.QUANT_NONE
    """The quantization of the node. ``QUANT_ALL``: the tensors hold integers, whose meaning ``quant_params`` give."""

    sources: tuple[Source, ...] = ()
    """The nodes of the model file that the node comes from, several where nodes were fused. Graph kernels have none."""

    gives_new_arrays: bool = False
    """True promises that each ``execute`` sets its outputs to arrays that no other object has or gets.

    The runtime then hands the arrays on, to the caller too, without copies. Else it copies arrays that might be written
    to again, or that are views of kept memory.
    """

    has_own_threads: bool = False
    """True promises that its runs do not use the host's math library, but threads of their own, or a device.

    Then the runtime sets no limit of the math library's threads around a run, which would take a good part of a short
    run.
    """

    states: frozenset[Tensor] = frozenset()
    """Tensors of a graph kernel that hold states of requests: variables, and values that are assigned to variables.

    The runtime sets the attribute once the model is planned, for ``take_request_memory``.
    """

    control_flow: ControlFlow | None = None
    """The bodies of a loop or a choice (``Rounds``, ``Branches``), see ``Delegate.takes_control_flow``."""

    @property
    def memory_owner(self) -> object:
        """The owner of the memory that the graph kernel runs in, see ``remote.RemoteMemory``; None: the host's memory
        only.

        One that has an owner looks at ``remote.on_device()`` when it runs: inputs that are there need no transfer.
        """
        return None

    @property
    def storage_dtype(self) -> DataType | None:
        """As ``Delegate.storage_dtype``, of a graph kernel that knows it; None, the default: as the delegate says."""
        return None

    @property
    def optimal_requests(self) -> int | None:
        """As ``Delegate.optimal_requests``, of a graph kernel that knows it; None: as the delegate says."""
        return None

    @property
    def counts_performance(self) -> bool:
        """Whether profiles of requests are to have the layers of ``estimate``. False by default."""
        return False

    def __init__(
        self,
        name: str,
        type: str,
        inputs: Sequence[Tensor | None],
        outputs: Sequence[Tensor],
        primitive: Primitive | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.primitive = primitive
        self.operands: tuple[Tensor | None, ...] = tuple(inputs)
        self.inputs: tuple[Tensor, ...] = tuple([t for t in inputs if t is not None])
        self.outputs: tuple[Tensor, ...] = tuple(outputs)

    def prepare(self) -> None:
        """Called once before the first ``execute``, without input data: pack constants, load the device model.

        Raises:
            KernelsNotTaken: the runtime around the device would run some of the kernels elsewhere.
            Exception: anything else: the graph kernel cannot be made.
        """
        return None

    def rehearse(self) -> None:
        """Called in place of ``prepare`` where the model is only planned, for a report, and never run.

        It fails where ``prepare`` would: the report has to show that. The default is ``prepare`` itself; override it
        where checking is much cheaper than packing and loading weights.
        """
        self.prepare()

    @abstractmethod
    def execute(self) -> None:
        """Reads ``inputs[i].data`` and sets ``outputs[j].data``. An input is never written to.

        Raises:
            DeviceLost: the device is gone and does not come back by itself: it is not used again where the CPU can
                stand in (``Context.on_delegate_error``).
            DelegateExecuteError: the device failed in another way, and may work the next time. Other exceptions count
                as this error.
        """

    def bind(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], object] | None:
        """Called before a run over buffers that the kernel is not bound to. Returns a function that runs it over them.

        The function is called in place of ``execute``, with empty tensors, again and again for as long as the buffers
        are the same: it reads the contents that ``inputs`` have by then, and writes all of ``outputs``, whose former
        contents are arbitrary. When a buffer is exchanged, the kernel is bound again, and the former function is not
        called any more. An array that is the same object as in the former call is the same memory, so objects made from
        it can be kept.

        Only forks are bound, whose outputs have known shapes: ``bind`` need not be safe for threads. A class that
        overrides ``execute`` alone is not bound by the ``bind`` of its base.

        Args:
            inputs: the inputs that are no constants, in order. They are contiguous, of the shapes of the tensors, and
                may be read-only. The kernel must not write to them. The runtime keeps their memory while a run lasts,
                and no longer: a kernel that reads them as arrays must keep references to them.
            outputs: an array for each output, contiguous, of its shape and element type.

        Returns:
            A function that raises the errors of ``execute``; after a failure the kernel is bound again. None, the
            default: the kernel does not work on such buffers, and ``execute`` is called.

        Raises:
            DelegateExecuteError: as ``execute``.
        """
        return None

    def resize(self) -> None:
        """Called when the model is resized to shapes that it has no plan for, before it is planned anew.

        The method is called for every graph kernel: where the kernel can be forked, on a fork that is bound to tensors
        of the new shapes; else on the kernel itself, whose tensors, and the tensors of the nodes it stands for, have
        the new shapes by then. No prediction with the kernel is under way; if there is one, or where the delegate's
        claims differ for the new shapes, the model is planned anew and ``resize`` is not called.

        All graph kernels of the model follow, or none: where one raises an error, tensors get their old shapes back,
        graph kernels that had followed without a fork are called once more, and the model is planned anew.

        Raises:
            ResizeUnsupported: the kernel cannot follow. The default. Other exceptions count as this error.
        """
        raise ResizeUnsupported(f"Kernel '{self.name}' ({self.type}) cannot follow new shapes.")

    def fork(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel | None:
        """A kernel that shares the resources of ``prepare`` and is bound to other tensors, for a parallel prediction.

        None, the default: the kernel cannot, and predictions take turns with it.
        """
        return None

    def take_request_memory(self) -> RequestMemory | None:
        """Called when a lasting request is made: takes the memory on the device for one more request.

        Returns:
            The memory that was taken; None, the default: no memory.

        Raises:
            DelegateBuildError: the memory does not suffice; the request is not made.
        """
        return None

    def reserve(self, run: Sequence[Kernel], ready_us: float) -> DeviceReservation | None:
        """Called when an asynchronous run is started: takes its place in the queue of a simulated device.

        Args:
            run: the graph kernels that the run executes, in order, each once; this kernel is among them.
            ready_us: simulated time before which the run cannot begin.

        Returns:
            The place, for all of them; None, the default: the device is not simulated, or takes the place when the run
            is executed.
        """
        return None

    @property
    def resident_nbytes(self) -> int:
        """The bytes of device memory held until ``release``; ``release_memory`` returns how many it has freed."""
        return 0

    def release(self) -> None:
        """Called once for each graph kernel after ``prepare``, successful or not: give its resources back.

        The call comes when the last plan that uses the kernel, or a fork of it, goes: the plan failed, another plan
        replaced it, or the model was closed or collected; never while a prediction with the kernel is under way. Forks
        are not released. The call may come from any thread. An error is logged. The default does nothing: resources go
        with the object.
        """
        return None

    def places(self) -> Mapping[str, str]:
        """Where the kernels that it stands for run, by their names, as the runtime around the device says.

        It is asked once the graph kernel is prepared, for reports: "CPUExecutionProvider", "GPU.0". The name "" stands
        for all kernels that are not named. The default says nothing: they run where the delegate says.
        """
        return {}

    def estimate(self) -> DeviceEstimate | None:
        """The expected cost of one run on the kernel's device, for reports; None, the default: not known."""
        return None

    def _line(self) -> str:
        return f"{quoted(self.name)} ({self.type})"
