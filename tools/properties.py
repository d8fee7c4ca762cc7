"""Writes the pages and the JSON schema of properties anew, from the registries: ``python -m tools.properties``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from lite_delegate.backends.onnxruntime.sessions.properties import registry as registry_of_onnxruntime
from lite_delegate.backends.openvino.models.properties import registry as registry_of_openvino
from lite_delegate.devices.core import Core
from lite_delegate.devices.virtual.batch import properties_of_batch
from lite_delegate.inference.properties.model_properties import FACTS
from lite_delegate.inference.properties.runtime_properties import RUNTIME
from lite_delegate.npu.options import registry_of
from lite_delegate.npu.profiles import load_profile
from lite_delegate.properties.document import json_schema, markdown_table

DOCS = Path(__file__).parent.parent / "docs"
SCHEMA = DOCS / "properties.schema.json"
ROWS = re.compile(r"^\| property \| access \|.*?\n(?=\n|\Z)", re.MULTILINE | re.DOTALL)
DEVICES = ("CPU", "NPU.4000", "OPENVINO", "ONNXRUNTIME", "QNN")
"""Devices whose values the schema has."""


def tables_of_options() -> list[str]:
    """The table of the NPU's page."""
    return [markdown_table(registry_of(load_profile("npu4000")))]


def tables_of_properties() -> list[str]:
    """The tables of the page of properties that are not of one delegate, in its order."""
    core = Core()
    own = [[spec for spec in core.properties(name) if spec.name not in RUNTIME] for name in ("core", "CPU")]
    return [markdown_table(specs) for specs in (own[0], tuple(RUNTIME), own[1], FACTS, properties_of_batch())]


def tables_of_backends() -> list[str]:
    """The tables of the page of delegates around runtimes."""
    return [markdown_table(made()) for made in (registry_of_openvino, registry_of_onnxruntime)]


PAGES: Mapping[Path, Callable[[], list[str]]] = {
    DOCS / "npu" / "options.md": tables_of_options,
    DOCS / "properties.md": tables_of_properties,
    DOCS / "backends.md": tables_of_backends,
}
"""Pages with tables of properties, and what makes the tables, in the order of the page."""


def renewed(page: Path) -> str:
    """The text of a page with its tables made anew.

    Raises:
        ValueError: the page has not as many tables.
    """
    text, tables = page.read_text(encoding="utf-8"), PAGES[page]()
    if len(ROWS.findall(text)) != len(tables):
        raise ValueError(f"{page} must have {len(tables)} tables of properties.")
    made = iter(tables)
    return ROWS.sub(lambda _: next(made) + "\n", text)


def schema() -> str:
    """The JSON schema of what can be set on the core and on devices, by their names."""
    core = Core()
    by_name = {name: json_schema(core.properties(name)) for name in ("core", *DEVICES)}
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": by_name}, indent=2) + "\n"


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(renewed(each), encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")
