"""ONNX Runtime with its OpenVINO provider, in a process of another interpreter: its package shuts out the plain one.

``Provider`` starts ``PYTHON -m benchmarks.provider MODEL INPUTS.npz OUTPUTS.npz THREADS``. That interpreter needs numpy
and ``onnxruntime-openvino``, or ``onnxruntime`` and the plugin ``onnxruntime-ep-openvino``; nothing of this project. It
says first what runs where, then takes a turn at each line, and says the seconds of its calls. Its lines are JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.turns import take_turns, turn_of

Array = np.ndarray[Any, Any]

PROVIDER = "OpenVINOExecutionProvider"
PLUGIN = "onnxruntime_ep_openvino"
TRIED = 3
"""Turns by which the quicker level of optimization is found."""


class NoProvider(Exception):
    """The interpreter has no OpenVINO provider that finds a device."""


class Provider:
    """A model in a process of that interpreter.

    Attributes:
        about: versions, and how many nodes or subgraphs each provider has.
        outputs: what the model gives, checked by the caller.
    """

    def __init__(self, python: str, path: Path, feeds: Mapping[str, Array], threads: int, folder: Path) -> None:
        """Loads the model.

        Raises:
            NoProvider: the interpreter is not there, or has no such provider; the message says why.
        """
        files = [str(folder / name) for name in ("inputs.npz", "outputs.npz")]
        np.savez(files[0], allow_pickle=False, **feeds)
        self._python = python
        command = [python, "-m", "benchmarks.provider", str(path), *files, str(threads)]
        env, pipe = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}, subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env)
        except OSError as error:
            raise NoProvider(f"{python}: {error.strerror}") from error
        said = self._answer()
        if "missing" in said:
            self.close()
            raise NoProvider(f"{python}: {said['missing']}")
        self.about: str = said["about"]
        with np.load(files[1]) as given:
            self.outputs = [given[name] for name in given.files]

    def turn(self) -> list[float]:
        """Takes a turn there, and gives the seconds of its calls."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        found: list[float] = self._answer()
        return found

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise NoProvider(f"{self._python}: the process ended with status {self._process.wait()}")
        return json.loads(line)


def session_of(path: str, threads: int, **more: Any) -> Any:
    """A session with the provider; ``more`` are attributes of its options.

    Raises:
        NoProvider: there is none that finds a device.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    for name, value in more.items():
        setattr(options, name, value)
    given = {"num_of_threads": str(threads)}
    if PROVIDER in onnxruntime.get_available_providers():
        providers = [(PROVIDER, {"device_type": "CPU", **given}), "CPUExecutionProvider"]
        return onnxruntime.InferenceSession(path, options, providers=providers)
    if importlib.util.find_spec(PLUGIN) is None:
        raise NoProvider(f"onnxruntime {onnxruntime.__version__} has no OpenVINO provider, and there is no {PLUGIN}")
    if not any("OpenVINO" in each.ep_name for each in onnxruntime.get_ep_devices()):
        onnxruntime.register_execution_provider_library(PLUGIN, importlib.import_module(PLUGIN).get_library_path())
    devices = [each for each in onnxruntime.get_ep_devices() if "OpenVINO" in each.ep_name]
    on_cpu = [each for each in devices if each.device.type == onnxruntime.OrtHardwareDeviceType.CPU]
    if not on_cpu:
        raise NoProvider(f"{PLUGIN} finds no CPU that it takes")
    options.add_provider_for_devices(on_cpu[:1], given)
    return onnxruntime.InferenceSession(path, options)


def quickest(path: str, feeds: Mapping[str, Array], threads: int) -> Any:
    """The quicker of two sessions: ONNX Runtime optimizes what the provider leaves, or leaves the file as it is."""
    from onnxruntime import GraphOptimizationLevel as Level

    levels = Level.ORT_ENABLE_ALL, Level.ORT_DISABLE_ALL
    sessions = [session_of(path, threads, graph_optimization_level=level) for level in levels]
    taken = take_turns([partial(each.run, None, feeds) for each in sessions], TRIED)
    return min(zip(taken, sessions, strict=True), key=lambda pair: min(pair[0]))[1]


def placed(path: str, feeds: Mapping[str, Array], threads: int, folder: Path) -> str:
    """The number of nodes of each provider in one run; a subgraph that is one node counts once."""
    session = session_of(path, threads, enable_profiling=True, profile_file_prefix=str(folder / "profile"))
    session.run(None, feeds)
    profile = Path(session.end_profiling())
    events = json.loads(profile.read_text())
    profile.unlink()
    names = [each["args"]["provider"] for each in events if each["name"].endswith("_kernel_time")]
    return ", ".join(f"{count} on {name}" for name, count in sorted(Counter(names).items()))


def main() -> None:
    """Loads the model, then answers each line of the standard input."""
    model, inputs, outputs, threads = *sys.argv[1:4], int(sys.argv[4])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    with np.load(inputs) as given:
        feeds = {name: given[name] for name in given.files}
    try:
        session = quickest(model, feeds, threads)
    except (NoProvider, ImportError) as error:
        print(json.dumps({"missing": str(error)}), file=answers, flush=True)
        return
    np.savez(outputs, *session.run(None, feeds))
    import onnxruntime

    about = f"onnxruntime {onnxruntime.__version__}: {placed(model, feeds, threads, Path(outputs).parent)}"
    print(json.dumps({"about": about}), file=answers, flush=True)
    for _ in sys.stdin:
        print(json.dumps(turn_of(lambda: session.run(None, feeds))), file=answers, flush=True)


if __name__ == "__main__":
    main()
