"""Passes: graph to graph, with a contract that is checked."""

from .dead_code import DeadCodePass
from .graph_pass import GraphPass, PassResult, check_order, run_passes

__all__ = ["DeadCodePass", "GraphPass", "PassResult", "check_order", "run_passes"]
