"""The nodes of a model file that a node comes from."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from ..basics.data_class import dataclass
from ..basics.words.one_line import Brief


@dataclass(frozen=True, slots=True)
class Source(Brief):
    """A node of a model file, by the names that viewers of the file show.

    Attributes:
        name: the node's name in the file; a node without a name has the name that the format's reader gives it.
        op_type: the file's operator type: "Conv", "com.microsoft.QLinearAdd", "CONV_2D", "Conv2DFusion".
        path: the names of the calls of functions, branches, bodies of loops and subgraphs that the node is in,
            outermost first. Empty in the main graph.
        place: the positions of the path's members at each level, and the node's own position: unique in the file. Empty
            for a node that a pass made, which is in no file.
    """

    name: str
    op_type: str
    path: tuple[str, ...] = ()
    place: tuple[int, ...] = ()

    @property
    def full_name(self) -> str:
        """The name behind the names of the path: "loop/body/add"."""
        return "/".join((*self.path, self.name))

    @property
    def numbered_name(self) -> str:
        """Type and position, behind the names of the path: "loop/body/Add-3". "" where the place is not known."""
        return "/".join((*self.path, f"{self.op_type}-{self.place[-1]}")) if self.place else ""


def joined_sources(groups: Iterable[Iterable[Source]]) -> tuple[Source, ...]:
    """All sources, each once, in the order of the file."""
    return tuple(sorted({source for group in groups for source in group}, key=attrgetter("place", "path", "name")))
