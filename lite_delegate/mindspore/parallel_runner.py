"""ModelParallelRunner: one model with which many threads predict at once. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from threading import Semaphore
from types import TracebackType
from typing import NoReturn, SupportsIndex

from ..basics.counted import counted
from ..basics.data_class import dataclass
from ..basics.forking import free_in_children, stays_here
from ..basics.processors import usable_processors
from ..basics.words.one_line import OneLine, quoted
from ..errors import LiteDelegateError
from ..tensors.tensor import Array, Tensor, empty_like
from ..tensors.tensor_meta import TensorMeta
from .context.context import Context
from .context.parallel_info import ConfigInfo, ParallelInfo
from .context.setting import check_type, checked_count
from .model import Model
from .model_type import ModelType


class RunnerConfig(OneLine):
    """The settings of a ``ModelParallelRunner`` for ``init``, like ``Context.parallel``.

    Args:
        context: the context to run in; None: a new ``Context``.
        workers_num: as ``Context.parallel.workers_num``; None: the context's value.
        config_info: as ``Context.parallel.config_info``; None: the context's value.
        config_path: as ``Context.parallel.config_path``; "": the context's value.

    Raises:
        TypeError, ValueError: as the attributes of ``Context.parallel``.
    """

    def __init__(
        self,
        context: Context | None = None,
        workers_num: int | None = None,
        config_info: ConfigInfo | None = None,
        config_path: str = "",
    ) -> None:
        if context is not None:
            check_type("context", context, Context)
        self.context = Context() if context is None else context
        given = self.context.parallel
        self.parallel = ParallelInfo()
        self.parallel.workers_num = given.workers_num if workers_num is None else workers_num
        self.parallel.config_info = dict(given.sections) if config_info is None else config_info
        self.parallel.config_path = config_path or given.config_path

    def __str__(self) -> str:
        return str(self.parallel)

    def _line(self) -> str:
        return counted(self.parallel.workers_num, "worker")


@dataclass(frozen=True, slots=True, eq=False)
class _Built:
    model: Model
    workers_num: int
    turns: Semaphore


class ModelParallelRunner(OneLine):
    """A model that is built once, and with which any number of threads predict.

    All predictions share the constants and the graph kernels. ``Context.parallel.workers_num`` predictions run at once;
    further predictions wait for their turn.
    """

    def __init__(self) -> None:
        self._built: _Built | None = None
        self._path = ""
        free_in_children(self)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Rejected: its turns are for the threads of its process."""
        stays_here(self, "pickle its model, a Model")

    def after_fork(self) -> None:
        """Gives all turns to a child process, which has no predicting threads; see ``forking``."""
        if self._built is not None:
            count = self._built.workers_num
            self._built = _Built(self._built.model, count, Semaphore(count))

    def build_from_file(
        self,
        model_path: str | os.PathLike[str],
        model_type: ModelType | Context | None = ModelType.MINDIR_LITE,
        context: Context | None = None,
        config_path: str = "",
        config_dict: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        """Reads a model file and plans it, see ``Model.build_from_file``.

        Args:
            model_path: the path of the file.
            model_type: the kind of the file, which the file itself tells; it may be left out.
            context: the context to run in, with the settings ``context.parallel``; None: a new ``Context``.
            config_path, config_dict: as for ``Model.build_from_file``; by default the values of ``context.parallel``.

        Raises:
            TypeError: an argument has the wrong type.
            LiteDelegateError: the runner has been built, or see ``Model.build_from_file``.
        """
        if isinstance(model_type, Context):
            context = model_type if context is None else context
        kind = ModelType.MINDIR_LITE if model_type is None or isinstance(model_type, Context) else model_type
        if context is not None:
            check_type("context", context, Context)
        context = Context() if context is None else context
        parallel = context.parallel
        sections = parallel.sections if config_dict is None else config_dict
        self._build(model_path, kind, context, parallel.workers_num, config_path or parallel.config_path, sections)

    def init(self, model_path: str | os.PathLike[str], runner_config: RunnerConfig | None = None) -> None:
        """Like ``build_from_file``, as older scripts call it.

        Raises:
            TypeError, LiteDelegateError: as ``build_from_file``.
        """
        if runner_config is not None:
            check_type("runner_config", runner_config, RunnerConfig)
        config = RunnerConfig() if runner_config is None else runner_config
        parallel = config.parallel
        path, sections = parallel.config_path, parallel.sections
        self._build(model_path, ModelType.MINDIR_LITE, config.context, parallel.workers_num, path, sections)

    def _build(
        self,
        model_path: str | os.PathLike[str],
        model_type: ModelType,
        context: Context,
        workers_num: int,
        config_path: str,
        config_dict: ConfigInfo,
    ) -> None:
        if self._built is not None:
            raise LiteDelegateError("This runner has been built already; make another one for another file.")
        model = Model()
        model.build_from_file(model_path, model_type, context, config_path, config_dict or None)
        count = checked_count("parallel.workers_num", workers_num) or usable_processors()
        self._path = os.fspath(model_path)
        self._built = _Built(model, count, Semaphore(count))

    @property
    def workers_num(self) -> int:
        """The number of predictions that run at once at most."""
        return self._get().workers_num

    @property
    def model(self) -> Model:
        """The model that all predictions share."""
        return self._get().model

    def get_inputs(self) -> list[Tensor]:
        """New input tensors in API order with every call, to fill and hand to ``predict``."""
        return [empty_like(tensor) for tensor in self._get().model.get_inputs()]

    def get_outputs(self) -> tuple[TensorMeta, ...]:
        """Name, dtype, shape and format of the outputs in API order."""
        return self._get().model.get_outputs()

    def predict(
        self, inputs: Sequence[Tensor | Array] | Mapping[str, Tensor | Array], outputs: Sequence[Tensor] | None = None
    ) -> list[Tensor]:
        """Runs the model once, in this thread, when there is a turn; see ``Model.predict``."""
        built = self._get()
        with built.turns:
            return built.model.predict(inputs, outputs)

    def close(self) -> None:
        """Releases the resources of delegates, see ``Model.close``."""
        if self._built is not None:
            self._built.model.close()

    def __enter__(self) -> ModelParallelRunner:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __str__(self) -> str:
        return f"model_path: {self._path}."

    def _get(self) -> _Built:
        if self._built is None:
            raise LiteDelegateError("The runner has not been built; call build_from_file first.")
        return self._built

    def _line(self) -> str:
        if self._built is None:
            return "not built"
        return f"{quoted(os.path.basename(self._path))}, {counted(self._built.workers_num, 'worker')}"
