"""Model: load a file, build it for a context, predict. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ..basics.warned import Warnings
from ..delegate import SpanKind, span
from ..errors import LiteDelegateError, ModelClosed
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
from .model_build import ModelBuild, check_not_encrypted, checked_context
from .model_remote import any_remote, host_arrays, predict_on_devices
from .model_type import ModelType

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel
    from .weights import WeightPool


class Model(BuiltModel):
    """A model, ready to predict once one of the ``build`` methods has returned.

    ``predict`` may be called from several threads at once. ``resize`` waits for no prediction: those under
    way finish with the shapes they started with.

    What delegates hold for it is given back when it is closed (``close``, or the end of ``with Model() as model``), or
    when it is collected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.provider = ""
        self.lora_name_map: dict[str, str] = {}
        self._shared_weights: WeightPool | None = None

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
        context = checked_context(context)
        check_type("model_type", model_type, ModelType)
        check_not_encrypted(dec_key, dec_mode, dec_num_parallel)
        with Warnings() as said:
            context = configured(context, config_path, config_dict, said)
            compiled = self._build(context, said).of_content(Path(model_path))
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
        context = checked_context(context)
        check_type("model_type", model_type, ModelType)
        with Warnings() as said:
            compiled = self._build(context, said).of_content(data)
        self._start(compiled, context)

    def build_from_graph(self, graph: Graph, context: Context | None = None, shapes: InputShapes = NO_SHAPES) -> None:
        """Like ``build_from_file``, from a graph in memory, which must not be changed afterwards.

        Args:
            graph: the model.
            context: where to run; a new ``Context`` when None.
            shapes: of inputs of which the graph leaves dimensions open, by name. Where a dimension is a pair (least,
                most), the model takes all shapes between, see ``Core.compile_model``.

        Raises:
            GraphError: the graph breaks a rule.
            InputError: ``shapes`` do not fit the graph.
            LiteDelegateError: see ``runtime.planning.scheduler.schedule``.
        """
        context = checked_context(context)
        with Warnings() as said:
            compiled = self._build(context, said).of_graph(graph, shapes)
        self._start(compiled, context)

    def _build(self, context: Context, said: list[str]) -> ModelBuild:
        self._check_new()
        return ModelBuild(context, self._shared_weights, said)

    def _check_new(self) -> None:
        self._check_open()
        if self._plans is not None:
            raise LiteDelegateError("This Model has been built already; make another Model for another file.")

    def _start(self, compiled: CompiledModel, context: Context) -> None:
        from .model_plans import ModelPlans  # what runs models is loaded with the first one

        self._context = context
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
        self._built().update_weights(weights)

    def close(self) -> None:
        """Gives back what delegates hold for the model: graph kernels are released, then delegates are closed.

        A prediction that is under way in another thread ends properly; the last one gives back what it still needed.
        Every later call raises ``ModelClosed``; closing again does nothing.
        """
        self._is_closed = True
        if self._plans is not None:
            self._plans.close()

    def __enter__(self) -> Model:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def predict(self, inputs: Inputs, outputs: Sequence[Tensor] | None = None) -> list[Tensor]:
        """Runs the model once.

        Where dimensions are open, the model is planned for the shapes of these inputs first, unless it has been.

        Args:
            inputs: one per input, in the order of ``get_inputs``; or by name; or the only one. Tensors must have the
                input's dtype; arrays, also of other libraries, and numbers in nested lists are converted where its
                dtype holds them without loss, and float64 to float32. A tensor on a device is read there.
            outputs: tensors to fill, one per output, of its dtype and shape: what is written to their memory is seen
                by arrays that share it; one on a device stays there. None makes new ones.

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

    def compiled_for(self, inputs: Inputs) -> CompiledModel:
        """The model for the shapes of these inputs, planned for them where dimensions are open.

        It is ``compiled`` from then on.

        Raises:
            TypeError, InputError, ModelClosed: as ``predict``.
            LiteDelegateError: the model cannot be planned for these shapes.
        """
        with Warnings() as said:
            return self._built().for_inputs(inputs, said).compiled

    def resize(self, inputs: Sequence[Tensor], dims: Sequence[Sequence[int]]) -> None:
        """Gives the model other input shapes. Either all of it succeeds, or the model stays as it was.

        1. A plan that was made for these shapes, delegates, options of delegates and settings of the context is taken,
           unless a device was lost under it.
        2. Else every graph kernel is told of the new shapes (``Kernel.resize``). If all follow, and the delegates claim
           what they did, the plan stays what it is. Graph kernels without forks do not follow while a prediction that
           may need them is under way; the plan that they leave is not kept.
        3. Else the model is planned anew: claims and partition are worked out for the new shapes. Delegates are
           initialized anew only where a device was lost, or where the context has other delegates now.

        The 16 plans that were used last are kept. The graph kernels of another one are released when no prediction
        needs them.

        Args:
            inputs: the model's inputs, all of them, in order.
            dims: the new shape of each.

        Raises:
            TypeError: an argument of the wrong type.
            ValueError: (InputError) wrong number or rank of shapes.
            ModelClosed: the model has been closed.
            LiteDelegateError: the model cannot have these shapes, see ``runtime.planning.scheduler.schedule``.
        """
        self._built().resize(inputs, dims, settings_of(self._context))

    def __str__(self) -> str:
        return f"model_path: {self.model_path_}."
