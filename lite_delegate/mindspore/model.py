"""Model: load a file, build it for a context, predict. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..basics.warned import Warnings
from ..delegate import SpanKind, span
from ..errors import LiteDelegateError, ModelClosed
from ..inference.compiling.kept_source import kept_source
from ..inference.shapes.given_shapes import NO_SHAPES, InputShapes
from ..inference.tensors.given_inputs import Inputs
from ..ir import Graph
from ..runtime.execution.inputs import check_outputs, fill_outputs
from ..runtime.execution.watching import CHECK_INPUTS, DISPATCH, GIVE_OUTPUTS
from ..tensors.tensor import Tensor
from .built_model import BuiltModel
from .context.context import Context
from .context.context_settings import settings_of
from .context.model_config import configured
from .context.setting import check_type
from .model_build import BuildCall, ModelBuild, check_not_encrypted, checked_context
from .model_remote import any_remote, host_arrays, predict_on_devices
from .model_type import ModelType

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel
    from .pickled_build import PickledBuild
    from .weights import WeightPool


class Model(BuiltModel):
    """A model, ready to predict once one of the ``build`` methods has returned.

    ``predict`` may be called from several threads at once. ``resize`` waits for no prediction: a prediction under way
    finishes with the shapes that it started with.

    The resources of delegates are released when the model is closed (``close``, or the end of
    ``with Model() as model``), or when the model is garbage collected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.provider = ""
        self.lora_name_map: dict[str, str] = {}
        self._shared_weights: WeightPool | None = None
        self._call: BuildCall | None = None

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
        """Reads a model file, asks the context's delegates, and plans the execution.

        An imported model is optimized as ``Context.optimize`` says; a ``.ms`` file was optimized when it was written.
        A file of a compiled model (``export``) is not optimized, split or compiled again.

        Args:
            model_path: the path of the file.
            model_type: MINDIR_LITE or MINDIR, which are alike here: the bytes of a file tell its kind (``.ms``,
                ``.onnx``, ``.tflite``, or a compiled model).
            context: the context to run in; None: a new ``Context``.
            config_path, config_dict: a file of sections, and sections whose keys override the file's:
                ``[lite_delegate]`` holds properties, see ``model_config.configured``; other sections have no effect
                here, and cause a warning.
            dec_key, dec_mode, dec_num_parallel: ``dec_key`` must be None: encrypted models are not supported.

        Raises:
            TypeError: an argument has the wrong type.
            ModelFormatError: the file is missing, damaged, or of a kind that cannot be read.
            DelegateBuildError: the file has a model that was compiled for other delegates, or for another device.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        if not isinstance(model_path, (str, os.PathLike)):
            raise TypeError(f"model_path must be str, but got {type(model_path).__name__}.")
        context = checked_context(context)
        check_type("model_type", model_type, ModelType)
        check_not_encrypted(dec_key, dec_mode, dec_num_parallel)
        call = BuildCall(kept_source(model_path))
        with Warnings() as said:
            context = configured(context, config_path, config_dict, said)
            compiled = self._build(context, said).of(call)
        self._start(compiled, context, call)
        self.model_path_ = os.fspath(model_path)

    def build_from_buffer(
        self, data: bytes | bytearray | memoryview, model_type: ModelType, context: Context | None = None
    ) -> None:
        """Like ``build_from_file``, from the bytes of a model file; weights in side files cannot be found.

        Raises:
            TypeError: an argument has the wrong type.
            ModelFormatError: the bytes are damaged or of a kind that cannot be read.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"data must be bytes, but got {type(data).__name__}.")
        context = checked_context(context)
        check_type("model_type", model_type, ModelType)
        call = BuildCall(kept_source(data))
        with Warnings() as said:
            compiled = self._build(context, said).of(call)
        self._start(compiled, context, call)

    def build_from_graph(self, graph: Graph, context: Context | None = None, shapes: InputShapes = NO_SHAPES) -> None:
        """Like ``build_from_file``, from a graph in memory, which must not be changed afterwards.

        Args:
            graph: the model.
            context: the context to run in; None: a new ``Context``.
            shapes: the shapes of inputs with open dimensions in the graph, by name. Where a dimension is a pair (least,
                most), the model takes all sizes between, see ``Core.compile_model``.

        Raises:
            GraphError: the graph breaks a rule.
            InputError: ``shapes`` do not fit the graph.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        context = checked_context(context)
        call = BuildCall(kept_source(graph), shapes)
        with Warnings() as said:
            compiled = self._build(context, said).of(call)
        self._start(compiled, context, call)

    def _build(self, context: Context, said: list[str]) -> ModelBuild:
        self._check_new()
        return ModelBuild(context, self._shared_weights, said)

    def _check_new(self) -> None:
        self._check_open()
        if self._plans is not None:
            raise LiteDelegateError("This Model has been built already; make another Model for another file.")

    def _start(self, compiled: CompiledModel, context: Context, call: BuildCall) -> None:
        from .model_plans import ModelPlans  # the code that runs models is imported with the first model

        self._context, self._call = context, call
        self._plans = ModelPlans(compiled)

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

        Delegates are asked and compile anew. Either the whole update succeeds, or the model stays as it was.

        Args:
            weights: lists of tensors with the names, dtypes and shapes of constants in the planned graph
                (``compiled.graph``). The contents are copied.

        Raises:
            TypeError: the weights are no list of lists of tensors.
            InputError: there is no such constant, or a tensor does not fit its constant.
            ModelClosed: the model has been closed.
            LiteDelegateError: see ``build_from_file``.
        """
        self._built().update_weights(weights)
        self._call = None

    def close(self) -> None:
        """Releases the resources of delegates: graph kernels are released, then delegates are closed.

        A prediction that is under way in another thread ends properly; the last prediction releases what it needed.
        Every later call raises ``ModelClosed``; closing again does nothing.
        """
        self._is_closed = True
        if self._plans is not None:
            self._plans.close()

    def __getstate__(self) -> dict[str, Any]:
        """The build with the context as it is now, and the shapes of the inputs: another process builds the model.

        Copies by ``copy`` are built anew, too.

        Raises:
            ModelClosed: the model has been closed.
            TypeError: weights were updated; or a delegate does not pickle, and the message has its name.
        """
        self._check_open()
        names = "provider", "lora_name_map", "model_path_"
        state = {name: getattr(self, name) for name in names}
        if self._plans is None:
            return {**state, "_context": self._context}
        if self._call is None:
            raise TypeError(
                "A Model whose weights were updated cannot be pickled: another process cannot build it once more. "
                "Export the model to a file, and build from the file."
            )
        from .pickled_build import PickledBuild

        current = self._plans.current
        return {**state, "build": PickledBuild(self._call, self._context, None if current.is_open else current.shapes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Builds the model, and resizes it.

        Raises:
            ModelFormatError: the model's file is not there, or changed.
            LiteDelegateError: as ``build_from_file``.
        """
        Model.__init__(self)
        build: PickledBuild | None = state.pop("build", None)
        vars(self).update(state)
        if build is None:
            return
        with Warnings() as said:
            compiled = self._build(build.context, said).of(build.call)
        self._start(compiled, build.context, build.call)
        current = self._built().current
        if build.shapes is not None and (current.is_open or current.shapes != build.shapes):
            self.resize(self.get_inputs(), build.shapes)

    def __enter__(self) -> Model:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def predict(self, inputs: Inputs, outputs: Sequence[Tensor] | None = None) -> list[Tensor]:
        """Runs the model once.

        Where dimensions are open, the model is planned for the shapes of the inputs, unless a plan is kept.

        Args:
            inputs: a value per input, in the order of ``get_inputs``; or a mapping by name; or the value of the only
                input. Tensors must have the input's dtype; arrays, also of other libraries, and numbers in nested
                lists are converted where the dtype holds them without loss, and float64 to float32. A tensor on a
                device is read on the device.
            outputs: tensors to fill, one per output, of the output's dtype and shape. Results are written to the
                tensors' memory, also on a device. None: new tensors are made.

        Returns:
            The outputs in the order of ``get_outputs``.

        Raises:
            TypeError: an argument has the wrong type.
            InputError: the number, name, dtype or shape of an input is wrong, or the number, dtype or shape of an
                output, as far as it is known before the run; nothing has run.
            KernelError: a CPU kernel failed; the message names the kernel.
            DelegateExecuteError: a graph kernel failed, and ``Context.on_delegate_error`` is "raise" or the CPU cannot
                take over; the message names the graph kernel.
            ModelClosed: the model has been closed.
            LiteDelegateError: the model cannot be planned for these shapes, see
                ``runtime.planning.scheduler.schedule``.
        """
        plans = self._plans or self._built()
        if outputs is not None and any_remote(outputs):
            return predict_on_devices(self.compiled_for(inputs), inputs, outputs)
        while True:
            with span(SpanKind.HOST, CHECK_INPUTS), Warnings() as said:
                current = plans.for_inputs(inputs, said)
                compiled = current.compiled
                arrays = host_arrays(inputs, compiled.inputs)
                if outputs is not None:
                    check_outputs(outputs, current.outputs)
            if arrays is None:
                return predict_on_devices(compiled, inputs, outputs)
            try:
                with span(SpanKind.HOST, DISPATCH), Warnings() as said:
                    results = current.runners.run(arrays)
                    said += compiled.take_warnings()
            except ModelClosed:
                plans.wait_for_other(current)
                continue
            with span(SpanKind.HOST, GIVE_OUTPUTS):
                return fill_outputs(results, current.outputs, outputs)

    async def predict_async(self, inputs: Inputs) -> list[Tensor]:
        """``predict`` while the event loop goes on; cancelling the task cancels the run.

        At most ``CompiledModel.optimal_requests`` calls run at once. Where dimensions are open, the model is planned
        for new shapes before anything is awaited.

        Args:
            inputs: as for ``predict``; the inputs must not change until the outputs are there.

        Returns:
            The outputs in the order of ``get_outputs``.

        Raises:
            Exception: as ``predict``; RequestCancelled where another task cancelled the run.
        """
        compiled = self.compiled_for(inputs)
        results = await compiled.infer_async(inputs)
        return fill_outputs(list(results), compiled.plan.outputs, None)

    def compiled_for(self, inputs: Inputs) -> CompiledModel:
        """The compiled model for the shapes of the inputs, planned for them where dimensions are open.

        ``compiled`` is this model from then on.

        Raises:
            TypeError, InputError, ModelClosed: as ``predict``.
            LiteDelegateError: the model cannot be planned for these shapes.
        """
        with Warnings() as said:
            return self._built().for_inputs(inputs, said).compiled

    def resize(self, inputs: Sequence[Tensor], dims: Sequence[Sequence[int]]) -> None:
        """Gives the model other input shapes. Either the whole resize succeeds, or the model stays as it was.

        1. A kept plan for these shapes, delegates, options of delegates and settings of the context is taken, unless a
           device of the plan was lost.
        2. Else every graph kernel is resized (``Kernel.resize``). If all graph kernels follow, and the delegates have
           the same claims, the plan stays as it is. A graph kernel without forks does not follow while a prediction
           that may need it is under way; the plan that it leaves is not kept.
        3. Else the model is planned anew: claims and partition are worked out for the new shapes. Delegates are
           initialized anew only where a device was lost, or where the context has other delegates now.

        The 16 plans that were used last are kept. The graph kernels of any other plan are released when no prediction
        needs them.

        Args:
            inputs: all inputs of the model, in order.
            dims: the new shape of each.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: (InputError) the number or the rank of shapes is wrong.
            ModelClosed: the model has been closed.
            LiteDelegateError: the model cannot have these shapes, see ``runtime.planning.scheduler.schedule``.
        """
        self._built().resize(inputs, dims, settings_of(self._context))

    def __str__(self) -> str:
        return f"model_path: {self.model_path_}."
