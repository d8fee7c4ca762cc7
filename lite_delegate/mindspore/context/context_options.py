"""How a model is planned and run, wherever it runs: the settings of a context that name no device."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...cache import CacheOptions
from ...inference.properties.cache_properties import cache_options, cache_values
from ...inference.properties.context_properties import BUILDING
from ...partition import PartitionOptions
from ...partition.placement import KernelTimes
from .device_info import CpuDevice
from .property_view import Valued, flag, limit, number, word
from .setting import Setting, check_type, of_type, or_none

if TYPE_CHECKING:
    from ...inference.shapes.given_shapes import InputShapes
    from ...trying.trier import Trier

_NO_SHAPES: InputShapes = MappingProxyType({})


def _kernel_times(name: str, value: KernelTimes | str | os.PathLike[str] | None) -> KernelTimes | str | None:
    """Kernel times, or the path of their file as a str."""
    if value is None or isinstance(value, KernelTimes):
        return value
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be KernelTimes or a path, but got {type(value).__name__}.")
    return os.fspath(value)


def _input_shapes(name: str, value: InputShapes) -> InputShapes:
    """A copy of the shapes.

    Raises:
        TypeError: no mapping.
        InputError: a key or a dimension that is no such thing.
    """
    from ...inference.shapes.given_shapes import shapes_of

    check_type(name, value, Mapping)
    shapes_of(value)
    return MappingProxyType({key: tuple(dims) for key, dims in value.items()})


class ContextOptions(Valued):
    """How a model is planned and run. Each is read when a model is built or resized, unless it says otherwise."""

    strict = flag(
        "STRICT",
        """True: building a model fails if any kernel would run on the CPU. False, the default: it falls back.

        Control flow, tensor lists and assignments do not count: the runtime itself runs them, on any device.
        """,
    )

    input_shapes = Setting(
        _NO_SHAPES,
        _input_shapes,
        """The shapes of inputs of which a model's file leaves dimensions open, by name or position; none by default.

        A dimension is a number, or a pair (least, most) where it may be another in each prediction: as ``shapes`` of
        ``Core.compile_model``. A model has the shapes that are given: another one is for ``resize``. It is read when a
        model is built; names must be those of the model.

        Raises:
            TypeError: (setting it) no mapping.
            InputError: (setting it; a ValueError) a key or a dimension that is no such thing.
        """,
    )

    require_delegates = flag(
        "REQUIRE_DELEGATES",
        """Whether a delegate whose device is not there is an error; False, the default: others run what it would.

        The error is a ``DelegateUnavailable``. Unlike ``strict`` it lets a delegate leave kernels to the CPU.
        """,
    )

    plan_only = flag(
        "PLAN_ONLY",
        """True: a model is planned and compiled for its report, and cannot predict: no weights are packed or loaded.

        False, the default: it can. It is read when a model is built or resized.
        """,
    )

    on_delegate_error = word(
        "ON_DEVICE_ERROR",
        """The fate of a prediction in which a delegate's graph kernel fails.

        "raise", the default: ``predict`` raises ``DelegateExecuteError``. "fallback": the CPU kernels of the nodes that
        the graph kernel stands for run in its place, with one ``DelegateWarning`` and an entry in the report. A graph
        kernel whose device is lost (``DeviceLost``) is not asked again; after any other failure it is, with the next
        prediction. It is read when a model is built or resized, and cannot be "fallback" where ``strict`` is set.

        Raises:
            TypeError: (setting it) not a str.
            ValueError: (setting it) neither of the two.
        """,
    )

    registry = BUILDING

    def __init__(self) -> None:
        super().__init__()
        self.cpu = CpuDevice()
        self._trier: Trier | None = None

    @property
    def try_first(self) -> float | None:
        """Seconds that a helper process has to try each subgraph of a delegate that may end its process; None: no try.

        None is the default. Where it is set, a subgraph is first built, prepared and executed once on random inputs in
        a helper process (with ``plan_only`` it is built only). Where that process crashes, ends or gives no answer, the
        subgraph counts as one that the delegate cannot compile, and nothing of it is built in this process. Delegates
        that cannot be made again in another process are not tried, and the report says so. The helper process ends with
        the context and the models that were built with it. It is read when a model is built or resized. Scripts need
        the usual ``if __name__ == "__main__":`` around their own work.

        Raises:
            TypeError: (setting it) no number.
            ValueError: (setting it) not above 0.
        """
        return None if self._trier is None else self._trier.seconds

    @try_first.setter
    def try_first(self, try_first: float | None) -> None:
        if try_first is None:
            self._trier = None
            return
        if isinstance(try_first, bool) or not isinstance(try_first, int | float):
            raise TypeError(f"try_first must be a number of seconds or None, but got {type(try_first).__name__}.")
        if not try_first > 0:
            raise ValueError(f"try_first must be above 0 seconds, but got {try_first}.")
        from ...trying.trier import Trier

        self._trier = Trier(float(try_first))

    @property
    def trier(self) -> Trier | None:
        """What tries subgraphs first, as ``try_first`` says."""
        return self._trier

    optimize = word(
        "OPTIMIZE",
        """The optimization of a model that is imported from ONNX or TFLite, and of the plans of every model.

        "general", the default: constants are folded, operators fused and transposes removed, as
        ``lite-delegate convert`` does, but not for ``.ms`` files and graphs in memory; and in the plan of any model
        what follows from the shapes of the inputs is constant. "none": the graph runs as it was imported. It is read
        when a model is built; the part about plans also when it is resized.

        Raises:
            TypeError: (setting it) not a str.
            ValueError: (setting it) neither of the two.
        """,
    )

    rewrite = flag(
        "REWRITE",
        """True, the default: what exceeds a delegate's limits is put in an equal form that does not.

        ``Delegate.limits`` says what the limits are, the report what was rewritten. False: delegates are asked about
        the nodes as they are, and those that hand over others which are faster (``DelegateModel.rewrites``) do not. It
        is read when a model is built or resized.

        Raises:
            TypeError: (setting it) not a bool.
        """,
    )

    partition = Setting(
        PartitionOptions(),
        of_type(PartitionOptions),
        """How models are split between the delegate and the CPU. It is read when a model is built or resized.

        Raises:
            TypeError: (setting it) no PartitionOptions.
        """,
    )

    kernel_times = Setting(
        None,
        _kernel_times,
        """Times of kernels, for ``PartitionOptions.placement = "cost"``; it is read when a model is built or resized.

        ``KernelTimes``, as ``Model.calibrate`` gives them, or the path of a file that has them. They must be for the
        model, its shapes, the delegate and this machine. None, the default: CPU times are measured while the model is
        built, device times are the delegate's estimates; the report says so.

        Raises:
            TypeError: (setting it) neither of these.
        """,
    )

    @property
    def cache(self) -> CacheOptions | None:
        """The cache of compiled models: a folder, and how it is used. None, the default: none.

        ``Model.build_from_file`` and ``build_from_graph`` then compile what has not been compiled for these delegates
        and settings before, in any process; ``CompiledModel.cache_outcome`` says what happened.
        """
        return cache_options(self.values)

    @cache.setter
    def cache(self, cache: CacheOptions | None) -> None:
        self.set_values(cache_values(or_none(CacheOptions)("cache", cache)))

    memory_limit = limit(
        "MEMORY_LIMIT",
        """The most bytes that a prediction may take; it is read when a model is built or resized.

        None, the default: what is at hand, of the machine, the control group and the process's own limits. A model that
        would take more is a ``LimitError`` that names the node, before anything is allocated. A limit that was set
        counts alone, also where it is more than what is at hand.

        Raises:
            TypeError: (setting it) neither an int nor None.
            ValueError: (setting it) below 1.
        """,
    )

    copy_weights = flag(
        "ENABLE_MMAP",
        """Whether the files of a model (its own, those beside it, a compiled model's) are read into memory when it is
        built. False, the default: they are mapped, and their pages are read when somebody looks at them.

        A mapped file must not be cut or written to while the model lives: a page that is not there any more ends the
        process with SIGBUS, and no exception. Replacing it by renaming another file is safe. A copy takes the memory of
        all weights at once.

        Raises:
            TypeError: (setting it) not a bool.
        """,
        is_opposite=True,
    )

    step_limit = number(
        "STEP_LIMIT",
        """The most steps of one prediction: calls that the model's loops make, and millions of terms of one kernel.

        The default is a million. Terms are products and elements of windows. What exceeds the limit is a
        ``LimitError`` that names the node: of a kernel before it runs, of a loop when it gets there. It is read when a
        model is built or resized.

        Raises:
            TypeError: (setting it) not an int.
            ValueError: (setting it) below 1.
        """,
    )
