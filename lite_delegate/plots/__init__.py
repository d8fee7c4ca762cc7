"""Plots of profiles, estimates, comparisons and partitions, for notebooks."""

from .drawing import plot_coverage, plot_errors, plot_kernel_times, plot_memory

__all__ = ["plot_coverage", "plot_errors", "plot_kernel_times", "plot_memory"]
