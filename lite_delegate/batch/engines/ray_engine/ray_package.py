"""The package ray, and the connection to a cluster."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from ....basics.deferred import optional_package
from ....basics.failures import said
from ....errors import InputError

ANSWER_SECONDS = 10.0
"""Seconds that a cluster has to answer."""
USAGE = "RAY_USAGE_STATS_ENABLED"
"""The environment variable without which a cluster reports its use to Ray's makers."""
HERE = "none"
"""The address that stands for a cluster that is started here and ends with this process."""


def ray_package() -> Any:
    """The package.

    Raises:
        InputError: it is not installed; the message names the extra.
    """
    return optional_package("ray", "Work on many machines needs Ray", "ray")


def connected(address: str | None) -> bool:
    """Connects this process to a cluster, unless it is connected. True if the connection is new.

    A cluster that is started here reports nothing to Ray's makers, unless the environment says so.

    Args:
        address: ``auto``, ``ray://HOST:PORT``, ``HOST:PORT``; ``none``: a cluster is started here; None: the
            environment variable ``RAY_ADDRESS`` says it, and without it a cluster is started here.

    Raises:
        InputError: there is no such cluster.
    """
    ray = ray_package()
    if ray.is_initialized():
        return False
    asked = address or os.environ.get("RAY_ADDRESS") or HERE
    try:
        _check_answers(asked)
        if asked == HERE:
            os.environ.setdefault(USAGE, "0")
        ray.init("local" if asked == HERE else asked, logging_level=logging.WARNING)
    except (ImportError, OSError, RuntimeError, ValueError) as e:
        raise InputError(f"--address {asked}: {said(e)}") from e
    return True


def _check_answers(address: str) -> None:
    """Ray itself waits for a cluster that does not answer for ten minutes.

    Raises:
        OSError: nothing answers at the address.
    """
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
