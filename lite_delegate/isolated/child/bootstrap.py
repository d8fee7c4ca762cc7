"""The first file of the child process. Any Python runs it, also one that is too old for anything else.

Arguments: the descriptors of the control socket and of the life socket.
"""

import json
import os
import sys

if False:  # for type checkers; Python 3.6 has other names
    from importlib.machinery import ModuleSpec
    from typing import Any


def versions() -> "dict[str, object]":
    """The versions of the interpreter and of numpy, and why numpy cannot be imported."""
    found = {"python": list(sys.version_info[:3]), "numpy": None, "error": ""}  # type: dict[str, object]
    try:
        import numpy

        found["numpy"] = numpy.__version__
    except BaseException as e:
        found["error"] = type(e).__name__ + ": " + str(e)
    return found


def die_with_parent(life: int) -> None:
    """The kernel kills this process when the parent's end of the life socket is closed, whatever code runs then."""
    import fcntl
    import signal

    set_signal = 10  # F_SETSIG of Linux
    fcntl.fcntl(life, set_signal, signal.SIGKILL)
    fcntl.fcntl(life, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(life, fcntl.F_SETFL, fcntl.fcntl(life, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)


def line_from(control: int) -> "dict[str, Any]":
    """A line from the parent, byte by byte: nothing behind it is read."""
    text = b""
    while not text.endswith(b"\n"):
        byte = os.read(control, 1)
        if not byte:
            os._exit(0)
        text += byte
    found = json.loads(text.decode("utf-8"))  # type: dict[str, Any]
    return found


class Roots:
    """Finds the packages of lite_delegate where the parent has them, and nothing else there."""

    def __init__(self, folders: "dict[str, str]") -> None:
        self._folders = folders

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """As finders of ``sys.meta_path``."""
        from importlib.machinery import PathFinder

        folder = self._folders.get(name) if path is None else None
        return None if folder is None else PathFinder.find_spec(name, [folder])


def main(control: int, life: int) -> None:
    """Greets the parent, takes its folders over, and serves it."""
    os.write(control, json.dumps(versions()).encode("utf-8") + b"\n")
    told = line_from(control)
    for each in (control, life):
        os.set_inheritable(each, False)  # programs that the delegate starts must not keep them open
    die_with_parent(life)
    left_out = told["path"] + [os.path.dirname(os.path.abspath(__file__))]
    sys.path[:] = told["path"] + [each for each in sys.path if each not in left_out]
    sys.meta_path.insert(0, Roots(told["roots"]))
    from lite_delegate.isolated.child.serving import serve

    serve(control, told["folder"], told["memory"])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
