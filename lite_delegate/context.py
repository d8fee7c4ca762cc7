"""Context: where and how a model runs. Names and defaults of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from .cache import CacheOptions
from .delegate import Delegate
from .device_info import AscendDevice, CpuDevice, GpuDevice, check_type, checked_choice, checked_limit
from .npu_device import NpuDevice
from .parallel_info import ParallelInfo
from .partition import PartitionOptions
from .partition.placement import KernelTimes
from .properties import Layer, Values
from .runtime.binding.host import CustomInfer, CustomOperator, CustomRun
from .runtime.budget import DEFAULT_STEPS
from .runtime.settings import check_delegate_names

_TARGETS = ("cpu", "npu", "gpu", "ascend")
_ON_ERROR = ("raise", "fallback")
_OPTIMIZE = ("none", "general")


class Context:
    """Where and how a model runs.

    Besides what ``mindspore_lite.Context`` has: ``set_delegate``, ``set_delegates``, ``strict``,
    ``plan_only``, ``on_delegate_error``, ``optimize``, ``rewrite``, ``partition``, ``memory_limit``, ``step_limit`` and
    ``register_custom``.
    """

    def __init__(self) -> None:
        self._target = ["cpu"]
        self._delegates: tuple[Delegate, ...] = ()
        self._strict = False
        self._plan_only = False
        self._on_delegate_error = "raise"
        self._optimize = "general"
        self._rewrite = True
        self._partition = PartitionOptions()
        self._kernel_times: KernelTimes | str | None = None
        self._customs: dict[str, CustomOperator] = {}
        self._group_info_file = ""
        self._memory_limit: int | None = None
        self._step_limit = DEFAULT_STEPS
        self.cpu = CpuDevice()
        self.gpu = GpuDevice()
        self.ascend = AscendDevice()
        self._cache: CacheOptions | None = None
        self._properties: Values | None = None
        self.npu = NpuDevice()
        self.parallel = ParallelInfo()

    @property
    def target(self) -> list[str]:
        """Devices in order of preference: "cpu", "npu", "gpu", "ascend"; the CPU is always there as the last resort.

        "npu" before "cpu" is the built-in NPU as ``npu`` says, after the delegates that were set; behind the CPU, which
        takes all, it has nothing to do.
        """
        return list(self._target)

    @target.setter
    def target(self, target: list[str] | None) -> None:
        if not target:
            self._target = ["cpu"]
            return
        check_type("target", target, list)
        for name in target:
            check_type("target element", name, str)
            if name.lower() not in _TARGETS:
                raise ValueError(f"target elements must be in {list(_TARGETS)}, got {name!r}.")
        self._target = [name.lower() for name in target]

    @property
    def group_info_file(self) -> str:
        """The communication group of a distributed run; kept for scripts that set it, without effect here."""
        return self._group_info_file

    @group_info_file.setter
    def group_info_file(self, group_info_file: str) -> None:
        check_type("group_info_file", group_info_file, str)
        self._group_info_file = group_info_file

    def set_delegate(self, delegate: Delegate | None) -> None:
        """The delegate that is asked for every kernel before the CPU is; None for none.

        Raises:
            TypeError: not a Delegate.
        """
        self.set_delegates([] if delegate is None else [delegate])

    def set_delegates(self, delegates: Sequence[Delegate]) -> None:
        """Several delegates in order of preference: each is asked for what those before it left, the CPU has the rest.

        Each gets what it claims in the fewest subgraphs that are possible after what the ones before it took. The
        fewest subgraphs of all of them together are another matter: with three devices and more (the CPU is one) that
        is NP-hard.

        Raises:
            TypeError: one is no Delegate.
            ValueError: two have the same name, by which reports and plans tell them apart, or one is called "CPU".
        """
        delegates = tuple(delegates)
        for delegate in delegates:
            check_type("delegate", delegate, Delegate)
        check_delegate_names([delegate.name for delegate in delegates])
        self._delegates = delegates

    @property
    def delegate(self) -> Delegate | None:
        """The delegate that was set; the first of several."""
        return self._delegates[0] if self._delegates else None

    @property
    def delegates(self) -> tuple[Delegate, ...]:
        """The delegates that were set, in order of preference."""
        return self._delegates

    def register_custom(self, type: str, run: CustomRun, infer: CustomInfer | None = None) -> None:
        """The CPU kernel of Custom nodes of one type, for models built with this context from now on.

        NOTE: MindSpore Lite registers such kernels for the whole process, by provider and type.

        Args:
            type: the ``type`` attribute of the nodes.
            run: called with the input arrays (None for an absent one), which it must not write to, and the node's
                attributes by name; gives the output array, or a list of them.
            infer: called with an ``ArraySpec`` per input (its ``value`` set for a constant) and the attributes;
                gives the ``ArraySpec`` of the output, or a list of them. Without it outputs have the type that the
                model file declares, and its shape as long as the model's inputs have the declared shapes.

        Raises:
            TypeError: ``type`` is no string, or ``run`` or ``infer`` cannot be called.
            ValueError: the type has been registered already.
        """
        check_type("type", type, str)
        if not callable(run) or not (infer is None or callable(infer)):
            raise TypeError(f"run and infer of custom operator '{type}' must be callable, but got {run!r}, {infer!r}.")
        if type in self._customs:
            raise ValueError(f"A kernel for custom operator '{type}' is registered already.")
        self._customs[type] = CustomOperator(type, run, infer)

    @property
    def custom_operators(self) -> Mapping[str, CustomOperator]:
        """The operators that were registered for Custom nodes, by type."""
        return dict(self._customs)

    @property
    def strict(self) -> bool:
        """True: building a model fails if any kernel would run on the CPU. False, the default: it falls back.

        Control flow, tensor lists and assignments do not count: the runtime itself runs them, on any device.
        """
        return self._strict

    @strict.setter
    def strict(self, strict: bool) -> None:
        check_type("strict", strict, bool)
        self._strict = strict

    @property
    def plan_only(self) -> bool:
        """True: a model is planned and compiled for its report, and cannot predict: no weights are packed or loaded.

        False, the default: it can. It is read when a model is built or resized.
        """
        return self._plan_only

    @plan_only.setter
    def plan_only(self, plan_only: bool) -> None:
        check_type("plan_only", plan_only, bool)
        self._plan_only = plan_only

    @property
    def on_delegate_error(self) -> str:
        """The fate of a prediction in which a delegate's graph kernel fails.

        "raise", the default: ``predict`` raises ``DelegateExecuteError``. "fallback": the CPU kernels of the nodes that
        the graph kernel stands for run in its place, with one ``DelegateWarning`` and an entry in the report. A graph
        kernel whose device is lost (``DeviceLost``) is not asked again; after any other failure it is, with the next
        prediction. It is read when a model is built or resized, and cannot be "fallback" where ``strict`` is set.

        Raises:
            TypeError: (setting it) not a str.
            ValueError: (setting it) neither of the two.
        """
        return self._on_delegate_error

    @on_delegate_error.setter
    def on_delegate_error(self, on_delegate_error: str) -> None:
        self._on_delegate_error = checked_choice("on_delegate_error", on_delegate_error, _ON_ERROR)

    @property
    def optimize(self) -> str:
        """The optimization of a model that is imported from ONNX or TFLite, and of the plans of every model.

        "general", the default: constants are folded, operators fused and transposes removed, as
        ``lite-delegate convert`` does, but not for ``.ms`` files and graphs in memory; and in the plan of any model
        what follows from the shapes of the inputs is constant. "none": the graph runs as it was imported. It is read
        when a model is built; the part about plans also when it is resized.

        Raises:
            TypeError: (setting it) not a str.
            ValueError: (setting it) neither of the two.
        """
        return self._optimize

    @optimize.setter
    def optimize(self, optimize: str) -> None:
        self._optimize = checked_choice("optimize", optimize, _OPTIMIZE)

    @property
    def rewrite(self) -> bool:
        """True, the default: what exceeds a delegate's limits is put in an equal form that does not.

        ``Delegate.limits`` says what the limits are, the report what was rewritten. False: delegates are asked about
        the nodes as they are, and those that hand over others which are faster (``DelegateModel.rewrites``) do not. It
        is read when a model is built or resized.

        Raises:
            TypeError: (setting it) not a bool.
        """
        return self._rewrite

    @rewrite.setter
    def rewrite(self, rewrite: bool) -> None:
        check_type("rewrite", rewrite, bool)
        self._rewrite = rewrite

    @property
    def partition(self) -> PartitionOptions:
        """How models are split between the delegate and the CPU. It is read when a model is built or resized.

        Raises:
            TypeError: (setting it) no PartitionOptions.
        """
        return self._partition

    @partition.setter
    def partition(self, partition: PartitionOptions) -> None:
        check_type("partition", partition, PartitionOptions)
        self._partition = partition

    @property
    def kernel_times(self) -> KernelTimes | str | None:
        """Times of kernels, for ``PartitionOptions.placement = "cost"``; it is read when a model is built or resized.

        ``KernelTimes``, as ``Model.calibrate`` gives them, or the path of a file that has them. They must be for the
        model, its shapes, the delegate and this machine. None, the default: CPU times are measured while the model is
        built, device times are the delegate's estimates; the report says so.

        Raises:
            TypeError: (setting it) neither of these.
        """
        return self._kernel_times

    @kernel_times.setter
    def kernel_times(self, kernel_times: KernelTimes | str | os.PathLike[str] | None) -> None:
        if kernel_times is None or isinstance(kernel_times, KernelTimes):
            self._kernel_times = kernel_times
            return
        if not isinstance(kernel_times, str | os.PathLike):
            raise TypeError(f"kernel_times must be KernelTimes or a path, but got {type(kernel_times).__name__}.")
        self._kernel_times = os.fspath(kernel_times)

    @property
    def cache(self) -> CacheOptions | None:
        """The cache of compiled models: a folder, and how it is used. None, the default: none.

        ``Model.build_from_file`` and ``build_from_graph`` then compile what has not been compiled for these delegates
        and settings before, in any process; ``CompiledModel.cache_outcome`` says what happened.
        """
        return self._cache

    @cache.setter
    def cache(self, cache: CacheOptions | None) -> None:
        if cache is not None and not isinstance(cache, CacheOptions):
            raise TypeError(f"cache must be CacheOptions or None, but got {type(cache).__name__}.")
        self._cache = cache

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties by the names that ``Core`` has for them, all of them or none, for models that are built next.

        Some are other names of what a context has: CACHE_* and REQUIRE_CACHED of ``cache``, ON_DEVICE_ERROR of
        ``on_delegate_error``, DISABLE_TRANSFORMATIONS of ``optimize`` and ``rewrite`` together, and
        INFERENCE_NUM_THREADS and CPU_BACKENDS of ``cpu.thread_num`` and ``cpu.backends``. What delegates have is set on
        each that has it.

        Raises:
            PropertyError: neither the context nor a delegate has such a property, or the value is not allowed.
        """
        from .inference.cache_properties import CACHE_PROPERTIES, cache_options
        from .inference.context_properties import NONE_SET, OWN, checked

        before = self._properties or NONE_SET
        live = {name: value for name, value in live_values(self).items() if value != before.value(name)}
        own, theirs = checked(before.with_layer(Layer.FLAT, live), delegates_of(self), properties)
        for delegate, values in theirs:
            (delegate if delegate in self._delegates else self.npu).set_property(values)
        names = {OWN.find(name).name for name in properties if name in OWN}
        self._properties = own
        if names & {spec.name for spec in CACHE_PROPERTIES}:
            self._cache = cache_options(own)
        if "ON_DEVICE_ERROR" in names:
            self._on_delegate_error = str(own.value("ON_DEVICE_ERROR")).lower()
        if "DISABLE_TRANSFORMATIONS" in names:
            self._rewrite = not own.value("DISABLE_TRANSFORMATIONS")
            self._optimize = "general" if self._rewrite else "none"
        if "INFERENCE_NUM_THREADS" in names:
            self.cpu.thread_num = int(str(own.value("INFERENCE_NUM_THREADS")))
        if "CPU_BACKENDS" in names:
            self.cpu.backends = str(own.value("CPU_BACKENDS")).lower()

    @property
    def own_properties(self) -> Values | None:
        """What was set by ``set_property`` and is of no delegate; None for nothing."""
        return self._properties

    def get_property(self, key: str) -> object:
        """The value of a property that the context has, or the first delegate that has it.

        Raises:
            PropertyError: neither has it; the message has those that are close.
        """
        from .inference.context_properties import NONE_SET, OWN, value_of

        own = self._properties or NONE_SET
        values = {spec.name: own.value(spec.name) for spec in OWN}
        return value_of({**values, **live_values(self)}, delegates_of(self), key)

    @property
    def memory_limit(self) -> int | None:
        """The most bytes that a prediction may take; it is read when a model is built or resized.

        None, the default: what is at hand, of the machine, the control group and the process's own limits. A model that
        would take more is a ``LimitError`` that names the node, before anything is allocated. A limit that was set
        counts alone, also where it is more than what is at hand.

        Raises:
            TypeError: (setting it) neither an int nor None.
            ValueError: (setting it) below 1.
        """
        return self._memory_limit

    @memory_limit.setter
    def memory_limit(self, memory_limit: int | None) -> None:
        self._memory_limit = None if memory_limit is None else checked_limit("memory_limit", memory_limit)

    @property
    def step_limit(self) -> int:
        """The most steps of one prediction: calls that the model's loops make, and millions of terms of one kernel.

        The default is a million. Terms are products and elements of windows. What exceeds the limit is a
        ``LimitError`` that names the node: of a kernel before it runs, of a loop when it gets there. It is read when a
        model is built or resized.

        Raises:
            TypeError: (setting it) not an int.
            ValueError: (setting it) below 1.
        """
        return self._step_limit

    @step_limit.setter
    def step_limit(self, step_limit: int) -> None:
        self._step_limit = checked_limit("step_limit", step_limit)

    def __str__(self) -> str:
        return f"target: {self._target}."


def delegates_of(context: Context) -> tuple[Delegate, ...]:
    """The delegates that were set, and that of the NPU where it stands before the CPU; one of them may be it."""
    target, given = context.target, context.delegates
    wanted = "npu" in target and ("cpu" not in target or target.index("npu") < target.index("cpu"))
    if not wanted or any(delegate.name == "npu" for delegate in given):
        return given
    return (*given, context.npu.delegate())


def live_values(context: Context) -> dict[str, object]:
    """The values of properties that are other names of what a context has."""
    cache = context.cache
    found: dict[str, object] = {
        "ON_DEVICE_ERROR": context.on_delegate_error.upper(),
        "DISABLE_TRANSFORMATIONS": context.optimize == "none" and not context.rewrite,
        "INFERENCE_NUM_THREADS": context.cpu.thread_num,
        "CPU_BACKENDS": context.cpu.backends.upper(),
    }
    if cache is None:
        return {**found, "CACHE_DIR": "", "REQUIRE_CACHED": False}
    secret = cache.encryption
    return {
        **found,
        "CACHE_DIR": os.fspath(cache.folder),
        "CACHE_MODE": cache.mode,
        "CACHE_SIZE": cache.size,
        "CACHE_WAIT_MS": cache.wait_ms,
        "CACHE_BLOB_ID": cache.blob_id,
        "REQUIRE_CACHED": cache.required,
        "CACHE_ENCRYPTION_CALLBACKS": None if secret is None else (secret.encrypt, secret.decrypt),
    }
