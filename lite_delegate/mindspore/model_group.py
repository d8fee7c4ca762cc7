"""ModelGroup: models that share equal constants. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

from collections.abc import Sequence

from ..basics.words.one_line import OneLine
from ..errors import InputError
from ..ir.types.numbered import Numbered
from .context.context import Context
from .context.setting import check_type
from .model import Model
from .model_type import ModelType
from .weights import WeightPool


class ModelGroupFlag(Numbered):
    """The memory that the models of a group share."""

    SHARE_WEIGHT = 1
    SHARE_WORKSPACE = 2
    SHARE_WEIGHT_WORKSPACE = 3


class ModelGroup(OneLine):
    """Models whose equal constants are in memory once (SHARE_WEIGHT, SHARE_WEIGHT_WORKSPACE).

    NOTE: the memory of computed tensors belongs to a prediction and is released at its end, so that all models share
    it anyway; SHARE_WORKSPACE has no further effect.

    Args:
        flags: the memory to share.

    Raises:
        TypeError: the flags are no ModelGroupFlag.
    """

    def __init__(self, flags: ModelGroupFlag = ModelGroupFlag.SHARE_WORKSPACE) -> None:
        check_type("flags", flags, ModelGroupFlag)
        self._flags = flags
        self._pool = WeightPool() if flags & ModelGroupFlag.SHARE_WEIGHT else None
        self._paths: list[str] = []

    def add_model(self, models: Sequence[str] | Sequence[Model]) -> None:
        """Adds models before they are built, or the paths of models whose workspace is to be worked out.

        Raises:
            TypeError: the models are neither all paths nor all models.
            InputError: there are no models, or a model has been built already.
        """
        if not isinstance(models, (list, tuple)):
            raise TypeError(f"models must be list or tuple, but got {type(models).__name__}.")
        if not models:
            raise InputError("models must not be empty.")
        for each in models:
            check_type("models element", each, type(models[0]) if isinstance(models[0], (str, Model)) else Model)
        for each in models:
            if isinstance(each, str):
                self._paths.append(each)
            elif self._pool is not None:
                each.share_weights(self._pool)

    def cal_max_size_of_workspace(self, model_type: ModelType, context: Context) -> None:
        """Checks that each model whose path was added can be built within the memory at hand.

        Raises:
            TypeError: an argument has the wrong type.
            LiteDelegateError: see ``Model.build_from_file``; the error of the first model that cannot be built.
        """
        check_type("model_type", model_type, ModelType)
        check_type("context", context, Context)
        for path in self._paths:
            with Model() as model:
                model.build_from_file(path, model_type, context)

    def _line(self) -> str:
        return self._flags.name or ""
