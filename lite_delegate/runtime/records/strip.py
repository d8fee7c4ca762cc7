"""The partition as a strip: the nodes in execution order from left to right, in the colors of their devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Protocol

from ...basics.counted import counted
from ...basics.data_class import dataclass
from ...basics.words.fragments import MOST_CHARACTERS
from ...basics.words.names import shorten

WIDTH, HEIGHT = 1000, 40
MOST = 150
"""Pieces of a strip. Of more stretches, neighbors share a piece."""
COLORS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377")
CPU_COLOR = "#bbbbbb"
CHARACTER = 8
"""The width of a character of a label."""


class PlacedNode(Protocol):
    """A node of a partition, such as a ``NodeRecord``."""

    @property
    def graph(self) -> str:
        """The subgraph of the model that it is in, "" in the main graph."""

    @property
    def subgraph(self) -> str | None:
        """The name of the graph kernel it is part of, None on the CPU."""

    @property
    def device(self) -> str:
        """The CPU, or the name of the delegate."""


@dataclass(frozen=True, slots=True)
class StripPiece:
    """Neighbors in the execution order.

    Attributes:
        label: the subgraph, the CPU, or a count of stretches.
        devices: the number of nodes on each device.
    """

    label: str
    devices: Counter[str]


def partition_strip(nodes: Sequence[PlacedNode]) -> str:
    """A drawing of a partition and its legend, as HTML; "" without nodes."""
    if not nodes:
        return ""
    totals = Counter(node.device for node in nodes)
    delegates = [device for device in totals if any(n.device == device and n.subgraph is not None for n in nodes)]
    colors = {device: COLORS[i % len(COLORS)] for i, device in enumerate(delegates)}
    return f"{_drawing(_pieces(nodes), len(nodes), colors)}<div>{_legend(totals, colors)}</div>"


def _pieces(nodes: Sequence[PlacedNode]) -> list[StripPiece]:
    stretches = [list(each) for _, each in groupby(nodes, lambda node: (node.graph, node.subgraph, node.device))]
    if len(stretches) <= MOST:
        return [StripPiece(s[0].subgraph or s[0].device, Counter({s[0].device: len(s)})) for s in stretches]
    size = -(-len(stretches) // MOST)
    joined = [stretches[i : i + size] for i in range(0, len(stretches), size)]
    return [StripPiece(counted(len(some), "stretch", "stretches"), _devices(some)) for some in joined]


def _devices(stretches: Sequence[Sequence[PlacedNode]]) -> Counter[str]:
    return Counter(node.device for stretch in stretches for node in stretch)


def _drawing(pieces: Sequence[StripPiece], nodes: int, colors: dict[str, str]) -> str:
    parts, left = [], 0.0
    for piece in pieces:
        width = WIDTH * piece.devices.total() / nodes
        parts.append(_drawn(piece, left, width, colors))
        left += width
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="partition" '
        f'style="width:100%;max-width:{WIDTH}px;height:{HEIGHT}px">{"".join(parts)}</svg>'
    )


def _drawn(piece: StripPiece, left: float, width: float, colors: dict[str, str]) -> str:
    top, bars = 0.0, []
    for device, count in sorted(piece.devices.items()):
        height = HEIGHT * count / piece.devices.total()
        box = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
        bars.append(f'<rect {box} fill="{colors.get(device, CPU_COLOR)}" stroke="#fff"/>')
        top += height
    said = ", ".join(f"{counted(count, 'node')} on {device}" for device, count in sorted(piece.devices.items()))
    room = int(width / CHARACTER)
    label = f'<text x="{left + 4:.1f}" y="24" font-size="12">{escape(shorten(piece.label, room))}</text>'
    title = escape(shorten(f"{piece.label}: {said}", 200))
    return f"<g><title>{title}</title>{''.join(bars)}{label if room > 8 else ''}</g>"


def _legend(totals: Counter[str], colors: dict[str, str]) -> str:
    return " ".join(
        f'<span style="color:{colors.get(device, CPU_COLOR)}">&#9632;</span> '
        f"{escape(shorten(device, MOST_CHARACTERS))}: {counted(count, 'node')}&ensp;"
        for device, count in totals.items()
    )
