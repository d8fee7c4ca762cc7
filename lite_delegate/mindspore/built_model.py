"""BuiltModel: the tensors, the partition and the compiled model of a model that has been built."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..basics.warned import Warnings
from ..basics.words.one_line import OneLine, quoted
from ..cache import CacheOutcome
from ..delegate import Kernel
from ..errors import LiteDelegateError, ModelClosed
from ..inference.planned.model_line import model_line
from ..partition.placement import KernelTimes
from ..tensors.tensor import Tensor
from ..tensors.tensor_meta import TensorMeta
from .context.context import Context
from .context.context_settings import settings_of
from .context.setting import check_type
from .model_info import model_info_texts

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel
    from ..inference.requests.infer_request import InferRequest
    from ..runtime.records import PartitionRecord
    from .model_plans import ModelPlans


class BuiltModel(OneLine):
    """The state of a built model, for the current shapes of its inputs. ``Model`` builds and runs the model.

    Before the build, all members but ``context`` raise LiteDelegateError; after ``close`` they raise ModelClosed.
    """

    def __init__(self) -> None:
        self.model_path_ = ""
        self._context = Context()
        self._plans: ModelPlans | None = None
        self._is_closed = False

    def _check_open(self) -> None:
        if self._is_closed:
            from .model_plans import CLOSED

            raise ModelClosed(CLOSED)

    def _built(self) -> ModelPlans:
        if self._plans is None:
            self._check_open()
            raise LiteDelegateError("The Model has not been built; call build_from_file first.")
        return self._plans

    @property
    def context(self) -> Context:
        """The context that the model was built with; a new ``Context`` before the build."""
        return self._context

    @property
    def compiled(self) -> CompiledModel:
        """The compiled model for the current shapes: immutable, shared by all predictions.

        Where the file leaves dimensions open, the shapes are the shapes of the last prediction; before the first
        prediction, ``formats.input_shapes`` chooses them.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: the model has not been built.
        """
        return self._built().current.compiled

    def export(self, path: str | os.PathLike[str] | BinaryIO | None = None) -> bytes:
        """The compiled model for the current shapes as bytes, see ``CompiledModel.export_model``.

        ``build_from_file`` takes the file, in a context with the same delegates: no delegate is asked and nothing is
        compiled.

        Raises:
            InputError: as ``CompiledModel.export_model``; or the path names a file that the model was read from.
        """
        if isinstance(path, (str, os.PathLike)) and self.model_path_:
            from ..basics.files import check_not_read
            from ..formats.external_files import files_of_model

            check_not_read(Path(path), files_of_model(Path(self.model_path_)))
        return self.compiled.export_model(path)

    def create_request(self) -> InferRequest:
        """A request for the current shapes, with its own runs and its own states, which last from run to run.

        Raises:
            ModelClosed: the model has been closed.
            LiteDelegateError: the model has not been built.
        """
        return self.compiled.create_infer_request()

    def get_inputs(self) -> list[Tensor]:
        """The inputs in API order: fill them with ``set_data_from_numpy`` and hand them to ``predict``.

        Dimensions that the file leaves open are -1 until ``resize``. Every call returns the same tensors, which
        ``resize`` gives their new shapes; threads that predict at once need tensors of their own.
        """
        return list(self._built().current.inputs)

    def get_outputs(self) -> tuple[TensorMeta, ...]:
        """Name, dtype, shape and format of the outputs in API order; -1 for a dimension that only a run determines."""
        current = self._built().current
        tensors = current.compiled.declared_outputs() if current.is_open else current.outputs
        return tuple(map(TensorMeta.of, tensors))

    @property
    def cache_outcome(self) -> CacheOutcome:
        """The outcome of the cache (``Context.cache``) when the model was compiled for its current shapes."""
        return self.compiled.cache_outcome

    def get_partition(self) -> PartitionRecord:
        """The partition for the current shapes: the device of each node, the reasons, and failed graph kernels."""
        return self.compiled.partition

    def query(self) -> dict[str, str]:
        """The device of each node of the model's file, in the plan for the current shapes.

        Keys are the names of nodes in the file, values are "CPU" or names of delegates; each entry can be given to
        ``PartitionOptions.affinity``. See ``runtime.records.devices_of``.
        """
        from ..runtime.records import devices_of

        return devices_of(self.get_partition().nodes)

    def get_graph_kernels(self) -> tuple[Kernel, ...]:
        """The graph kernels that delegates made, in the plan for the current shapes, in execution order."""
        return tuple(self.compiled.graph_kernels)

    def calibrate(self, runs: int = 5) -> KernelTimes:
        """The times of the kernels for the current shapes, for ``Context.kernel_times`` and placement by gain.

        CPU kernels are measured with random inputs. The delegate's graph kernels are measured, too, whole and in
        pieces; for a simulated device, their times are the delegate's estimates.

        Args:
            runs: the number of predictions that are measured; the median of their times counts.

        Raises:
            InputError: there is not exactly one delegate, the delegate does not state its claims or claims nothing,
                the CPU cannot run the model, or the device can neither be measured nor estimated.
            DelegateUnavailable: the device is not there.
        """
        with Warnings() as said:
            return self.compiled.calibrate(runs, settings_of(self._context), said)

    def get_model_info(self, key: str) -> str:
        """The information of the model under a key, "" for an unknown key.

        Keys are name, version, input_name, input_shape, output_name and output_shape. Dimensions are joined by ",",
        several inputs or outputs by ";".

        Raises:
            TypeError: ``key`` is no str.
            LiteDelegateError: the model has not been built.
        """
        check_type("key", key, str)
        return model_info_texts(self.compiled.graph, self.get_inputs(), self.get_outputs()).get(key, "")

    def _line(self) -> str:
        name = os.path.basename(self.model_path_)
        if self._plans is None or self._is_closed:
            state = "closed" if self._is_closed else "not built"
            return f"{quoted(name)}: {state}" if name else state
        now = self._plans.current
        return model_line(name or now.compiled.graph.name, now.compiled.parts(), now.inputs, now.outputs)
