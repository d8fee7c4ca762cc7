"""Clusters of Ray on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_SCHEDULER_EVENTS": "0"}
"""Ray reports nothing to its makers, and writes no token into the home folder."""
STORE = 80 * 2**20


@contextmanager
def cluster_of(*processors: int) -> Iterator[Any]:
    """A cluster with a node for each number of CPUs, the head first; this process is connected to it."""
    import ray
    from ray.cluster_utils import Cluster

    with patch.dict(os.environ, QUIET):
        head = {"num_cpus": processors[0], "object_store_memory": STORE, "include_dashboard": False}
        made = Cluster(initialize_head=True, head_node_args=head)
        for count in processors[1:]:
            add_node(made, count)
        ray.init(made.address, log_to_driver=False, logging_level=logging.ERROR)
        try:
            yield made
        finally:
            ray.shutdown()
            made.shutdown()


def add_node(cluster: Any, processors: int = 1) -> Any:
    """A further node of a cluster."""
    return cluster.add_node(num_cpus=processors, object_store_memory=STORE)
