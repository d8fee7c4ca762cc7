"""Delegate: the interface that an author implements to run kernels on another device or runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..basics.unforeseen import FAILURES
from ..basics.words.one_line import OneLine, quoted
from ..errors import DelegateBuildError, InputError, PropertyError, RemoteError
from ..ir.types.data_type import DataType
from ..properties import PropertySpec, Values
from ..tensors.tensor import Tensor
from .answers.limits import DelegateLimits
from .kernel import Kernel

if TYPE_CHECKING:
    from ..ir import Source
    from ..remote import RemoteContext
    from .answers.device_file import DeviceFile
    from .answers.support import SupportResult
    from .answers.telemetry import Telemetry
    from .model import DelegateModel

NO_STEPS: Mapping[str, int] = MappingProxyType({})
"""Quantized results equal the operators' definitions."""


class Delegate(OneLine):
    """Takes over kernels that its device can run.

    The short way: implement ``supports`` and ``create_graph_kernel``; the runtime then chooses the execution
    order with the fewest runs. The original's way: override ``build``, walk the kernels and ``replace`` runs.
    One object may serve several models; ``init`` and ``close`` are called for each.
    """

    name: str = "delegate"
    storage_dtype: DataType | None = None
    """The type in which the device stores floating-point tensors, where that is not their own: FLOAT16, BFLOAT16."""
    special_values: bool = True
    """False: results for NaN and infinities are the device's own; results for finite numbers are the operators'."""
    infinite_results: bool = True
    """False: the largest numbers stand for infinities among the results."""
    quantized_steps: Mapping[str, int] = NO_STEPS
    """Operators on quantized integers whose results may lie beside the definition's, and by how many integers."""
    wanted_samples: int = 0
    """The number of representative inputs of a model that it asks for, to choose the ranges of quantized numbers; the
    user's file may have more or fewer. See ``current_samples``.
    """
    needs_bounds: bool = False
    """True: asked for the whole model, it takes no open dimension of an input without an upper bound."""
    takes_control_flow: bool = False
    """True: the delegate is asked for loops and choices as one kernel each (``Kernel.control_flow``), before their
    bodies' kernels.
    """
    takes_endless_loops: bool = False
    """True: also of loops whose rounds no constant bounds, which ``Context.step_limit`` and Ctrl-C do not end there."""
    is_simulated: bool = False
    """True: the device is simulated, so its times are the graph kernels' estimates, not the times of their runs."""
    may_end_process: bool = True
    """False: its code neither crashes nor ends the process; ``Context.try_first`` does not try it elsewhere first."""
    has_own_process: bool = False
    """True: its code runs in a process of its own, so ``Context.try_first`` tries graph kernels only where they run."""
    compiles_off_device: bool = False
    """True: the delegate compiles, too, where its device is not there (``init`` raised DelegateUnavailable): its graph
    kernels can be exported, and must not run; ``prepare`` takes no resources of a device; ``close`` is not called."""
    remake: Callable[[], Delegate | None] | None = None
    """Makes one like it in another process, where it is called after being pickled. None: the delegate is pickled."""

    @classmethod
    def isolated(cls, spec: str = "", /, **options: object) -> Delegate:
        """A delegate that runs in a process of its own, an ``isolated.IsolatedDelegate``.

        ``Delegate.isolated("my_package:MyDelegate", python="/opt/chip/bin/python")`` imports nothing of the delegate
        here. ``MyDelegate.isolated(level=2)`` is for a class that is imported here anyway; a script that defines it
        needs ``if __name__ == "__main__":``.

        Args:
            spec: a SPEC as commands take it, for ``Delegate.isolated``; a subclass takes none.
            options: the options of the delegate, by default parameters of its constructor; and ``python=PATH``,
                ``isolated_run_seconds=5`` and the like, see ``isolated.Isolation``.

        Raises:
            InputError: (a ValueError) the SPEC names no delegate; an option or value is unknown; another process cannot
                import the class; or there is a SPEC where there must be none, or none where there must be one.
        """
        if bool(spec) == (cls is not Delegate):
            raise InputError(
                f"{cls.__name__}.isolated takes options alone, got {spec!r}: Delegate.isolated takes a SPEC."
                if spec
                else "Delegate.isolated needs a SPEC, as in Delegate.isolated('package.module:ClassName')."
            )
        made: Delegate = import_module("lite_delegate.isolated").IsolatedDelegate(spec or cls, options)
        return made

    @property
    def overrides_build(self) -> bool:
        """Whether it has a ``build`` of its own, in place of one graph kernel for each planned run."""
        return type(self).build is not Delegate.build

    def init(self) -> None:
        """Called once when a model is compiled, before any other method: probe the device, take resources.

        The method is not called again when the model is resized or its options change; only after the device was lost,
        since a new ``init`` brings it back. One object may serve several models, so calls for them may alternate.

        Raises:
            DelegateUnavailable: the device is not there; the model runs on the CPU, with a warning.
        """
        return None

    def probe(self) -> str | None:
        """The reason why the device is not there, "" where it is. The method is quick and takes no resources.

        None, the default: only ``init`` can tell. Lists of devices call this method, and ``init`` where it gives None.
        """
        return None

    def telemetry(self) -> Telemetry | None:
        """The activity of the device and the use of its memory; None, the default, where it does not tell."""
        return None

    def reset_peak_memory(self) -> None:
        """Sets ``Telemetry.peak_bytes`` to the bytes that are taken now.

        Raises:
            InputError: the device has no telemetry. The default.
        """
        raise InputError(f"Device '{self.name}' does not tell its activity.")

    def remote_context(self) -> RemoteContext:
        """A context that makes tensors in the device's memory; see ``remote.RemoteContext``.

        The device is in use until nobody has the context, or a tensor of it, any more.

        Raises:
            RemoteError: the device has no remote context. The default.
            DelegateUnavailable: the device is not there.
        """
        raise RemoteError(f"Device '{self.name}' offers no contexts: its tensors are in the host's memory.")

    def device_ids(self) -> Sequence[str]:
        """The ids of the devices where the delegate has several, the default device first. By default empty.

        ``NAME.ID`` is the device with that id; it comes to ``configured`` as ``DEVICE_ID``.
        """
        return ()

    def configured(self, options: Mapping[str, object]) -> Delegate | None:
        """A delegate for the same device with other options; this delegate stays as it is.

        None, the default: another delegate is made with the options as parameters of the constructor.

        Args:
            options: the options by name; ``DEVICE_ID`` chooses one of several devices.

        Raises:
            InputError: an unknown option or value.
        """
        return None

    def properties(self) -> Sequence[PropertySpec]:
        """The properties of the device, whether it is present or not. By default empty.

        ``Core.set_property`` and ``Core.compile_model`` take these properties, and check names and values before a
        value is set. ``configured``, or the constructor, gets the values that were set.
        """
        return ()

    def get_property(self, name: str) -> object:
        """The value of a property. The default knows no property: override it together with ``properties``.

        Raises:
            PropertyError: the property is unknown.
        """
        raise PropertyError(f"Device '{self.name}' has no property '{name}' that can be read.")

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties, all of them or none, for models that are built from now on. The default takes no property.

        Raises:
            PropertyError: a property or value is unknown.
        """
        if properties:
            raise PropertyError(f"Device '{self.name}' has no property '{next(iter(properties))}' that can be set.")

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        """Sets properties of one compiled model that can be changed at run time (R), for its runs from the next one on.

        The default sets them with ``set_property``: other models of this delegate get them as well.

        Args:
            kernels: the graph kernels that this delegate made for the compiled model.
            properties: checked values by name.

        Raises:
            LiteDelegateError: that cannot be; nothing is set.
        """
        self.set_property(properties)

    def property_values(self) -> Values | None:
        """The delegate's ``properties`` with the values that are set now. None, the default: not known."""
        return None

    def close(self) -> None:
        """Called once for each ``init`` that returned: give its resources back. The default does nothing.

        The call comes when the model was closed or collected, or could not be compiled; after the last prediction has
        ended and every graph kernel was released. It may come from any thread, also from the garbage collector. An
        error is logged.
        """
        return None

    def survey(self, kernels: Sequence[Kernel]) -> None:
        """Called once for a plan before ``supports``, with all kernels that the delegate will be asked about.

        For delegates that find their answers by trying a toolchain, which is quicker for many kernels at once. An error
        rejects all of the kernels. The default does nothing.
        """
        return None

    def supports(self, kernel: Kernel) -> SupportResult | None:
        """The answer to whether the device can run a kernel. Changes nothing: neither the kernel nor its tensors.

        Returns:
            ``Supported()``, ``Rejected(code, reason)``, or None (the default): unknown, ``build`` decides, and
            the execution order is left as it is.
        """
        return None

    def limits(self) -> DelegateLimits:
        """Limits of the device for all operators. By default no limit is known.

        Nodes that exceed the limits are put in an equal form that does not, where one exists and ``supports`` claims
        it: chains of reshapes, transposes and slices, attention's five-dimensional chains among them, become shorter
        and of fewer dimensions, operators over many axes are computed over fewer. The report lists the rewritten nodes,
        and ``Context.rewrite`` turns rewriting off. The runtime asks for the limits for each plan, after ``init``.
        """
        return DelegateLimits()

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[Source]) -> Sequence[str]:
        """Sentences on options that name nodes which the model does not have; the user is warned of each.

        The default has no sentence. The runtime asks for each plan, after ``init``.

        Args:
            kernels: the kernels of all graphs of the model; their ``sources`` are the nodes of the model's file.
            removed: the nodes of the file that no kernel comes from any more.
        """
        return ()

    def version(self) -> str:
        """The version of the delegate's graph kernels: release, device, every option, without the delegate's name. ""
        by default.

        Times that were stored are for one version. So are the plans that a model keeps for the shapes it had: going
        back to a shape plans anew where the version is another one by then. A delegate that has options and does not
        override this gets plans back that were made with other ones.
        """
        return ""

    def follows_threads(self) -> bool:
        """Whether its graph kernels compute with ``DelegateModel.threads`` threads of the host.

        False by default, and where its own properties set the number or the cores of threads. With placement
        "fastest", short plans are tried with one thread for each run as well, where a delegate returns True.
        """
        return False

    def optimal_requests(self) -> int:
        """The number of requests of one model that keep the device busy; 1 by default. Pools have this size."""
        return 1

    def requests_that_fit(self, kernels: Sequence[Kernel]) -> int | None:
        """The number of requests of one model that the device has room for now.

        Args:
            kernels: the graph kernels that this delegate made for the model, see ``Kernel.take_request_memory``.

        Returns:
            The number; None, the default: any.
        """
        return None

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        """Microseconds that a tensor is expected to take from the host to the device, or back.

        For tensors between kernels of a run, which do not cross, but would if the run was split there. None, the
        default: not known.
        """
        return None

    def build(self, model: DelegateModel) -> None:
        """Replaces runs by graph kernels. The default makes one graph kernel per planned run.

        A run whose graph kernel cannot be made goes back to the CPU with the reason; the other runs stay.
        """
        for run in model.runs:
            try:
                kernel = self.create_graph_kernel(run, model)
                model.replace(*model.span(run), kernel)
            except FAILURES as e:  # a delegate's own code may raise anything; the reason goes into the report
                model.mark_failed(run, e)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """The graph kernel that stands for a run; ``model.boundary_of(run)`` has the tensors it takes and gives.

        Raises:
            DelegateBuildError: the run cannot be compiled.
        """
        raise DelegateBuildError(
            f"Delegate '{self.name}' claims kernels, but implements neither create_graph_kernel nor build."
        )

    def cache_key(self) -> Mapping[str, str] | None:
        """The facts that the bytes of the graph kernels depend on, by name: device, driver, each option that changes
        them.

        Equal keys promise equal graph kernels, so that one process may use graph kernels that another process compiled;
        the key is written into files of compiled models, in clear. None, the default: graph kernels cannot be kept
        outside of a process.
        """
        return None

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The bytes of a graph kernel of this delegate that was prepared: data, nothing that is executed when read.

        The same compilation gives the same bytes. None, the default: the delegate cannot say.

        Raises:
            DelegateError: this one cannot be exported.
        """
        return None

    def device_file(self, kernel: Kernel) -> DeviceFile | None:
        """The file that the device's own runtime loads for a graph kernel of this delegate.

        None, the default: there is no such file.

        Raises:
            DelegateError: the toolchain cannot write the file.
        """
        return None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Kernel:
        """The graph kernel that ``export_kernel`` gave the bytes of, bound to tensors and not prepared yet.

        Args:
            data: the bytes, which may be a mapped file: views of them may be kept.
            inputs: its inputs, in the order of the exported kernel.
            outputs: its outputs, in the order of the exported kernel.

        Raises:
            ModelFormatError: the bytes are damaged, or another release wrote them.
            DelegateBuildError: the bytes were compiled for another device, which the message names.
        """
        raise DelegateBuildError(f"Delegate '{self.name}' cannot import graph kernels: it has no import_kernel.")

    def check_import(self, key: Mapping[str, str]) -> None:
        """Checks that graph kernels which were made under this ``cache_key`` can be imported, without loading them.

        The default: the key has to be the delegate's own.

        Raises:
            DelegateBuildError: they cannot; the message has the expected and the found key.
        """
        mine = self.cache_key() or {}
        other = next((name for name in (*key, *mine) if key.get(name) != mine.get(name)), None)
        if other is not None:
            found, here = key.get(other, "nothing"), mine.get(other, "nothing")
            raise DelegateBuildError(
                f"Delegate '{self.name}': the model was compiled with {other} {found}, here it is {here}. "
                "Compile it again."
            )

    def _line(self) -> str:
        return quoted(self.name)
