"""BuiltModel: what a model tells once it has been built: its tensors, who runs what, and the compiled model itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..basics.warned import Warnings
from ..cache import CacheOutcome
from ..delegate import Kernel
from ..errors import LiteDelegateError, ModelClosed
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


class BuiltModel:
    """What a model tells once it has been built, for the current shapes of its inputs. ``Model`` builds and runs it.

    Before, and once the model has been closed, all but ``context`` raise LiteDelegateError and ModelClosed.
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
        return self._built().current.compiled

    def export(self, path: str | os.PathLike[str] | BinaryIO | None = None) -> bytes:
        """The compiled model for the current shapes as bytes, see ``CompiledModel.export_model``.

        ``build_from_file`` takes the file, in a context with the same delegates: nothing is asked and nothing compiled.

        Raises:
            InputError: as of ``CompiledModel.export_model``; or the path is that of a file that was read.
        """
        if isinstance(path, (str, os.PathLike)) and self.model_path_:
            from ..basics.files import check_not_read
            from ..formats.external_files import files_of_model

            check_not_read(Path(path), files_of_model(Path(self.model_path_)))
        return self.compiled.export_model(path)

    def create_request(self) -> InferRequest:
        """A request for the current shapes: its runs, and states that last from one run to the next, are its own.

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
        """Name, dtype, shape and format of the outputs in API order; -1 where a dimension is not known before."""
        current = self._built().current
        tensors = current.compiled.declared_outputs() if current.is_open else current.outputs
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
        from ..runtime.records import devices_of

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

    def get_model_info(self, key: str) -> str:
        """What the model says of itself under a key, "" for one that it does not have.

        Keys are name, version, input_name, input_shape, output_name and output_shape. Dimensions are joined by ",",
        several inputs or outputs by ";".

        Raises:
            TypeError: ``key`` is no str.
            LiteDelegateError: the model has not been built.
        """
        check_type("key", key, str)
        return model_info_texts(self.compiled.graph, self.get_inputs(), self.get_outputs()).get(key, "")
