"""Kinds of model files, numbered as in the ``mindspore_lite`` package."""

from __future__ import annotations

from ..ir.types.numbered import Numbered


class ModelType(Numbered):
    """The kind of a model file. MINDIR_LITE is ``.ms``."""

    MINDIR = 0
    MINDIR_LITE = 4
