"""Context: the devices and options with which a model runs. Names and defaults of the ``mindspore_lite`` package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...basics.words.one_line import OneLine, quoted, some
from ...delegate import Delegate
from ...inference.properties.context_properties import checked, value_of
from ...runtime.binding.host import CustomInfer, CustomOperator, CustomRun
from ...runtime.settings import check_delegate_names
from .context_options import ContextOptions
from .device_info import AscendDevice, GpuDevice
from .npu_device import NpuDevice
from .parallel_info import ParallelInfo
from .setting import check_type

_TARGETS = ("cpu", "npu", "gpu", "ascend")


class Context(ContextOptions, OneLine):
    """The devices that a model runs on, and, as ``ContextOptions``, the options of its runs.

    Beyond ``mindspore_lite.Context``, there are ``set_delegate``, ``set_delegates``, ``register_custom``, properties
    by name, and the ``ContextOptions``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._target = ["cpu"]
        self._delegates: tuple[Delegate, ...] = ()
        self._customs: dict[str, CustomOperator] = {}
        self._group_info_file = ""
        self.gpu = GpuDevice()
        self.ascend = AscendDevice()
        self.npu = NpuDevice()
        self.parallel = ParallelInfo()

    @property
    def target(self) -> list[str]:
        """Devices in order of preference: "cpu", "npu", "gpu", "ascend"; the CPU is always there as the last resort.

        "npu" before "cpu" is the built-in NPU with the settings of ``npu``, after the delegates that were set. Behind
        the CPU, which takes all nodes, the NPU has no effect.
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
        """The communication group of a distributed run; the value is kept for scripts, and has no effect here."""
        return self._group_info_file

    @group_info_file.setter
    def group_info_file(self, group_info_file: str) -> None:
        check_type("group_info_file", group_info_file, str)
        self._group_info_file = group_info_file

    def set_delegate(self, delegate: Delegate | None) -> None:
        """Sets the delegate that is asked for every node before the CPU; None: no delegate.

        Raises:
            TypeError: the object is no Delegate.
        """
        self.set_delegates([] if delegate is None else [delegate])

    def set_delegates(self, delegates: Sequence[Delegate]) -> None:
        """Sets several delegates in order of preference: each is asked for the nodes that earlier delegates left.

        The CPU has the remaining nodes. Each delegate gets its claimed nodes in the fewest subgraphs that earlier
        delegates leave possible. The fewest subgraphs of all delegates together are not sought: with three devices or
        more, the CPU included, this problem is NP-hard.

        Raises:
            TypeError: an object is no Delegate.
            ValueError: two delegates have one name, which reports and plans need to be unique, or a delegate is called
                "CPU".
        """
        delegates = tuple(delegates)
        for delegate in delegates:
            check_type("delegate", delegate, Delegate)
        check_delegate_names([delegate.name for delegate in delegates])
        self._delegates = delegates

    @property
    def delegate(self) -> Delegate | None:
        """The delegate that was set; the first delegate of several."""
        return self._delegates[0] if self._delegates else None

    @property
    def delegates(self) -> tuple[Delegate, ...]:
        """The delegates that were set, in order of preference."""
        return self._delegates

    def register_custom(self, type: str, run: CustomRun, infer: CustomInfer | None = None) -> None:
        """Registers the CPU kernel of Custom nodes of one type, for models built with this context from now on.

        NOTE: MindSpore Lite registers such kernels for the whole process, by provider and type.

        Args:
            type: the ``type`` attribute of the nodes.
            run: called with the input arrays (None for an absent input), which it must not write to, and the node's
                attributes by name; gives the output array, or a list of output arrays.
            infer: called with an ``ArraySpec`` per input (its ``value`` set for a constant) and the attributes;
                gives the ``ArraySpec`` of the output, or a list of ``ArraySpec``. Without ``infer`` outputs have the
                type that the model file declares, and the declared shape while the model's inputs have theirs.

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
        """The registered operators of Custom nodes, by type."""
        return dict(self._customs)

    def set_property(self, properties: Mapping[str, object]) -> None:
        """Sets properties by ``Core``'s names, all of them or none, for models that are built from now on.

        Some properties are other names of attributes: CACHE_* and REQUIRE_CACHED of ``cache``, ON_DEVICE_ERROR of
        ``on_delegate_error``, DISABLE_TRANSFORMATIONS of ``optimize`` and ``rewrite`` together, INFERENCE_NUM_THREADS
        and CPU_BACKENDS of ``cpu.thread_num`` and ``cpu.backends``; ENABLE_MMAP is the opposite of ``copy_weights``. A
        property of delegates is set on each delegate that has it.

        Raises:
            PropertyError: neither the context nor a delegate has such a property, or the value is not allowed.
        """
        own, cpu, theirs = checked(self.values, self.cpu.values, delegates_of(self), properties)
        for delegate, values in theirs:
            (delegate if delegate in self._delegates else self.npu).set_property(values)
        self.set_values(own)
        self.cpu.set_values(cpu)

    def get_property(self, key: str) -> object:
        """The value of a property of the context, or of the first delegate that has the property.

        Raises:
            PropertyError: neither the context nor a delegate has the property; the message has similar names.
        """
        return value_of((self.values, self.cpu.values), delegates_of(self), key)

    def __str__(self) -> str:
        return f"target: {self._target}."

    def _line(self) -> str:
        devices = [*(each.name for each in self._delegates), *self._target]
        return f"for {some(map(quoted, devices))}"


def delegates_of(context: Context) -> tuple[Delegate, ...]:
    """The delegates that were set, and the NPU's delegate where "npu" stands before "cpu" and no delegate is "npu"."""
    target, given = context.target, context.delegates
    wanted = "npu" in target and ("cpu" not in target or target.index("npu") < target.index("cpu"))
    if not wanted or any(delegate.name == "npu" for delegate in given):
        return given
    return (*given, context.npu.delegate())
