"""ModelGroup: models that share what is equal in them. Names of the ``mindspore_lite`` package."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError
from ..ir.types.numbered import Numbered
from .context.context import Context
from .context.setting import check_type
from .model import Model
from .model_type import ModelType
from .weights import WeightPool


class ModelGroupFlag(Numbered):
    """What the models of a group share."""

    SHARE_WEIGHT = 1
    SHARE_WORKSPACE = 2
    SHARE_WEIGHT_WORKSPACE = 3


class ModelGroup:
    """Models of which equal constants are in memory once (SHARE_WEIGHT, SHARE_WEIGHT_WORKSPACE).

    NOTE: the memory of what is computed belongs to a prediction and is given back with its end, so that all models
    share it anyway; SHARE_WORKSPACE asks for no more than that.

    Args:
        flags: what to share.

    Raises:
        TypeError: no ModelGroupFlag.
    """

    def __init__(self, flags: ModelGroupFlag = ModelGroupFlag.SHARE_WORKSPACE) -> None:
        check_type("flags", flags, ModelGroupFlag)
        self._flags = flags
        self._pool = WeightPool() if flags & ModelGroupFlag.SHARE_WEIGHT else None
        self._paths: list[str] = []

    def add_model(self, models: Sequence[str] | Sequence[Model]) -> None:
        """Adds models before they are built, or the paths of models whose workspace is to be worked out.

        Raises:
            TypeError: neither only texts nor only models.
            InputError: there are none, or a model has been built already.
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
        """Plans the models whose paths were added: whether each can be built, and within the memory at hand.

        Raises:
            TypeError: an argument of the wrong type.
            LiteDelegateError: see ``Model.build_from_file``; of the first model that cannot be.
        """
        check_type("model_type", model_type, ModelType)
        check_type("context", context, Context)
        for path in self._paths:
            with Model() as model:
                model.build_from_file(path, model_type, context)
