"""ModelParallelRunner: one model that many threads predict with at once. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from threading import Semaphore
from types import TracebackType

from ..basics.data_class import dataclass
from ..basics.forking import free_in_children
from ..basics.processors import usable_processors
from ..errors import LiteDelegateError
from ..tensors.tensor import Array, Tensor, empty_like
from ..tensors.tensor_meta import TensorMeta
from .context.context import Context
from .context.parallel_info import ConfigInfo, ParallelInfo
from .context.setting import check_type, checked_count
from .model import Model
from .model_type import ModelType


class RunnerConfig:
    """How a ``ModelParallelRunner`` runs, for ``init``; ``Context.parallel`` holds the same.

    Args:
        context: where to run; a new ``Context`` when None.
        workers_num: as ``Context.parallel.workers_num``; None: what the context has.
        config_info: as ``Context.parallel.config_info``; None: what the context has.
        config_path: as ``Context.parallel.config_path``; "": what the context has.

    Raises:
        TypeError, ValueError: as of these.
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


@dataclass(frozen=True, slots=True, eq=False)
class _Built:
    model: Model
    workers_num: int
    turns: Semaphore


class ModelParallelRunner:
    """A model that is built once, and with which any number of threads predict.

    All share its constants and what delegates made for it. As many predictions as ``Context.parallel.workers_num`` says
    run at once; those beyond it wait for their turn.
    """

    def __init__(self) -> None:
        self._built: _Built | None = None
        self._path = ""
        free_in_children(self)

    def after_fork(self) -> None:
        """Gives a child process, in which the threads that predict are not, all turns; see ``forking``."""
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
            model_path: the file.
            model_type: the kind of the file, which shows in the file itself; it may be left out.
            context: where to run, and in ``context.parallel`` how; a new ``Context`` when None.
            config_path, config_dict: as ``Model.build_from_file`` takes them; without them those of
                ``context.parallel``.

        Raises:
            TypeError: an argument of the wrong type.
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
        """Predictions that run at once at most."""
        return self._get().workers_num

    @property
    def model(self) -> Model:
        """The model that all predictions share."""
        return self._get().model

    def get_inputs(self) -> list[Tensor]:
        """The inputs in API order, to fill and hand to ``predict``: new ones, the caller's, with every call."""
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
        """Gives back what delegates hold, see ``Model.close``."""
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
