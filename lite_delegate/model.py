"""Model: load a file, build it for a context, predict. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import TracebackType

from lite_delegate_kernels import Array

from .cache import CacheOutcome
from .context import Context, settings_of
from .delegate import Delegate, Kernel, SpanKind, span
from .device_info import check_type
from .errors import CacheWarning, InputError, LiteDelegateError, ModelClosed
from .forking import free, free_in_children
from .formats.input_shapes import is_open
from .inference.compiled_model import CompiledModel
from .inference.compiling import compile_graph
from .inference.pool import RunnerPool
from .ir import Graph, verify
from .model_config import configured
from .model_type import ModelType
from .model_words import model_words
from .partition.placement import KernelTimes
from .runtime.execution.inputs import check_outputs, checked_dims, declared_inputs, fill_outputs, shapes_of
from .runtime.execution.memory import keep_freed_memory
from .runtime.execution.watching import CHECK_INPUTS, DISPATCH, GIVE_OUTPUTS
from .runtime.lifetimes.session import versions_of
from .runtime.records import PartitionRecord, devices_of
from .runtime.settings import Settings
from .tensor import Tensor, empty_like
from .tensor_meta import TensorMeta
from .warned import Warnings, warn
from .weights import WeightPool, with_weights

Shapes = tuple[tuple[int, ...], ...]
Key = tuple[Shapes, tuple[Delegate, ...], tuple[str, ...]]
"""The key of a plan: shapes of the inputs, delegates, and what their graph kernels depended on (``version``)."""

MAX_PLANS = 16
"""Plans that a model keeps for shapes it was resized to; the oldest goes first."""
CLOSED = "The Model has been closed; make another one."


@dataclass(frozen=True, slots=True, eq=False)
class _Current:
    """All that a model has for the shapes that its inputs have now: all of it changes at once.

    Attributes:
        compiled: for these shapes.
        runners: that wait for predictions.
        inputs: tensors to fill; as long as dimensions are open, with -1 for these.
        shapes: that it was planned for.
        is_open: whether the next prediction may have other shapes, because the file leaves dimensions open and nobody
            has resized the model.
    """

    compiled: CompiledModel
    runners: RunnerPool
    inputs: tuple[Tensor, ...]
    shapes: Shapes
    is_open: bool


class Model:
    """A model, ready to predict once one of the ``build`` methods has returned.

    ``predict`` may be called from several threads at once. ``resize`` waits for no prediction: those under
    way finish with the shapes they started with.

    What delegates hold for it is given back when it is closed (``close``, or the end of ``with Model() as model``), or
    when it is collected.
    """

    def __init__(self) -> None:
        self.model_path_ = ""
        self.provider = ""
        self.lora_name_map: dict[str, str] = {}
        self._context = Context()
        self._current: _Current | None = None
        self._kept: dict[Key, _Current] = {}
        self._is_closed = False
        self._shared_weights: WeightPool | None = None
        self._lock = Lock()
        free_in_children(self)

    def after_fork(self) -> None:
        """Frees, in a child process, a lock that a thread of the parent holds; see ``forking``."""
        free(self._lock)

    def build_from_file(
        self,
        model_path: str | os.PathLike[str],
        model_type: ModelType = ModelType.MINDIR_LITE,
        context: Context | None = None,
        config_path: str = "",
        config_dict: Mapping[str, Mapping[str, str]] | None = None,
        dec_key: bytes | None = None,
        dec_mode: str = "AES-GCM",
        dec_num_parallel: int = 0,
    ) -> None:
        """Reads a model file, asks the context's delegate, and plans the execution.

        What is imported is optimized as ``Context.optimize`` says; a ``.ms`` file has been when it was written. A file
        of a compiled model (``export``) is neither optimized nor split nor compiled: it is what it was.

        Args:
            model_path: the file.
            model_type: MINDIR_LITE or MINDIR, which are alike here: what a file is shows in its bytes (``.ms``,
                ``.onnx``, ``.tflite``, or a compiled model).
            context: where to run; a new ``Context`` when None.
            config_path, config_dict: a file of sections, and sections, whose keys come first: ``[lite_delegate]`` holds
                properties, see ``model_config.configured``; others have no effect here, with a warning.
            dec_key, dec_mode, dec_num_parallel: only None: encrypted models are not supported.

        Raises:
            TypeError: an argument of the wrong type.
            ModelFormatError: the file is missing, damaged, or of a kind that cannot be read.
            DelegateBuildError: the file is of a model that was compiled for other delegates, or for another device.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        if not isinstance(model_path, (str, os.PathLike)):
            raise TypeError(f"model_path must be str, but got {type(model_path).__name__}.")
        context = _checked_context(context)
        _check_build_arguments(model_type)
        _check_not_encrypted(dec_key, dec_mode, dec_num_parallel)
        with Warnings() as said:
            context = configured(context, config_path, config_dict, said)
        from .sections import is_model_file

        path = Path(model_path)
        with Warnings() as said:
            build = self._imported if is_model_file(path) else self._cached_file
            compiled = build(path, context, said)
        self._start(compiled, context)
        self.model_path_ = os.fspath(model_path)

    def build_from_buffer(
        self, data: bytes | bytearray | memoryview, model_type: ModelType, context: Context | None = None
    ) -> None:
        """Like ``build_from_file``, from the bytes of a model file; weights in side files cannot be found.

        Raises:
            TypeError: an argument of the wrong type.
            ModelFormatError: the bytes are damaged or of a kind that cannot be read.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data must be bytes, but got {type(data).__name__}.")
        context = _checked_context(context)
        _check_build_arguments(model_type)
        from .sections import is_model_file

        with Warnings() as said:
            build = self._imported if is_model_file(data) else self._compiled
            compiled = build(data, context, said)
        self._start(compiled, context)

    def build_from_graph(self, graph: Graph, context: Context | None = None) -> None:
        """Like ``build_from_file``, from a graph in memory, which must not be changed afterwards.

        Raises:
            GraphError: the graph breaks a rule.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        context = _checked_context(context)
        verify(graph)
        with Warnings() as said:
            compiled = self._cached_graph(graph, context, said)
        self._start(compiled, context)

    def _imported(
        self, source: Path | bytes | bytearray | memoryview, context: Context, said: list[str]
    ) -> CompiledModel:
        """The compiled model in a file that ``export`` wrote; nobody is asked, so nothing is said."""
        self._check_new()
        from .inference.import_model import import_model

        return import_model(source, settings_of(context))

    def _cached_file(self, path: Path, context: Context, said: list[str]) -> CompiledModel:
        """The model in a file, out of the context's cache where it has one."""
        self._check_new()
        from .inference.preparing import imported_graph

        def graph() -> Graph:
            return self._prepared(imported_graph(path, context.optimize))

        def compiled() -> CompiledModel:
            return compile_graph(graph(), settings_of(context), said)

        if context.cache is None:
            return compiled()
        from .inference.caching import compiled_through_cache, recipe_of_file

        recipe = recipe_of_file(path, context.optimize, graph, compiled)
        return compiled_through_cache(recipe, settings_of(context), context.cache, _say_of_cache)

    def _cached_graph(self, graph: Graph, context: Context, said: list[str]) -> CompiledModel:
        """A model of a graph, out of the context's cache where it has one."""
        self._check_new()
        prepared = self._prepared(graph)

        def compiled() -> CompiledModel:
            return compile_graph(prepared, settings_of(context), said)

        if context.cache is None:
            return compiled()
        from .inference.caching import compiled_through_cache, recipe_of_graph

        recipe = recipe_of_graph(prepared, compiled)
        return compiled_through_cache(recipe, settings_of(context), context.cache, _say_of_cache)

    def _check_new(self) -> None:
        self._check_open()
        if self._current is not None:
            raise LiteDelegateError("This Model has been built already; make another Model for another file.")

    def _compiled(
        self, data: bytes | bytearray | memoryview | Path, context: Context, said: list[str]
    ) -> CompiledModel:
        """The model in the bytes of a file."""
        self._check_new()
        from .inference.preparing import imported_graph

        graph = self._prepared(imported_graph(data, context.optimize))
        return compile_graph(graph, settings_of(context), said)

    def _prepared(self, graph: Graph) -> Graph:
        """The graph that is compiled."""
        from .inference.preparing import prepared_graph

        graph = prepared_graph(graph)
        return graph if self._shared_weights is None else self._shared_weights.shared(graph)

    def _start(self, compiled: CompiledModel, context: Context) -> None:
        keep_freed_memory()
        self._context = context
        declared = compiled.graph.inputs
        open_ = any(map(is_open, declared))
        inputs = tuple(map(empty_like, declared_inputs(declared) if open_ else compiled.plan.inputs))
        shapes = tuple(tuple(tensor.shape) for tensor in compiled.plan.inputs)
        self._current = _Current(compiled, RunnerPool(compiled.create_runner), inputs, shapes, open_)
        self._keep(self._current)

    def share_weights(self, pool: WeightPool) -> None:
        """Shares constants with the other models of a pool, see ``ModelGroup``.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: the model has been built.
        """
        self._check_new()
        self._shared_weights = pool

    def update_weights(self, weights: Sequence[Sequence[Tensor]]) -> None:
        """Gives constants of the model other contents, for all predictions that begin from now on.

        Delegates are asked and compile anew. Either all of it succeeds, or the model stays as it was.

        Args:
            weights: lists of tensors: named as the constants in the graph that is planned (``compiled.graph``), of
                their dtypes and shapes. The contents are copied.

        Raises:
            TypeError: no list of lists of tensors.
            InputError: there is no such constant, or the tensor does not fit it.
            ModelClosed: the model has been closed.
            LiteDelegateError: see ``build_from_file``.
        """
        with self._lock:
            current = self._built()
            graph = with_weights(current.compiled.graph, weights)
            with Warnings() as said:
                compiled = compile_graph(graph, current.compiled.settings, said)
                if tuple(tuple(tensor.shape) for tensor in compiled.plan.inputs) != current.shapes:
                    compiled = compiled.reshaped(current.shapes, warnings=said)
            old, self._kept = list(self._kept.values()), {}
            self._current = replace(current, compiled=compiled, runners=RunnerPool(compiled.create_runner))
            self._keep(self._current)
            for each in old:
                each.compiled.close()

    def get_model_info(self, key: str) -> str:
        """What the model says of itself under a key, "" for one that it does not have.

        Keys are name, version, input_name, input_shape, output_name and output_shape. Dimensions are joined by ",",
        several inputs or outputs by ";".

        Raises:
            TypeError: ``key`` is no str.
            LiteDelegateError: the model has not been built.
        """
        check_type("key", key, str)
        return model_words(self._built().compiled.graph, self.get_inputs(), self.get_outputs()).get(key, "")

    def _check_open(self) -> None:
        if self._is_closed:
            raise ModelClosed(CLOSED)

    def _built(self) -> _Current:
        current = self._current
        if current is None:
            self._check_open()
            raise LiteDelegateError("The Model has not been built; call build_from_file first.")
        return current

    def close(self) -> None:
        """Gives back what delegates hold for the model: graph kernels are released, then delegates are closed.

        A prediction that is under way in another thread ends properly; the last one gives back what it still needed.
        Every later call raises ``ModelClosed``; closing again does nothing.
        """
        with self._lock:
            self._is_closed, self._current = True, None
        for key, each in list(self._kept.items()):  # an interrupted call leaves the rest to the next one
            each.compiled.close(CLOSED)
            self._kept.pop(key, None)

    def __enter__(self) -> Model:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def context(self) -> Context:
        """Where the model runs: what it was built with, or a new ``Context``."""
        return self._context

    @property
    def compiled(self) -> CompiledModel:
        """The model for the current shapes: immutable, shared by all its predictions.

        Where the file leaves dimensions open: for the shapes of the last prediction, and before it for those that
        ``formats.input_shapes`` takes.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: the model has not been built.
        """
        return self._built().compiled

    def export(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The compiled model for the current shapes as bytes, see ``CompiledModel.export_model``.

        ``build_from_file`` takes the file, in a context with the same delegates: nothing is asked and nothing compiled.
        """
        return self.compiled.export_model(path)

    def get_inputs(self) -> list[Tensor]:
        """The inputs in API order: fill them with ``set_data_from_numpy`` and hand them to ``predict``.

        Dimensions that the file leaves open are -1 until ``resize``. Every call returns the same tensors, which
        ``resize`` gives their new shapes; threads that predict at once need tensors of their own.
        """
        return list(self._built().inputs)

    def get_outputs(self) -> tuple[TensorMeta, ...]:
        """Name, dtype, shape and format of the outputs in API order; -1 where a dimension is not known before."""
        current = self._built()
        tensors = current.compiled.declared_outputs() if current.is_open else current.compiled.plan.outputs
        return tuple(map(TensorMeta.of, tensors))

    @property
    def cache_outcome(self) -> CacheOutcome:
        """What the cache did when the model was compiled for its current shapes, and why (``Context.cache``)."""
        return self.compiled.cache_outcome

    def get_partition(self) -> PartitionRecord:
        """Who runs what, and why, in the plan for the current shapes, and which graph kernels failed since."""
        return self.compiled.partition

    def query(self) -> dict[str, str]:
        """Where the nodes of the model's file run, in the plan for the current shapes.

        Names are the file's, devices "CPU" and names of delegates; each entry can be given to
        ``PartitionOptions.affinity``. See ``runtime.records.devices_of``.
        """
        return devices_of(self.get_partition().nodes)

    def get_graph_kernels(self) -> tuple[Kernel, ...]:
        """The graph kernels that delegates made, in the plan for the current shapes, in execution order."""
        return tuple(self.compiled.graph_kernels)

    def calibrate(self, runs: int = 5) -> KernelTimes:
        """Times of the kernels, for the current shapes: for ``Context.kernel_times`` and placement by gain.

        CPU kernels are measured with random inputs. So are the delegate's graph kernels, whole and in pieces, unless
        its device is simulated: then they are the delegate's estimates.

        Args:
            runs: predictions that are measured, of which the median counts.

        Raises:
            InputError: there is not exactly one delegate, it does not state its claims or claims nothing, the CPU
                cannot run the model, or the device can neither be measured nor estimated.
            DelegateUnavailable: the device is not there.
        """
        with Warnings() as said:
            return self.compiled.calibrate(runs, settings_of(self._context), said)

    def predict(
        self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array], outputs: Sequence[Tensor] | None = None
    ) -> list[Tensor]:
        """Runs the model once.

        Where dimensions are open, the model is planned for the shapes of these inputs first, unless it has been.

        Args:
            inputs: one tensor or array per input, in the order of ``get_inputs``; or by input name.
            outputs: tensors to fill, one per output, of its dtype and shape: what is written to their memory is seen
                by arrays that share it. None makes new ones.

        Returns:
            The outputs in the order of ``get_outputs``.

        Raises:
            TypeError: an argument of the wrong type.
            InputError: an input of the wrong number, name, dtype or shape, or an output of the wrong number, dtype or
                shape, as far as that is known before; nothing has run.
            KernelError: a CPU kernel failed; the message names it.
            DelegateExecuteError: a graph kernel failed, and ``Context.on_delegate_error`` is "raise" or the CPU cannot
                take over; the message names it.
            ModelClosed: the model has been closed.
            LiteDelegateError: it cannot be planned for these shapes, see ``runtime.planning.scheduler.schedule``.
        """
        while True:
            with span(SpanKind.HOST, CHECK_INPUTS), Warnings() as said:
                current = self._for_inputs(inputs, said)
                compiled = current.compiled
                check_outputs(outputs, compiled.plan.outputs)
            try:
                with span(SpanKind.HOST, DISPATCH), Warnings() as said:
                    results = current.runners.infer(inputs)
                    said += compiled.take_warnings()
            except ModelClosed:
                self._wait_for_other(current)
                continue
            with span(SpanKind.HOST, GIVE_OUTPUTS):
                return fill_outputs(results, compiled.plan.outputs, outputs)

    async def predict_async(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> list[Tensor]:
        """``predict`` while the event loop goes on; a task that is cancelled cancels the run.

        Of any number of calls ``CompiledModel.optimal_requests`` run at once. Planning for other shapes, where
        dimensions are open, is done before anything is awaited.

        Args:
            inputs: as ``predict`` takes them; leave them as they are until the outputs are there.

        Returns:
            The outputs in the order of ``get_outputs``.

        Raises:
            Exception: what ``predict`` raises; RequestCancelled where somebody else cancelled the run.
        """
        compiled = self.compiled_for(inputs)
        results = await compiled.infer_async(inputs)
        return fill_outputs(list(results), compiled.plan.outputs, None)

    def compiled_for(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array]) -> CompiledModel:
        """The model for the shapes of these inputs, planned for them where dimensions are open.

        It is ``compiled`` from then on.

        Raises:
            TypeError, InputError, ModelClosed: as ``predict``.
            LiteDelegateError: the model cannot be planned for these shapes.
        """
        with Warnings() as said:
            return self._for_inputs(inputs, said).compiled

    def _for_inputs(self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array], said: list[str]) -> _Current:
        """What there is for the shapes of these inputs; where dimensions are open it is planned if need be."""
        current = self._built()
        if not current.is_open:
            return current
        shapes = shapes_of(inputs, current.inputs)
        if shapes == current.shapes:
            return current
        with self._lock:
            current = self._built()
            if not current.is_open:
                return current
            self._current = self._planned(current, shapes, current.compiled.settings, said)
            self._keep(self._current)
            return self._current

    def _wait_for_other(self, current: _Current) -> None:
        """Returns once a resize, which gave up what a prediction was about to use, has something else for it."""
        with self._lock:
            if self._current is current:
                raise ModelClosed("The compiled model of this Model has been closed (CompiledModel.close).")

    def resize(self, inputs: Sequence[Tensor], dims: Sequence[Sequence[int]]) -> None:
        """Gives the model other input shapes. Either all of it succeeds, or the model stays as it was.

        1. A plan that was made for these shapes, delegates, options of delegates and settings of the context is taken,
           unless a device was lost under it.
        2. Else every graph kernel is told of the new shapes (``Kernel.resize``). If all follow, and the delegates claim
           what they did, the plan stays what it is. Graph kernels without forks do not follow while a prediction that
           may need them is under way; the plan that they leave is not kept.
        3. Else the model is planned anew: claims and partition are worked out for the new shapes. Delegates are
           initialized anew only where a device was lost, or where the context has other delegates now.

        The last 16 plans are kept. What an older one holds of graph kernels is released when no prediction needs it.

        Args:
            inputs: the model's inputs, all of them, in order.
            dims: the new shape of each.

        Raises:
            TypeError: an argument of the wrong type.
            ValueError: (InputError) wrong number or rank of shapes.
            ModelClosed: the model has been closed.
            LiteDelegateError: the model cannot have these shapes, see ``runtime.planning.scheduler.schedule``.
        """
        with self._lock:
            current = self._built()
            declared = [value.shape for value in current.compiled.graph.inputs]
            shapes = checked_dims(inputs, dims, current.inputs, declared)
            with Warnings() as said:
                found = self._planned(current, shapes, settings_of(self._context), said)
                made = replace(found, is_open=False)
                if current.compiled.is_closed:  # its graph kernels went over: no way back from a warning that raises
                    self._put(made)
            self._put(made)

    def _put(self, resized: _Current) -> None:
        """Goes over to other shapes; the tensors that the user may have from ``get_inputs`` take them too."""
        self._current = resized
        for tensor, planned in zip(resized.inputs, resized.compiled.plan.inputs, strict=True):
            tensor.shape = planned.shape
        self._keep(resized)

    def _planned(self, current: _Current, shapes: Shapes, settings: Settings, said: list[str]) -> _Current:
        """The plan that is kept for these shapes and settings, or a new one."""
        kept = self._kept.get((shapes, settings.delegates, tuple(versions_of(settings.delegates).values())))
        if kept is not None and _serves(kept.compiled, settings):
            return replace(kept, inputs=current.inputs, is_open=current.is_open)
        compiled = current.compiled.reshaped(shapes, settings, said)
        return replace(current, compiled=compiled, runners=RunnerPool(compiled.create_runner), shapes=shapes)

    def _keep(self, current: _Current) -> None:
        """Keeps a plan, and gives up those that are in its place, of no use any more, or the oldest beyond the most."""
        key, kept = _key(current), {k: c for k, c in self._kept.items() if not c.compiled.is_closed}
        is_same = key in kept and kept[key].compiled is current.compiled
        surplus = [kept.pop(key)] if key in kept and not is_same else []
        kept[key] = current
        surplus += [kept.pop(old) for old in list(kept)[: max(len(kept) - MAX_PLANS, 0)]]
        self._kept = kept
        for each in surplus:
            each.compiled.close()

    def __str__(self) -> str:
        return f"model_path: {self.model_path_}."


def _say_of_cache(text: str) -> None:
    warn(CacheWarning(text))


def _serves(compiled: CompiledModel, settings: Settings) -> bool:
    """True if a plan is of use for what the user wants now."""
    return not compiled.has_lost_device and not compiled.is_closed and settings.equals(compiled.settings)


def _key(current: _Current) -> Key:
    compiled = current.compiled
    return current.shapes, compiled.settings.delegates, tuple(compiled.versions.values())


def _checked_context(context: Context | None) -> Context:
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context must be Context, but got {type(context).__name__}.")
    return Context() if context is None else context


def _check_build_arguments(model_type: ModelType) -> None:
    check_type("model_type", model_type, ModelType)


def _check_not_encrypted(dec_key: bytes | None, dec_mode: str, dec_num_parallel: int) -> None:
    check_type("dec_mode", dec_mode, str)
    check_type("dec_num_parallel", dec_num_parallel, int)
    if dec_key is not None:
        check_type("dec_key", dec_key, bytes)
        raise InputError("dec_key must be None: encrypted models are not supported.")
