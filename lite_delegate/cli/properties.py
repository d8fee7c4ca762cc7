"""``lite-delegate properties``: the properties of a device or of the core, with values and effects."""

from __future__ import annotations

import click

from ..devices.core import Core
from ..properties import Access, PropertySpec, as_text
from ..properties.document import json_schema
from ..properties.spec import SCOPES, WHENS
from ..reporting.plain import json_text
from ..reporting.styles import Style
from ..reporting.terminal import painted, wrapped
from .frame.command import command
from .options import completion
from .options.options import emit, format_option

_MAY = {Access.RO: "read only", Access.RW: "can be set", Access.WO: "can be set, not read"}


@command()
@click.argument("device", default="NPU", shell_complete=completion.devices)
@format_option("text", "json", "schema")
def properties(device: str, format_: str) -> None:
    """Lists the properties of DEVICE (a name as `lite-delegate devices` lists them; NPU when left out; "core").

    Each with its value, its effect, the origin of the value, whether it can be set, on which objects, and when it
    counts. `schema` is a JSON schema of the properties that can be set.
    """
    core = Core()
    specs = core.properties(device)
    if format_ == "schema":
        emit(json_text(json_schema(specs)), None)
        return
    if format_ == "json":
        emit(json_text({"device": device, "properties": [_row(core, device, spec) for spec in specs]}), None)
        return
    emit("\n\n".join(_shown(core, device, spec) for spec in specs), None)


def _shown(core: Core, device: str, spec: PropertySpec) -> str:
    """A property in lines of the page: its name and value, its effect, the rest."""
    row = _row(core, device, spec)
    value = as_text(row["value"]) if row["value"] is not None else ""
    if isinstance(row["value"], tuple):
        value = value.replace(",", ", ")
    scopes = ", ".join(SCOPES[letter] for letter in spec.scope)
    whens = ", ".join(WHENS[letter] for letter in spec.when)
    rest = "; ".join(filter(None, [f"set by: {row['set_by']}", _MAY[spec.may], scopes, whens]))
    head = wrapped(f"{spec.name} = {value}".rstrip(), rest="    ")
    lines = [f"{painted(spec.name, Style.HEADLINE)}{head[len(spec.name) :]}"]
    return "\n".join([*lines, *(wrapped(text, first="    ", rest="    ") for text in (spec.effect, rest))])


def _row(core: Core, device: str, spec: PropertySpec) -> dict[str, object]:
    value: object = None
    setter = "device" if spec.read_only else ""
    if spec.may is not Access.WO:
        value = core.get_property(spec.name) if device == "core" else core.get_property(device, spec.name)
    if spec.may is Access.RW:
        setter = core.explain_property(device, spec.name).layer.value
    return {
        "name": spec.name,
        "value": value,
        "set_by": setter,
        "access": spec.may.value,
        "scope": spec.scope,
        "when": spec.when,
        "values": spec.allowed,
        "aliases": list(spec.aliases),
        "effect": spec.effect,
    }
