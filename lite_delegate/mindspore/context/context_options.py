"""ContextOptions: the options of a context for planning and running a model, which name no device."""

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
from .property_view import Valued, flag, limit, number, path, word
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
        TypeError: the shapes are no mapping.
        InputError: a key is no name or position, or a dimension is no number or range.
    """
    from ...inference.shapes.given_shapes import shapes_of

    check_type(name, value, Mapping)
    shapes_of(value)
    return {key: tuple(dims) for key, dims in value.items()}


class ContextOptions(Valued):
    """The options for planning and running a model. Each option is read when a model is built or resized."""

    strict = flag(
        "STRICT",
        """True: building a model fails if any kernel would run on the CPU. False, the default: the CPU runs it.

        Control flow, tensor lists and assignments do not count: the runtime itself runs them, on any device.
        """,
    )

    input_shapes = Setting(
        _NO_SHAPES,
        _input_shapes,
        """The shapes of inputs with open dimensions in the model's file, by name or position; none by default.

        A dimension is a number, or a pair (least, most) where the size may differ in each prediction: as ``shapes`` of
        ``Core.compile_model``. A model keeps the given shapes until ``resize``. The option is read when a model is
        built; its names must be names of the model's inputs.

        Raises:
            TypeError: (setting it) the shapes are no mapping.
            InputError: (setting it; a ValueError) a key is no name or position, or a dimension no number or range.
        """,
    )

    require_delegates = flag(
        "REQUIRE_DELEGATES",
        """Whether an absent device of a delegate is an error; False, the default: other devices run the nodes.

        The error is a ``DelegateUnavailable``. Unlike ``strict``, this option lets a delegate leave nodes to the CPU.
        """,
    )

    plan_only = flag(
        "PLAN_ONLY",
        """True: a model is planned and compiled for its report, and cannot predict: no weights are packed or loaded.

        False, the default: the model can predict. The option is read when a model is built or resized.
        """,
    )

    on_delegate_error = word(
        "ON_DEVICE_ERROR",
        """The fate of a prediction in which a delegate's graph kernel fails.

        "raise", the default: ``predict`` raises ``DelegateExecuteError``. "fallback": the CPU kernels of the nodes that
        the graph kernel stands for run in its place, with one ``DelegateWarning`` and an entry in the report. A graph
        kernel whose device is lost (``DeviceLost``) is not run again; after any other failure, the next prediction runs
        it again. The option is read when a model is built or resized, and cannot be "fallback" where ``strict`` is set.

        Raises:
            TypeError: (setting it) the value is no str.
            ValueError: (setting it) the value is neither "raise" nor "fallback".
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

        None is the default. With a number, a subgraph is first built, prepared and executed once on random inputs in a
        helper process (with ``plan_only`` the subgraph is built only). Where the helper process crashes, ends or gives
        no answer, the delegate counts as unable to compile the subgraph, and nothing of the subgraph is built in this
        process. Delegates that cannot be made again in another process are not tried, and the report says so. The
        helper process ends with the context and the models that were built with the context. The option is read when a
        model is built or resized. Scripts need the usual ``if __name__ == "__main__":`` around their own work.

        Raises:
            TypeError: (setting it) the value is no number.
            ValueError: (setting it) the value is not above 0.
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
        """The helper that tries subgraphs in another process, see ``try_first``; None: no try."""
        return self._trier

    optimize = word(
        "OPTIMIZE",
        """The optimization of a model that is imported from ONNX or TFLite, and of the plans of every model.

        "general", the default: constants are folded, operators fused and transposes removed, as
        ``lite-delegate convert`` does, but not for ``.ms`` files and graphs in memory; and in the plan of any model,
        values that follow from the shapes of the inputs are constant. "none": the graph runs as it was imported. The
        option is read when a model is built; its part about plans also when a model is resized.

        Raises:
            TypeError: (setting it) the value is no str.
            ValueError: (setting it) the value is neither "general" nor "none".
        """,
    )

    rewrite = flag(
        "REWRITE",
        """True, the default: nodes that exceed a delegate's limits are rewritten to equal nodes within the limits.

        ``Delegate.limits`` has the limits, and the report has the rewritten nodes. False: delegates are asked about the
        nodes as they are, and a delegate's own faster forms (``DelegateModel.rewrites``) are not used. The option is
        read when a model is built or resized.

        Raises:
            TypeError: (setting it) the value is no bool.
        """,
    )

    partition = Setting(
        PartitionOptions(),
        of_type(PartitionOptions),
        """The split of models between the delegate and the CPU. The option is read when a model is built or resized.

        Raises:
            TypeError: (setting it) the value is no PartitionOptions.
        """,
    )

    kernel_times = Setting(
        None,
        _kernel_times,
        """Times of kernels, for ``PartitionOptions.placement = "cost"``; read when a model is built or resized.

        The value is ``KernelTimes``, as ``Model.calibrate`` gives them, or the path of a file of kernel times. The
        times must be for the model, its shapes, the delegate and this machine. None, the default: CPU times are
        measured while the model is built, device times are the delegate's estimates; the report says so.

        Raises:
            TypeError: (setting it) the value is neither KernelTimes nor a path nor None.
        """,
    )

    @property
    def cache(self) -> CacheOptions | None:
        """The cache of compiled models: a folder, and its use. None, the default: no cache.

        With a cache, ``Model.build_from_file`` and ``build_from_graph`` compile a model only where no process has
        compiled it for these delegates and settings before; ``CompiledModel.cache_outcome`` tells the outcome.
        """
        return cache_options(self.values)

    @cache.setter
    def cache(self, cache: CacheOptions | None) -> None:
        self.set_values(cache_values(or_none(CacheOptions)("cache", cache)))

    memory_limit = limit(
        "MEMORY_LIMIT",
        """The most bytes that a prediction may take; read when a model is built or resized.

        None, the default: the memory at hand, by the machine, the control group and the process's own limits. A model
        that would take more raises a ``LimitError`` that names the node, before anything is allocated. A limit that was
        set counts alone, also where it exceeds the memory at hand.

        Raises:
            TypeError: (setting it) the value is neither an int nor None.
            ValueError: (setting it) the value is below 1.
        """,
    )

    copy_weights = flag(
        "ENABLE_MMAP",
        """Whether a model's files (model, weights, compiled model) are read into memory when the model is built.

        False, the default: the files are mapped, and a page is read at its first use. A mapped file must not be cut or
        written to while the model lives: access to a lost page ends the process with SIGBUS, and no exception.
        Replacing a mapped file by renaming another file is safe. A copy takes the memory of all weights at once.

        Raises:
            TypeError: (setting it) the value is no bool.
        """,
        is_opposite=True,
    )

    samples = path(
        "SAMPLES",
        """A ``.npz`` file of representative inputs, for delegates that choose ranges of quantized numbers by them.

        The file has an array for each input, of which the first axis numbers the samples; ``batch.write_samples`` makes
        one of a data set. For one input, a ``.npy`` file will do. None, the default: no samples. The file is read when
        a model is built or resized, if a delegate of the context asks for samples (``Delegate.wanted_samples``).

        Raises:
            TypeError: (setting it) the value is neither a path nor None.
        """,
    )

    step_limit = number(
        "STEP_LIMIT",
        """The most steps of one prediction: calls that the model's loops make, and millions of terms of one kernel.

        The default is a million. Terms are products and elements of windows. A node that exceeds the limit raises a
        ``LimitError`` with its name: a kernel before it runs, a loop when it reaches the limit. The option is read when
        a model is built or resized.

        Raises:
            TypeError: (setting it) the value is no int.
            ValueError: (setting it) the value is below 1.
        """,
    )
