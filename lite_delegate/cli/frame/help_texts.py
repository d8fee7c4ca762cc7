"""The commands, the groups that their options are listed in, and examples."""

from __future__ import annotations

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "batch": "Runs MODEL over a data set.",
    "benchmark": "Measures how long predictions of MODEL take.",
    "cache clear": "Removes all entries of a cache.",
    "cache explain": "Says whether MODEL is in a cache, and if not, why.",
    "cache list": "Lists the entries of a cache.",
    "cache prune": "Removes the entries that were used least recently.",
    "cache verify": "Reads all entries of a cache and says which are damaged.",
    "calibrate": "Measures the times of kernels, for placement by gain.",
    "compare": "Shows where a delegate's numbers leave the reference's.",
    "compile": "Compiles MODEL and writes it to a file.",
    "conformance": "Runs the operator suite.",
    "convert": "Writes MODEL as a .ms, .onnx or .tflite file.",
    "demo": "Classifies digits with the model that ships with the package.",
    "devices": "Lists devices, also absent ones with the reason.",
    "properties": "Lists the properties of a device with values and effects.",
    "info": "Shows the contents of MODEL.",
    "report": "Shows which device runs each node of MODEL, and why.",
    "report diff": "Shows the changes between two reports.",
    "run": "Runs MODEL once and shows its outputs.",
    "samples": "Writes rows of a data set as samples of MODEL, for --samples.",
    "telemetry": "Shows the activity of a device while it runs a model.",
}
"""Each command with a line for the list of commands. The module and the function of a command are called as it is, with
``_`` between words. They are imported when the command runs: the list of commands, and other commands, do without.
"""


WORDS: Mapping[str, str] = {"cache": "Looks after a cache of compiled models."}
"""The first words of two-word commands that are no commands themselves, each with its help text."""
OWN = "Options"
"""The group of options that one command has for itself."""
GROUPS: Mapping[str, str] = {
    "Input": "input image labels random-seed data map constant type preprocess mean std samples count batch chunk-rows "
    "whole-inputs max-errors steps signature input-shape label worst",
    "Delegate": "delegate delegate-option strict allow-fallback on-delegate-error try-first try-timeout isolation",
    OWN: "",
    "Split between delegates and CPU": "placement min-kernels max-subgraphs max-kernels-per-subgraph connected "
    "allow-type deny-type allow-node deny-node group times affinity pin repair-tries calibration-ms",
    "CPU, memory and graph": "threads cpu-backends reference-kernels cache-dir optimize no-rewrite copy-weights "
    "memory-limit step-limit stateful",
    "Workers": "engine workers memory chunk-timeout address resources place-timeout jobs timeout",
    "Output": "output format full save data-output trace quiet verbose traceback help",
}
"""The names of options by group, in the order of the help."""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "batch": ("batch model.onnx --input photos --output answers --delegate openvino",),
    "benchmark": ("benchmark model.onnx --delegate openvino", "benchmark model.onnx --delegate npu --profile"),
    "cache list": ("cache list --cache-dir compiled",),
    "cache prune": ("cache prune --cache-dir compiled --size 2000000000",),
    "calibrate": ("calibrate model.onnx --delegate npu -o times.json",),
    "compare": ("compare model.onnx --delegate npu", "compare model.onnx --delegate npu --bisect --save findings"),
    "compile": ("compile model.onnx --delegate npu -o model.ldm",),
    "conformance": ("conformance --delegate npu", "conformance --delegate mine.py:Mine --op Softmax"),
    "convert": ("convert model.onnx -o model.ms", "convert model.tflite -o model.onnx"),
    "info": ("info model.onnx",),
    "properties": ("properties openvino",),
    "report": (
        "report model.onnx --delegate npu",
        "report model.onnx --what-if",
        "report model.onnx --format html -o report.html",
        "report diff before.json after.json",
    ),
    "report diff": ("report diff before.json after.json",),
    "run": ("run model.onnx --input x.npy --delegate npu", "run model.onnx --image cat.jpg --labels names.txt"),
    "samples": ("samples model.onnx --input photos --preprocess photos.toml -o samples.npz",),
    "telemetry": ("telemetry model.onnx --device NPU",),
}
"""Examples by command, without the program's name."""

_GROUP_OF = {name: group for group, names in GROUPS.items() for name in names.split()}


def group_of(option: str) -> str:
    """The group of an option, by its long name without dashes."""
    return _GROUP_OF.get(option, OWN)


def shared_options() -> Mapping[str, str]:
    """The options that several commands may have, by long name without dashes."""
    return _GROUP_OF
