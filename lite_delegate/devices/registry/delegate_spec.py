"""The delegates that the SPECs of a command line name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from ...basics.similar import did_you_mean
from ...basics.warned import warn
from ...delegate import Delegate
from ...errors import DelegateUnavailable, DelegateWarning, InputError
from .. import DeviceRegistry, Hetero, Physical, parse_device
from .delegate_class import load_class, make_delegate
from .delegate_source import BUILT_IN
from .names import ALIASES, AUTO, CPU, VIRTUAL, Auto

ISOLATED = "isolated"
"""The word before a SPEC whose delegate gets a process of its own."""
OURS = "lite_delegate."
"""The beginning of modules of this package."""
EXTRA = "pip install 'lite-delegate[fast]' for ONNX Runtime and OpenVINO"
NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_NAMED = re.compile(r"([A-Za-z_][\w-]*)=(.+)")
"""``NAME=SPEC``."""
_DEVICE = re.compile(r"([A-Za-z_][\w-]*)((?:\.[^:]+|:(?!.*\.py:).+)?)$")
"""``NAME``, ``NAME.ID``, ``NAME:PROFILE``."""


def parse_options(texts: Iterable[str]) -> dict[str, str]:
    """Options of a delegate, as typed on a command line: ``KEY=VALUE`` each.

    Raises:
        InputError: a text is not ``KEY=VALUE``, or a key is given twice.
    """
    options: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise InputError(f"--delegate-option must be KEY=VALUE, got '{text}'.")
        if key.upper() in map(str.upper, options):
            raise InputError(f"--delegate-option {key} is given twice.")
        options[key] = value
    return options


def resolve_delegate(spec: str, options: Mapping[str, str] = NO_OPTIONS) -> Delegate | None:
    """The delegate of a SPEC.

    1. ``none``: None.
    2. A device: ``npu``, ``npu:PROFILE``, ``NPU.4000.0``, ``acme`` of an installed package. PROFILE is the name of a
       packaged profile or the path of a .toml file.
    3. ``HETERO:npu,CPU``, one delegate with the CPU behind it; see ``resolve_delegates``.
    4. ``auto``, ``AUTO:A,B``, see ``resolve_delegates``.
    5. ``isolated:SPEC``: the delegate of SPEC in a process of its own, see ``lite_delegate.isolated``.
    6. ``a.module:ClassName`` or ``file.py:ClassName``. Modules are looked for in the working directory, too.

    Options are parameters of the class's constructor, see ``make_delegate``.

    Args:
        spec: names the delegate.
        options: the options of the delegate.

    Raises:
        InputError: the SPEC names nothing that exists, or an object that is no delegate, or a delegate without such
            options.
        DelegateUnavailable: the delegate of an installed package cannot be imported or made.
    """
    found = _resolved(spec, options)
    if len(found) > 1:
        raise InputError(f"--delegate {spec}: one delegate is expected, found {len(found)}.")
    return found[0] if found else None


def _resolved(spec: str, options: Mapping[str, str]) -> list[Delegate]:
    """The delegates of a SPEC."""
    if spec == "none":
        if options:
            raise InputError(f"--delegate none has no options, got {', '.join(options)}.")
        return []
    word, _, _ = spec.partition(":")
    if is_auto([spec]):
        return _measurable(spec, options)
    if word == ISOLATED:
        return [Delegate.isolated(spec.partition(":")[2], **options)]
    if word.upper() in VIRTUAL:
        return _shared(spec, options)
    kind, _, rest = spec.rpartition(":") if ".py:" in spec else spec.partition(":")
    registry = DeviceRegistry()
    named = _DEVICE.match(spec)
    if spec.upper() in ALIASES:
        return [_of_device(registry, Physical(*ALIASES[spec.upper()]), options)]
    if named is not None and registry.knows(named[1]):
        return [_of_device(registry, Physical(named[1], named[2][1:]), options)]
    if not kind or not rest:
        devices = [name.lower() for name in registry.names if name != CPU]
        known = ("none", "auto", *devices, *map(str.lower, ALIASES))
        raise InputError(
            f"--delegate must be none, auto, a device ({', '.join(devices)}), npu:PROFILE, package.module:ClassName, "
            f"file.py:ClassName or isolated:SPEC, got '{spec}'{did_you_mean(spec, known) or '.'}"
        )
    made = make_delegate(load_class(kind, rest), f"--delegate {spec}", options)
    made.remake = partial(resolve_delegate, spec, dict(options))
    return [made]


def isolated_spec(text: str) -> str:
    """A SPEC, or ``NAME=SPEC``, with ``isolated:`` before it where its delegate is not of this package.

    Devices that are made of others stay as they are; so do all on systems where there is no isolation.
    """
    named = _NAMED.fullmatch(text)
    name, spec = ("", text) if named is None else (f"{named[1]}=", named[2])
    word = spec.partition(":")[0]
    is_kept = word == ISOLATED or word.upper() in (*VIRTUAL, *BUILT_IN, *ALIASES) or word.startswith(OURS)
    device = _DEVICE.match(spec)
    is_known = ":" in spec or (device is not None and DeviceRegistry().knows(device[1]))
    if is_kept or not is_known or not hasattr(os, "memfd_create"):
        return text
    return f"{name}{ISOLATED}:{spec}"


def _of_device(registry: DeviceRegistry | None, part: Physical, options: Mapping[str, str]) -> Delegate:
    """The delegate of a device, which another process can make as well."""
    made = (registry or DeviceRegistry()).delegate(part, options)
    made.remake = partial(_of_device, None, part, dict(options))
    return made


def _shared(spec: str, options: Mapping[str, str]) -> list[Delegate]:
    """The delegates of ``HETERO:A,B,CPU``, named after the devices. The options of several delegates are ``N.KEY``."""
    device = parse_device(spec)
    if not isinstance(device, Hetero):
        raise InputError(f"--delegate {spec}: of devices made of other devices, commands take HETERO and AUTO only.")
    *parts, last = device.parts
    if not parts or not last.is_cpu:
        raise InputError(f"--delegate {spec}: expected the CPU as the last of several devices, as in HETERO:npu,CPU.")
    registry = DeviceRegistry()
    apart = [options] if len(parts) == 1 else _options_apart(options, len(parts))
    return _named(registry, parts, apart)


def _named(registry: DeviceRegistry, parts: Sequence[Physical], apart: Sequence[Mapping[str, str]]) -> list[Delegate]:
    """The delegates of devices with their options, under the names of the devices."""
    found = [_of_device(registry, part, each) for part, each in zip(parts, apart, strict=True)]
    for delegate, part in zip(found, parts, strict=True):
        delegate.name = registry.name_of(part)
    return found


def is_auto(specs: Sequence[str]) -> bool:
    """Whether SPECs ask for the fastest of several plans, ``auto`` or ``AUTO:A,B``."""
    return len(specs) == 1 and specs[0].partition(":")[0].upper() == AUTO


def _measurable(spec: str, options: Mapping[str, str]) -> list[Delegate]:
    """The delegates of the devices in ``AUTO:A,B``; for ``auto``, of all present devices that are not simulated."""
    registry = DeviceRegistry()
    named = parse_device(spec)
    if not isinstance(named, Auto):
        raise InputError(f"--delegate {spec}: expected auto, or devices as in AUTO:openvino,onnxruntime.")
    if any(part.is_cpu for part in named.excluded):
        raise InputError(f"--delegate {spec}: the CPU runs the remaining nodes, and cannot be left out.")
    parts = [part for part in named.parts if not part.is_cpu] or _real_devices(registry)
    left_out = {part.key for part in named.excluded}
    parts = [part for part in parts if part.key not in left_out]
    if not parts:
        warn(DelegateWarning(f"--delegate {spec}: there is no device beside the CPU: {EXTRA}."))
    apart = [options] if len(parts) == 1 else _options_apart(options, len(parts))
    return _named(registry, parts, apart)


def _real_devices(registry: DeviceRegistry) -> list[Physical]:
    """The devices that are there and not simulated."""
    found = []
    for name in registry.names:
        part = Physical(name)
        if not part.is_cpu and not _is_simulated(registry, part) and not registry.why_absent(part):
            found.append(part)
    return found


def _is_simulated(registry: DeviceRegistry, part: Physical) -> bool:
    """Whether a device is simulated; False where its delegate cannot be made, which is the device's absence."""
    try:
        return registry.delegate(part).is_simulated
    except DelegateUnavailable:
        return False


def resolve_delegates(specs: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> list[Delegate]:
    """The delegates that SPECs name, in their order. ``NAME=SPEC`` gives a delegate another name than its own.

    Args:
        specs: name the delegates; ``none``, ``HETERO:...``, ``auto`` and ``AUTO:A,B`` stand alone. ``auto`` and
            ``AUTO:A,B`` are for ``PartitionOptions(placement="fastest")``: the devices named, or all present devices
            that are not simulated.
        options: the options of the delegate; with several delegates, the keys are ``N.KEY``: KEY for the N-th
            delegate, counted from 1.

    Raises:
        InputError: like ``resolve_delegate``; or two delegates have one name, or an option is for no delegate.
    """
    alone = next((s for s in specs if s == "none" or s.upper().startswith("HETERO:") or is_auto([s])), None)
    if alone is not None and len(specs) > 1:
        raise InputError(f"--delegate {alone} stands alone, it cannot be given with other delegates.")
    if alone is not None:
        return _resolved(alone, options)
    apart = [options] if len(specs) == 1 else _options_apart(options, len(specs))
    found: list[Delegate] = []
    for text, each in zip(specs, apart, strict=True):
        named = _NAMED.fullmatch(text)
        name, spec = (None, text) if named is None else named.groups()
        delegate = resolve_delegate(spec, each)
        if delegate is None:
            continue
        if name is not None:
            delegate.name = name
        twin = next((i for i, other in enumerate(found) if other.name == delegate.name), None)
        if twin is not None:
            raise InputError(
                f"--delegate {specs[twin]} and {text} are both called '{delegate.name}'; "
                f"write --delegate NAME={spec} to give one another name."
            )
        found.append(delegate)
    return found


def _options_apart(options: Mapping[str, str], count: int) -> list[dict[str, str]]:
    apart: list[dict[str, str]] = [{} for _ in range(count)]
    for key, value in options.items():
        number, _, rest = key.partition(".")
        if not (number.isascii() and number.isdigit() and 1 <= int(number) <= count and rest):
            raise InputError(
                f"--delegate-option {key}: with {count} delegates write N.KEY=VALUE, where N from 1 to {count} is the "
                "number of the delegate."
            )
        apart[int(number) - 1][rest] = value
    return apart
