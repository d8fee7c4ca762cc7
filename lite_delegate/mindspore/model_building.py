"""What a Model is built of: a file, bytes or a graph, compiled, or out of the context's cache."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..basics.warned import warn
from ..errors import CacheWarning, InputError
from ..inference.compiling.collecting import loading
from ..inference.shapes.given_shapes import NO_SHAPES, InputShapes, NamedShapes, shapes_of
from ..ir import Graph
from .context.context import Context
from .context.context_settings import settings_of
from .context.device_info import check_type

if TYPE_CHECKING:
    from ..inference.model.compiled_model import CompiledModel
    from .weights import WeightPool

Content = Path | bytes | bytearray | memoryview


class Building:
    """How a model is compiled.

    Args:
        context: where it is to run.
        pool: of the models that it shares constants with; None: it shares none.
        said: gets what the user is to be warned of.
    """

    def __init__(self, context: Context, pool: WeightPool | None, said: list[str]) -> None:
        self._context = context
        self._pool = pool
        self._said = said

    @loading
    def of_content(self, content: Content) -> CompiledModel:
        """The model in a file or in bytes. One that ``export`` wrote is imported: nobody is asked, nothing is said.

        Raises:
            LiteDelegateError: see ``Model.build_from_file``.
        """
        from ..flatbuffer.mapping import copying_files

        with copying_files(self._context.copy_weights):
            return self._of_content(content)

    def _of_content(self, content: Content) -> CompiledModel:
        from ..sections.sections import is_model_file, open_sections

        if is_model_file(content):
            if self._context.input_shapes:
                raise InputError(
                    "Context.input_shapes is for models that are compiled, and this is one that has been: its shapes "
                    "were chosen then."
                )
            file = open_sections(content)
            file.checking()  # begins, and goes on while what is needed next is imported
            from ..inference.compiling.import_model import import_opened

            return import_opened(file, settings_of(self._context))
        if self._context.input_shapes:
            return self._of_shapes(self._graph_in(content), NO_SHAPES)
        return self._of_model(content)

    @loading
    def of_graph(self, graph: Graph, shapes: InputShapes = NO_SHAPES) -> CompiledModel:
        """A model of a graph, out of the context's cache where it has one.

        Args:
            graph: verified.
            shapes: of inputs, by name or position, also with ranges; those of the context are for the others.

        Raises:
            LiteDelegateError: see ``Model.build_from_graph``.
        """
        return self._of_shapes(self._prepared(graph), shapes)

    def _of_shapes(self, graph: Graph, shapes: InputShapes) -> CompiledModel:
        from ..inference.compiling.opening import opened

        given, usual = (shapes_of(each).named(graph.inputs) for each in (shapes, self._context.input_shapes))
        rest = {name: pairs for name, pairs in usual.bounded.items() if name not in given.largest}
        both = NamedShapes({**usual.largest, **given.largest}, {**rest, **given.bounded})
        compiled = self._of_graph(graph, both)
        return opened(compiled, both.bounded) if both.bounded else compiled

    def _of_graph(self, graph: Graph, shapes: NamedShapes) -> CompiledModel:
        from ..inference.compiling.compiling import compile_graph
        from ..inference.shapes.dimensions import check_dimensions

        def make() -> CompiledModel:
            settings = settings_of(self._context)
            check_dimensions(graph, shapes, settings)
            return compile_graph(graph, settings, self._said, shapes.largest)

        if self._context.cache is None:
            return make()
        from ..inference.compiling.caching import compiled_through_cache
        from ..inference.compiling.recipe import recipe_of_graph

        recipe = recipe_of_graph(graph, make, shapes.to_dict())
        return compiled_through_cache(recipe, settings_of(self._context), self._context.cache, _warn)

    def _of_model(self, content: Content) -> CompiledModel:
        def graph() -> Graph:
            return self._graph_in(content)

        def make() -> CompiledModel:
            return self._compiled(graph())

        if self._context.cache is None:
            return make()
        from ..inference.compiling.recipe import recipe_of_bytes, recipe_of_file

        level = self._context.optimize
        if isinstance(content, Path):
            recipe = recipe_of_file(content, level, graph, make)
        else:
            recipe = recipe_of_bytes(content, level, graph, make)
        from ..inference.compiling.caching import compiled_through_cache  # the file is hashed meanwhile

        return compiled_through_cache(recipe, settings_of(self._context), self._context.cache, _warn)

    def _graph_in(self, content: Content) -> Graph:
        from ..inference.compiling.preparing import imported_graph

        return self._prepared(imported_graph(content, self._context.optimize))

    def _prepared(self, graph: Graph) -> Graph:
        from ..inference.compiling.preparing import prepared_graph

        graph = prepared_graph(graph)
        return graph if self._pool is None else self._pool.shared(graph)

    def _compiled(self, graph: Graph) -> CompiledModel:
        from ..inference.compiling.compiling import compile_graph

        return compile_graph(graph, settings_of(self._context), self._said)


def checked_context(context: Context | None) -> Context:
    """The context of a build, a new one where none was given.

    Raises:
        TypeError: it is none.
    """
    if context is not None and not isinstance(context, Context):
        raise TypeError(f"context must be Context, but got {type(context).__name__}.")
    return Context() if context is None else context


def check_not_encrypted(dec_key: bytes | None, dec_mode: str, dec_num_parallel: int) -> None:
    """Checks what a build was told of an encrypted file.

    Raises:
        TypeError: an argument of the wrong type.
        InputError: there is a key: such files are not read.
    """
    check_type("dec_mode", dec_mode, str)
    check_type("dec_num_parallel", dec_num_parallel, int)
    if dec_key is not None:
        check_type("dec_key", dec_key, bytes)
        raise InputError("dec_key must be None: encrypted models are not supported.")


def _warn(text: str) -> None:
    warn(CacheWarning(text))
