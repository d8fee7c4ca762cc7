"""The environment of processes on other nodes: modules that this process finds, they find."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Mapping
from importlib import import_module
from typing import Any

PATH = "PYTHONPATH"


def runtime_environment(given: Mapping[str, Any]) -> dict[str, Any]:
    """The ``runtime_env`` of actors: the user's, with the folders of modules that this process has and Ray does not
    hand on. Without any, processes that Ray has started already are of use.

    Args:
        given: the ``runtime_env`` of the user.
    """
    added = added_folders(is_client=is_client())
    if not added:
        return dict(given)
    variables = dict(given.get("env_vars", {}))
    folders = [each for each in (variables.get(PATH), *added) if each]
    variables[PATH] = os.pathsep.join([*folders, f"${{{PATH}}}"])
    return {**given, "env_vars": variables}


def is_client() -> bool:
    """Whether this process is connected to its cluster through an address ``ray://``."""
    return bool(import_module("ray.util").client.ray.is_connected())


def added_folders(*, is_client: bool = False) -> list[str]:
    """The folders of ``sys.path`` that are neither the interpreter's own nor handed on by Ray.

    Args:
        is_client: whether the process is a client of its cluster: Ray hands on the script's folder and the working
            folder of other processes alone.
    """
    own = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    own |= {*site.getsitepackages(), os.path.join(sysconfig.get_path("stdlib"), "lib-dynload")}
    if not is_client:
        own |= {os.path.dirname(os.path.realpath(sys.argv[0])), os.path.abspath(os.curdir)}
    folders = [os.path.abspath(each) for each in sys.path]
    return list(dict.fromkeys(each for each in folders if os.path.isdir(each) and each not in own))
