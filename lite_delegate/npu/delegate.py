"""NPUDelegate: claims the kernels that the device can run, and turns each run into one program.

Importing it loads device, profiles and options; operators, compiler and blobs are loaded where they are first needed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import count
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary, finalize

from ..basics.counted import counted
from ..delegate import Delegate, DelegateLimits, DelegateModel, Kernel, Rejected, SupportResult, Telemetry
from ..delegate.calls.log import DelegateLog
from ..delegate.kept_results import result_is_kept
from ..errors import DelegateBuildError, DelegateUnavailable
from ..properties import Layer, PropertySpec, Values
from ..semantics.operands import op_type_of
from ..tensors.tensor import Tensor
from .device import Capacity, Device, Fleet
from .ir.target import Priority, Target
from .options import Options, check_options, described, property_of, unmatched_layers
from .profiles import MOST_TILES, Profile, is_path, load_profile, profile_of

if TYPE_CHECKING:
    from ..ir import Source
    from ..remote import RemoteContext
    from .execution.graph import NPUGraph

_OF_PROCESS = ("device", "options", "_fleet", "_names")
"""The attributes that a delegate makes anew in another process."""


class NPUDelegate(Delegate):
    """The built-in NPU, simulated. One object may serve several models, whose programs share only the device.

    Args:
        profile: the device's operators, their limits, and its figures: the name of a packaged profile, or the path of a
            user's own .toml file.
        device: the device; a new device when None. A test may give an absent device.
        options: names and values, as ``set_property`` takes them.

    Raises:
        InputError: (a ValueError) an unknown profile, a file that is no profile, or an unknown option or value; the
            message lists the known ones.
    """

    name = "npu"
    needs_bounds = True
    is_simulated = True
    may_end_process = False

    def __init__(
        self,
        profile: str = "generic",
        *,
        device: Device | None = None,
        options: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._names: WeakKeyDictionary[DelegateModel, Iterator[str]]
        loaded = load_profile(profile)
        self._take_device(loaded, _device_of(loaded) if device is None else device, options)

    def __copy__(self) -> Self:
        """A delegate for the same device."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """The profile and the options: another process simulates a device of its own."""
        own = {name: value for name, value in vars(self).items() if name not in _OF_PROCESS}
        return {**own, "profile": self.profile, "given": self.options.values.given, "present": self.device.present}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A delegate for a new device."""
        profile, given, present = state.pop("profile"), state.pop("given"), state.pop("present")
        vars(self).update(state)
        self._take_device(profile, _device_of(profile, present=present), given)

    def _take_device(self, profile: Profile, device: Device, options: Mapping[str, object]) -> None:
        """Takes a device and the options, which the device may reject."""
        self.device = device
        self._fleet = Fleet.from_environment(MOST_TILES)
        self.options = Options.of(profile, _why_away(device))
        self.set_property(options)
        self._names = WeakKeyDictionary()

    def init(self) -> None:
        """Opens the device.

        Raises:
            DelegateUnavailable: the device is not there, or the profile does not accept the system that it is in; the
                message has the expected and the found system.
        """
        try:
            if self.device.present and (why := self.probe()):
                raise DelegateUnavailable(why)
            self.device.open()
        except DelegateUnavailable as e:
            self.log.write("LOG_WARNING", "%s", e)
            raise

    def probe(self) -> str:
        """The reason why the device is not there, "" where it is."""
        why = self.options.why_absent
        return why and f"NPU profile '{self.profile.name}': {why}."

    def device_ids(self) -> Sequence[str]:
        """The devices that the environment variable LITE_DELEGATE_NPU_DEVICES lists."""
        return self._fleet.ids

    def configured(self, options: Mapping[str, object]) -> NPUDelegate:
        """A delegate for the same device with further options beside the present ones, or for another device.

        Args:
            options: as ``set_property`` takes them. DEVICE_ID is a platform ("4000"), one of several devices of it
                ("4000.1"), the place of a device among all ("1"), or a profile: its name or path.

        Raises:
            InputError: an unknown option, value or device.
        """
        given = {str(name).upper(): value for name, value in options.items()}
        wanted = self._fleet.full_id(str(given.pop("DEVICE_ID", "")))
        other = copy(self)
        if wanted:
            where, number = _place_of(wanted)
            profile = profile_of(where)
            place = where if is_path(where) else profile.platform
            tiles = self._fleet.tiles(place, number)
            chosen = profile if tiles is None else profile.with_tiles(tiles)
            is_ours = place == self.profile.platform and number in ("", "0") and not self._fleet.ids
            made = self.device if is_ours else None
            other.device = self._fleet.device(place, number, lambda: made or _device_of(chosen))
            unlisted = "" if is_path(where) else self._fleet.why_unlisted(place)
            away = unlisted or _why_away(other.device)
            other.options = Options.of(chosen, away).changed(self.options.values.given)
        other.set_property(given)
        return other

    def telemetry(self) -> Telemetry:
        """The activity of the device, on its simulated clock. All delegates of one device share it."""
        return self.device.telemetry()

    def reset_peak_memory(self) -> None:
        """The most that was taken of the device's memory is counted from now on."""
        self.device.reset_peak()

    def remote_context(self) -> RemoteContext:
        """A context for tensors in the simulated DRAM, which takes the device into use as a model does."""
        from ..remote import RemoteContext
        from .cost.cycles import transfer_cycles
        from .device.remote import DeviceMemory

        self.init()
        target, memory = self.target, self.profile.memory

        def transfer_us(nbytes: int) -> float:
            return transfer_cycles(nbytes, 1, memory) / target.clock_mhz

        known = {"PROFILE": self.profile.name, "TOTAL_BYTES": self.device.memory.dram}
        context = RemoteContext(self.name, DeviceMemory(self.device, transfer_us), known)
        finalize(context, self.device.close).atexit = False
        return context

    def close(self) -> None:
        """Ends one use of the device: it is closed once everybody who opened it has closed it."""
        self.device.close()

    def properties(self) -> Sequence[PropertySpec]:
        """The properties of the NPU, as this profile has them."""
        return tuple(self.options.registry)

    def property_values(self) -> Values:
        """The properties of the delegate with the values that were set."""
        return self.options.values

    @property
    def supported_properties(self) -> tuple[str, ...]:
        """The names of all properties: options, and read-only properties."""
        return self.options.registry.names

    def optimal_requests(self) -> int:
        """The property ``OPTIMAL_NUMBER_OF_INFER_REQUESTS``."""
        return int(str(self.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")))

    def requests_that_fit(self, kernels: Sequence[Kernel]) -> int | None:
        """The number of requests whose inputs and outputs fit into memory; None for a device without a limit."""
        from .execution.graph import NPUGraph

        needed = sum(kernel.request_nbytes for kernel in kernels if isinstance(kernel, NPUGraph))
        free = self.device.free_memory
        return None if free is None or not needed else free // needed

    def get_property(self, name: str) -> object:
        """The value of a property: text, bool, number, tuple or mapping.

        Raises:
            InputError: an unknown property; the message has similar names, or all names.
        """
        if self.options.registry.readable(name).name == "EXECUTION_DEVICES":
            return (self.name,)
        return property_of(name, self.profile, self.options, self.device)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets options, all of them or none. Options apply to models that are built afterwards; LOG_LEVEL applies to
        the delegate's own log at once.

        Args:
            properties: names, and values as text or Python values: ``{"NPU_TURBO": "YES", "NPU_TILES": 2}``.

        Raises:
            InputError: an unknown name, a read-only property, or a value that is not allowed.
        """
        self.options = self.options.changed(properties)
        self.storage_dtype = self.target.storage
        self.compiles_off_device = self.options.is_off_device
        wanted = self.options.values.explain("LOG_LEVEL")
        self._log_level = None if wanted.layer is Layer.DEFAULT else str(wanted.value)

    @property
    def log(self) -> DelegateLog:
        """The delegate's log, at the level of LOG_LEVEL; where it is not set, at the level of the compiled model."""
        return DelegateLog(self.name, self._log_level)

    def set_run_time_properties(self, kernels: Sequence[Kernel], properties: Mapping[str, object]) -> None:
        """Sets LOG_LEVEL, MODEL_PRIORITY and WORKLOAD_TYPE of one model's graph kernels; other models keep theirs."""
        from .execution.graph import NPUGraph

        values = self.options.changed(properties).values
        level = str(values.value("LOG_LEVEL")) if "LOG_LEVEL" in properties else None
        priority = Priority[str(values.value("MODEL_PRIORITY"))] if "MODEL_PRIORITY" in properties else None
        efficient = values.value("WORKLOAD_TYPE") == "EFFICIENT" if "WORKLOAD_TYPE" in properties else None
        for kernel in kernels:
            if isinstance(kernel, NPUGraph):
                kernel.change(level, priority, efficient)

    @property
    def profile(self) -> Profile:
        """The device's operators, their limits, and its figures."""
        return self.options.profile

    @property
    def target(self) -> Target:
        """The target that runs are compiled for: the profile with the options applied."""
        return self.options.target

    def version(self) -> str:
        """The profile, the target of its programs, and every option that is not at its default."""
        changes = (f"{name}={value}" for name, value in self.options.changes().items())
        return ", ".join((self.profile.name, described(self.target), *changes))

    def estimate_transfer(self, tensor: Tensor) -> float | None:
        """The estimated cost of crossing where both neighbors of the tensor take it in the usual layout.

        Tensors of four dimensions are packed from NHWC to NCHW by the copy that crosses, or, with the compute layout
        NHWC, by one more transfer on the device.
        """
        from .cost.crossing import crossing_us

        return crossing_us(tensor, self.target)

    def supports(self, kernel: Kernel) -> SupportResult:
        """The claim for a kernel, or the first reason against it. Changes nothing; a claimed kernel compiles."""
        from .operators.claims import claim

        profile = self.options.claiming
        result, log = claim(kernel, profile), self.log
        if not isinstance(result, Rejected):
            result = check_options(kernel, op_type_of(kernel), profile, self.options) or result
        if isinstance(result, Rejected):
            log.write("LOG_DEBUG", "'%s' (%s) rejected: %s: %s", kernel.name, kernel.type, result.code, result.reason)
        else:
            log.write("LOG_TRACE", "'%s' (%s) claimed", kernel.name, kernel.type)
        return result

    def limits(self) -> DelegateLimits:
        """The profile's limit of dimensions, and the permutations that it has, where it has not all of them."""
        from .operators.op_transpose import LAYOUT_CHANGES

        only_layouts = self.profile.limits.transpose_layouts_only
        return DelegateLimits(self.profile.max_rank, LAYOUT_CHANGES if only_layouts else None)

    def unmatched(self, kernels: Sequence[Kernel], removed: Sequence[Source]) -> Sequence[str]:
        """The names of custom layers that no node of the model has."""
        return unmatched_layers(kernels, removed, self.options)

    def create_graph_kernel(self, run: Sequence[Kernel], model: DelegateModel) -> Kernel:
        """Compiles a run into an ``NPUGraph``, named NpuGraph0, NpuGraph1, ... within the model.

        Parts of the run that no tensor connects are compiled, loaded and run each by itself.

        Raises:
            DelegateBuildError: the run cannot be compiled.
        """
        from .execution.compiled_models import compiled_models, graph_of
        from .execution.importing import origin_of

        boundary, target = model.boundary_of(run), self.target
        tell, keeps = partial(self.log.write, "LOG_DEBUG", "%s"), self._uses_driver_cache()
        try:
            models = compiled_models(run, boundary, target, self._device_for(target), tell, keeps=keeps)
        except DelegateBuildError as e:
            self.log.write("LOG_ERROR", "cannot compile '%s' to '%s': %s", run[0].name, run[-1].name, e)
            raise
        name, origin = self._next_name(model), origin_of(self.options)
        if (log := self.log).writes("LOG_INFO"):
            said = name, counted(len(run), "kernel"), counted(len(models), "program"), described(target)
            log.write("LOG_INFO", "compiled %s: %s, %s, %s", *said)
        return graph_of(name, boundary, models, origin).with_log(log)

    def import_blob(self, source: bytes | bytearray | memoryview | str | PathLike[str]) -> NPUGraph:
        """A graph kernel from the blob of ``NPUGraph.export_blob``, ready to execute, with tensors of its own.

        Options that decide how runs are compiled come from the blob; the other options come from this delegate.

        Args:
            source: the bytes, or the path of a file that has them.

        Raises:
            ModelFormatError: the source is no blob, was cut or altered, or was written by a newer release.
            DelegateBuildError: the blob was compiled for another device.
            DelegateUnavailable: the device is not there.
        """
        from .blob import open_blob
        from .execution.importing import imported

        self.init()
        graph = imported(open_blob(source), self.options, self._device_for).with_log(self.log)
        graph.prepare()
        return graph

    def cache_key(self) -> Mapping[str, str]:
        """Profile, architecture, driver, and the options in ``CACHING_PROPERTIES``; files count by their contents."""
        from .execution.importing import key_of

        return key_of(self.options)

    def export_kernel(self, kernel: Kernel) -> bytes | None:
        """The blob of a graph kernel, see ``NPUGraph.export_blob``; None for a kernel of another delegate."""
        from .execution.graph import NPUGraph

        return kernel.export_blob() if isinstance(kernel, NPUGraph) else None

    def import_kernel(self, data: memoryview, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> NPUGraph:
        """The graph kernel of a blob, see ``import_blob``, for tensors of the blob's element types and shapes."""
        from .blob import open_blob
        from .execution.importing import bound_to, imported

        graph = imported(open_blob(data), self.options, self._device_for).with_log(self.log)
        return bound_to(graph, inputs, outputs)

    def check_import(self, key: Mapping[str, str]) -> None:
        """Profile, driver and architecture have to be this device's, and there must be as many tiles as are needed."""
        from .execution.importing import check_key

        check_key(key, self.options)

    def _device_for(self, target: Target) -> Device:
        """Where models of a target are loaded: the device, or where that is not there, one that loads nothing."""
        return _device_of(target.profile, present=False) if self.options.is_off_device else self.device

    def _uses_driver_cache(self) -> bool:
        """False where the user does not want the driver's cache, or another cache keeps the compiled programs."""
        return not self.options.is_on("NPU_BYPASS_UMD_CACHING") and not result_is_kept()

    def _next_name(self, model: DelegateModel) -> str:
        if model not in self._names:
            self._names[model] = _free_names({kernel.name for kernel in model})
        return next(self._names[model])


def _free_names(taken: Collection[str]) -> Iterator[str]:
    """The names NpuGraph0, NpuGraph1, ... that are not taken."""
    return (name for number in count() if (name := f"NpuGraph{number}") not in taken)


def _place_of(device_id: str) -> tuple[str, str]:
    """Platform or profile, and the number behind it: ("4000", "1") for "4000.1"."""
    found = re.fullmatch(r"(.+?)(?:\.(\d+))?", device_id, re.DOTALL)
    assert found is not None
    return found[1], found[2] or ""


def _why_away(device: Device) -> str:
    """Why a device is not there, whatever a profile or options say; "" where it may be."""
    return "" if device.present else "there is no device"


def _device_of(profile: Profile, *, present: bool = True) -> Device:
    memory = profile.memory
    capacity = Capacity(dram=memory.dram_bytes, scratchpad=profile.compute.tiles * memory.scratchpad_bytes)
    return Device(present=present, memory=capacity, dma_engines=memory.dma_engines)
