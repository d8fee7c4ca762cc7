"""The contract of every pass over any kind of graph: its requirements, its result, and an honest ``modified``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from ...basics.data_class import dataclass
from ...basics.unforeseen import rejecting_unforeseen
from ...basics.words.one_line import Brief, OneLine, quoted
from ...delegate import cancel_point
from ...errors import LiteDelegateError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PassResult(Brief, Generic[T]):
    """The result of a pass.

    Attributes:
        graph: the rewritten graph or module of instructions; the given object when nothing changed.
        modified: whether anything changed.
    """

    graph: T
    modified: bool


class Pass(ABC, OneLine, Generic[T]):
    """A rewrite. A pass never changes the given graph: it makes new objects.

    Attributes:
        name: for messages, reports and the command line; lower case, with hyphens, and stable.
        runs_after: passes that must have run before this one.
        follows: passes that, where they run at all, must have run before this one.
    """

    name: ClassVar[str]
    runs_after: ClassVar[tuple[type[Pass[Any]], ...]] = ()
    follows: ClassVar[tuple[type[Pass[Any]], ...]] = ()

    def requires(self, graph: T) -> None:
        """Checks the conditions before the pass; none by default. Raises a LiteDelegateError that names a violation."""
        return None

    @abstractmethod
    def call(self, graph: T) -> PassResult[T]:
        """The rewritten graph. ``modified`` is true exactly when the result differs from the given graph."""

    def ensures(self, graph: T) -> None:
        """Checks the conditions after the pass, changed or not; none by default. Raises as ``requires``."""
        return None

    def _line(self) -> str:
        return quoted(self.name)


@dataclass(frozen=True, slots=True)
class PassRunner(Generic[T]):
    """Runs passes over one kind of graph.

    Attributes:
        error: the error that is raised where a pass breaks the contract.
        check: called with the name of each pass, its argument and its result; raises where the result breaks a rule.
            The next pass gets the graph that it returns.
    """

    error: type[LiteDelegateError]
    check: Callable[[str, T, PassResult[T]], T]

    def run(
        self,
        graph: T,
        passes: Sequence[Pass[T]],
        progress: Callable[[str], None] | None = None,
        after: Callable[[str, T], None] | None = None,
    ) -> PassResult[T]:
        """Applies passes one after another, and checks the result of each.

        Args:
            graph: the graph to rewrite, which keeps the rules of its kind.
            passes: the passes in the order in which they run.
            progress: called with the name of each pass before it runs.
            after: called with the name of each pass and its checked result.

        Raises:
            LiteDelegateError: (of the runner's type) a pass comes before a pass that it must follow, reports its
                changes wrongly, or its result breaks a rule. The message names the pass.
            ModelFormatError: a pass raised something else, which is the cause.
        """
        check_order(passes, self.error)
        modified = False
        for each in passes:
            cancel_point()
            if progress is not None:
                progress(each.name)
            with rejecting_unforeseen(f"Pass '{each.name}'"):
                graph, is_new = self._applied(each, graph)
            modified = modified or is_new
            if after is not None:
                after(each.name, graph)
        return PassResult(graph, modified)

    def _applied(self, each: Pass[T], graph: T) -> tuple[T, bool]:
        """The graph after a pass, checked, and whether it changed."""
        self._stated(each.requires, graph, f"Pass '{each.name}' cannot run")
        result = each.call(graph)
        if result.modified == (result.graph is graph):
            told, given = ("something", "the very same") if result.modified else ("nothing", "another")
            raise self.error(f"Pass '{each.name}' says that {told} changed, but gives {given} graph.")
        checked = self.check(each.name, graph, result)
        self._stated(each.ensures, checked, f"Pass '{each.name}' does not keep its word")
        return checked, result.modified

    def _stated(self, statement: Callable[[T], None], graph: T, what: str) -> None:
        try:
            statement(graph)
        except LiteDelegateError as e:
            raise self.error(f"{what}: {e}") from e


def check_order(passes: Sequence[Pass[T]], error: type[LiteDelegateError]) -> None:
    """Checks that every pass comes after the passes it must follow.

    Raises:
        LiteDelegateError: of the given type; names the two passes.
    """
    for position, each in enumerate(passes):
        before = {type(p) for p in passes[:position]}
        behind = {type(p) for p in passes[position + 1 :]}
        missing = [p for p in each.runs_after if p not in before] + [
            p for p in each.follows if p in behind and p not in before
        ]
        if missing:
            name = missing[0].name
            raise error(f"Pass '{each.name}' must run after pass '{name}'; put that one before it.")
