"""``lite-delegate properties``: the properties of a device or of the core, with values and effects."""

from __future__ import annotations

import click

from ..devices.core import Core
from ..properties import Access, PropertySpec, as_text
from ..properties.document import json_schema
from ..reporting.plain import json_text
from ..reporting.terminal import table
from .frame.command import command
from .options import completion
from .options.options import emit, format_option


@command()
@click.argument("device", default="NPU", shell_complete=completion.devices)
@format_option("text", "json", "schema")
def properties(device: str, format_: str) -> None:
    """Lists the properties of DEVICE (a name as `lite-delegate devices` lists them; NPU when left out; "core").

    Each with its value, who set it, what may be done with it, where (k core, d device, c compiled model), when it
    counts (C compiled, L loaded, R at run time), and its effect. `schema` is a JSON schema of what can be set.
    """
    core = Core()
    specs = core.properties(device)
    if format_ == "schema":
        emit(json_text(json_schema(specs)), None)
        return
    rows = [_row(core, device, spec) for spec in specs]
    if format_ == "json":
        emit(json_text({"device": device, "properties": rows}), None)
        return
    names = ("name", "value", "set by", "access", "scope", "when", "effect")
    cells = [[_short(row[name.replace(" ", "_")]) for name in names] for row in rows]
    emit(table(names, cells, wrap=("value", "set by", "effect"), most={"value": 30, "set by": 20}), None)


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


def _short(value: object) -> str:
    text = as_text(value)
    return text if len(text) <= 90 else f"{text[:87]}..."
