"""The header of a compiled model's file: the release, the delegates and the ports, unencrypted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ... import version
from ...delegate import Delegate
from ...errors import DelegateBuildError, FallbackError, ModelFormatError
from ...runtime.planning.rest.cpu_nodes import computed_on_cpu, on_cpu_text, said_of
from ...runtime.records import with_cpu
from ...sections.sections import Bytes, SectionedFile, open_sections
from ...tensors.tensor import Tensor
from .device_names import is_same_device
from .parts import ModelParts

KIND = "compiled model"
SCHEMA = 1
"""The version of the sections; a release that cannot read earlier files has a higher version."""


def header_of(parts: ModelParts, *, has_weights: bool) -> dict[str, Any]:
    """The fields of the header.

    Raises:
        DelegateBuildError: a delegate has no ``cache_key``.
    """
    plan, left = parts.scheduled.plan, computed_on_cpu(parts.scheduled.delegation.models)
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "package": version.VERSION,
        "delegates": [{"name": each.name, "key": dict(key_of(each))} for each in parts.delegates.values()],
        "strict": parts.scheduled.settings.strict,
        "on_cpu": {"kernels": len(left), "first": said_of(left[0]) if left else ""},
        "inputs": [_port(tensor) for tensor in plan.inputs],
        "outputs": [_port(tensor) for tensor in plan.outputs],
        "states": [{"dtype": str(array.dtype), "shape": list(array.shape)} for array in plan.state],
        "weights": "inside" if has_weights else "outside",
    }


def key_of(delegate: Delegate) -> Mapping[str, str]:
    """The properties that a delegate's graph kernels depend on.

    Raises:
        DelegateBuildError: the delegate has no ``cache_key``.
    """
    key = delegate.cache_key()
    if key is None:
        raise DelegateBuildError(
            f"Delegate '{delegate.name}' cannot export: its graph kernels cannot be kept outside of a process "
            "(Delegate.cache_key and export_kernel)."
        )
    return key


def check_kind(file: SectionedFile) -> None:
    """Checks that a file holds a compiled model.

    Raises:
        ModelFormatError: the file holds something else.
    """
    kind = file.fields.get("kind")
    if kind != KIND:
        raise ModelFormatError(f"{file.where}: expected a {KIND}, found {kind!r}.")


def check_versions(file: SectionedFile) -> None:
    """Checks that this release wrote a file.

    Raises:
        ModelFormatError: another release wrote the file.
    """
    for what, found, here in (
        ("schema version", file.fields.get("schema"), SCHEMA),
        ("package version", file.fields.get("package"), version.VERSION),
    ):
        if found != here:
            raise ModelFormatError(
                f"{file.where}: expected {what} {here}, found {found}: compile the model again, or use the release "
                "that wrote it."
            )


def device_of(source: Bytes | str | os.PathLike[str]) -> str:
    """The name of the device that a file was compiled for: ``CPU``, ``NPU.4000``, ``HETERO:A,B,CPU``.

    Raises:
        ModelFormatError: the file holds no compiled model.
    """
    file = open_sections(source)
    check_kind(file)
    return _device_of(file)


def check_whole(file: SectionedFile) -> None:
    """Checks that no node of a compiled model runs on the CPU.

    Raises:
        FallbackError: a node runs on the CPU; the message names the device for an import.
    """
    left = file.fields.get("on_cpu", {"kernels": 0})
    if left["kernels"] and file.fields["delegates"]:
        raise FallbackError(on_cpu_text(left["kernels"], left["first"], _device_of(file)))


def _device_of(file: SectionedFile) -> str:
    names = [str(each["name"]).replace(":", ".") for each in file.fields["delegates"]]
    is_mixed = len(names) > 1 or not file.fields.get("strict", True)
    return with_cpu(",".join(names)) if names and is_mixed else (*names, "CPU")[0]


def check_delegates(file: SectionedFile, delegates: Sequence[Delegate]) -> dict[str, str]:
    """Checks that a file is for these delegates, by their names and keys.

    Returns:
        The names of the delegates in this process, by their names in the file.

    Raises:
        DelegateBuildError: the file is for other delegates.
    """
    wanted = {str(each["name"]): each["key"] for each in file.fields["delegates"]}
    names = [delegate.name for delegate in delegates]
    if len(names) != len(wanted) or not all(map(is_same_device, names, wanted)):
        raise DelegateBuildError(
            f"{file.where}: compiled for {_named(list(wanted))}, found {_named(names)}: give the delegates that it was "
            "compiled for, or compile it again."
        )
    for delegate, key in zip(delegates, wanted.values(), strict=True):
        delegate.check_import(key)
    return dict(zip(wanted, names, strict=True))


def chosen_delegates(file: SectionedFile, delegates: Sequence[Delegate]) -> tuple[Delegate, ...]:
    """The delegates that the plan of a file was made with, in the file's order."""
    wanted = [str(each["name"]) for each in file.fields["delegates"]]
    return tuple(each for name in wanted for each in delegates if is_same_device(each.name, name))


def _named(names: Sequence[str]) -> str:
    if not names:
        return "the CPU alone"
    return f"delegate{'s' * (len(names) > 1)} {', '.join(repr(name) for name in names)}"


def _port(tensor: Tensor) -> dict[str, Any]:
    return {"name": tensor.name, "dtype": tensor.dtype.name, "shape": list(tensor.shape)}
