"""Plots of profiles, estimates, comparisons and partitions, by matplotlib: each draws on an Axes and returns it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..basics.deferred import optional_package
from ..basics.words.names import shorten
from ..benchmark import TimeProfile
from ..compare import ComparisonReport
from ..errors import InputError
from ..inference import CompiledModel
from ..report import PartitionReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METRICS = ("snr_db", "max_abs", "max_rel", "max_ulp", "cosine")
LABEL = 40
"""Characters of a name beside a bar."""


def plot_kernel_times(profile: TimeProfile, *, most: int = 20, ax: Axes | None = None) -> Axes:
    """The time of each kernel in a prediction: CPU kernels and subgraphs, measured on the host, the slowest first.

    Args:
        profile: of ``benchmark`` with ``BenchmarkOptions(profile=True)``.
        most: kernels that are drawn.
        ax: the axes to draw on; None: new axes.

    Raises:
        InputError: matplotlib is not installed.
    """
    ax = _axes(ax)
    ran = [(each.total_ns, each.name, "CPU kernel") for each in profile.kernels]
    ran += [(each.total_ns, each.name, "subgraph") for each in profile.subgraphs]
    ran = sorted(ran, reverse=True)[:most]
    for number, kind in enumerate(("CPU kernel", "subgraph")):
        bars = {i: ns / profile.latency.runs / 1e6 for i, (ns, _, of) in enumerate(ran) if of == kind}
        if bars:
            ax.barh(list(bars), list(bars.values()), color=f"C{number}", label=kind)
    _name_bars(ax, [name for _, name, _ in ran])
    ax.set_xlabel("ms per prediction, on the host")
    return ax


def plot_memory(model: CompiledModel, *, ax: Axes | None = None) -> Axes:
    """The fast memory of the devices in use over the time of a prediction, by the delegates' estimates.

    Args:
        model: a compiled model whose delegates estimate their layers.
        ax: the axes to draw on; None: new axes.

    Raises:
        InputError: no delegate estimates the memory of its layers, or matplotlib is not installed.
    """
    ax, end = _axes(ax), 0.0
    times, used = [0.0], [0.0]
    for kernel in model.graph_kernels:
        estimate, start = kernel.estimate(), end
        for layer in () if estimate is None else estimate.layers:
            at = end if layer.estimated_start_us is None else start + layer.estimated_start_us
            end = max(end, at + layer.estimated_us)
            times.append(at)
            used.append(layer.memory_bytes / 2**10)
        end = end if estimate is None else max(end, start + estimate.estimated_us)
    if not any(used):
        raise InputError(f"{model!r}: no delegate estimates the memory of its layers, so there is nothing to plot.")
    ax.step([*times, end], [*used, 0.0], where="post")
    ax.set_xlabel("us, estimated")
    ax.set_ylabel("KiB of fast memory, estimated")
    return ax


def plot_errors(comparison: ComparisonReport, *, metric: str = "snr_db", ax: Axes | None = None) -> Axes:
    """The error of each output of each subgraph, or of each kernel where kernels were compared, in execution order.

    Tensors without a difference, whose signal-to-noise ratio is infinite, leave a gap.

    Args:
        comparison: of ``compare``; ``CompareOptions(kernels=True)`` compares kernel by kernel.
        metric: snr_db, max_abs, max_rel, max_ulp or cosine, see ``Metrics``.
        ax: the axes to draw on; None: new axes.

    Raises:
        InputError: there is no such metric, or matplotlib is not installed.
    """
    if metric not in METRICS:
        raise InputError(f"plot_errors draws {', '.join(METRICS)}, got '{metric}'.")
    ax = _axes(ax)
    parts = [part for each in comparison.subgraphs for part in each.parts or (each,)]
    tensors = [tensor for part in parts for tensor in part.tensors]
    found = [None if tensor.own is None else getattr(tensor.own, metric) for tensor in tensors]
    ax.plot([float("nan") if value is None else value for value in found], marker="o")
    ax.set_xticks(range(len(tensors)), [shorten(each.name, LABEL) for each in tensors], rotation=90, parse_math=False)
    ax.set_ylabel({"snr_db": "SNR in dB"}.get(metric, metric))
    return ax


def plot_coverage(report: PartitionReport, *, ax: Axes | None = None) -> Axes:
    """The number of nodes on each device.

    Args:
        report: of ``partition_report``.
        ax: the axes to draw on; None: new axes.

    Raises:
        InputError: matplotlib is not installed.
    """
    ax = _axes(ax)
    devices = Counter(node.device for node in report.nodes)
    ax.barh(range(len(devices)), list(devices.values()))
    _name_bars(ax, list(devices))
    ax.set_xlabel("nodes")
    return ax


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    optional_package("matplotlib", "Plots are drawn by matplotlib", "plot")
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def _name_bars(ax: Axes, names: list[str]) -> None:
    """The names of bars, the first on top. Names are no mathematical text, whatever signs they have."""
    ax.set_yticks(range(len(names)), [shorten(name, LABEL) for name in names], parse_math=False)
    ax.invert_yaxis()
    if len(ax.containers) > 1:
        ax.legend()
