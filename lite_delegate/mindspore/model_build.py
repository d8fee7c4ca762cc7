"""ModelBuild: the build of a Model from a file, bytes or a graph, with the context's cache."""

from __future__ import annotations

import os
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..basics.data_class import dataclass
from ..errors import InputError
from ..inference.compiling.garbage_collection import loading
from ..inference.shapes.given_shapes import NO_SHAPES, InputShapes
from ..ir import Graph
from .context.context import Context
from .context.context_settings import settings_of
from .context.setting import check_type

if TYPE_CHECKING:
    from ..inference.compiling.kept_source import KeptSource
    from ..inference.model.compiled_model import CompiledModel
    from .weights import WeightPool

Content = Path | bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True, eq=False)
class BuildCall:
    """The model of a build, which another process can read again.

    Attributes:
        source: the file, the bytes or the graph.
        shapes: of inputs of the graph.
    """

    source: KeptSource
    shapes: InputShapes = field(default_factory=lambda: NO_SHAPES)

    def __reduce__(self) -> tuple[Any, ...]:
        """The source and plain shapes."""
        return BuildCall, (self.source, dict(self.shapes))


class ModelBuild:
    """The build of one model.

    Args:
        context: the context to run in.
        pool: the pool of the models with which the model shares constants; None: no constants are shared.
        said: receives the warnings for the user.
    """

    def __init__(self, context: Context, pool: WeightPool | None, said: list[str]) -> None:
        self._context = context
        self._pool = pool
        self._said = said

    def of(self, call: BuildCall) -> CompiledModel:
        """The model of a call, compiled.

        Raises:
            LiteDelegateError: see ``Model.build_from_file``.
        """
        model = call.source.model
        if isinstance(model, Graph):
            return self.of_graph(model, call.shapes)
        return self.of_content(Path(model) if isinstance(model, str | os.PathLike) else model)

    @loading
    def of_content(self, content: Content) -> CompiledModel:
        """The model in a file or in bytes, compiled. A file that ``export`` wrote is imported as it is.

        Raises:
            LiteDelegateError: see ``Model.build_from_file``.
        """
        from ..flatbuffer.mapping import copying_files
        from ..sections.sections import is_model_file, open_sections

        if not is_model_file(content):
            return self._compiled(content, NO_SHAPES)
        if self._context.input_shapes:
            raise InputError(
                "Context.input_shapes is for models that are compiled now; this model was compiled before, and its "
                "shapes were chosen then."
            )
        with copying_files(self._context.copy_weights):
            file = open_sections(content)
            file.checking()  # the check begins, and goes on during the import
            from ..inference.compiling.import_model import import_opened

            return import_opened(file, settings_of(self._context))

    @loading
    def of_graph(self, graph: Graph, shapes: InputShapes = NO_SHAPES) -> CompiledModel:
        """The model of a graph, compiled or loaded from the context's cache.

        Args:
            graph: the model.
            shapes: shapes of inputs, by name or position, also with ranges; for other inputs the context's shapes
                count.

        Raises:
            LiteDelegateError: see ``Model.build_from_graph``.
        """
        return self._compiled(graph, shapes)

    def _compiled(self, model: Content | Graph, shapes: InputShapes) -> CompiledModel:
        from ..inference.compiling.uncompiled_model import ReadOptions, UncompiledModel, file_options

        context, shared = self._context, None if self._pool is None else self._pool.shared
        source = UncompiledModel(model, ReadOptions(shapes, context.input_shapes, shared=shared, opens_all=False))
        settings = settings_of(context)
        return source.compiled(settings, file_options(settings), self._said)


def checked_context(context: Context | None) -> Context:
    """The context of a build; None: a new ``Context``.

    Raises:
        TypeError: the object is no context.
    """
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context must be Context, but got {type(context).__name__}.")
    return Context() if context is None else context


def check_not_encrypted(dec_key: bytes | None, dec_mode: str, dec_num_parallel: int) -> None:
    """Checks that a build is not for an encrypted file.

    Raises:
        TypeError: an argument has the wrong type.
        InputError: there is a key: encrypted files are not read.
    """
    check_type("dec_mode", dec_mode, str)
    check_type("dec_num_parallel", dec_num_parallel, int)
    if dec_key is not None:
        check_type("dec_key", dec_key, bytes)
        raise InputError("dec_key must be None: encrypted models are not supported.")
