"""Tutorials: scripts in cells, executed as notebooks, as pages with the results."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbclient

_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_SECONDS = 300
"""The time that a cell may take on a busy machine."""


def executed(script: Path) -> Any:
    """The notebook of a script in percent cells, with its results. It runs in a folder of its own.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell raises; the message has the cell and the traceback.
    """
    notebook = jupytext.read(script)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = nbclient.NotebookClient(notebook, timeout=_SECONDS, kernel_name="python3", resources=resources)
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", f"{folder}/kernel"  # sockets of this user, and none of the network
        client.execute()
    return notebook


def page_of(notebook: Any, name: str) -> str:
    """The Markdown of an executed notebook, with a link to the file ``NAME.ipynb`` under its title."""
    title, _, rest = notebook.cells[0].source.partition("\n")
    download = f"[The notebook]({name}.ipynb){{: download }} of this page runs in Jupyter."
    parts = [title, download, rest, *(part for cell in notebook.cells[1:] for part in _cell(cell))]
    return "\n\n".join(parts) + "\n"


def _cell(cell: Any) -> list[str]:
    if cell.cell_type != "code":
        return [cell.source]
    return [_fenced(cell.source, "python"), *(_output(output) for output in cell.outputs)]


def _output(output: Any) -> str:
    """A result as Markdown: a page's part or a picture where the object has one, else its text."""
    if output.output_type == "stream":
        return _text(output.text)
    data = output.data
    if "text/html" in data:
        return f'<div class="output">\n{data["text/html"]}\n</div>'
    if "image/png" in data:
        picture = data["image/png"].replace("\n", "")
        return f'<div class="output"><img alt="" src="data:image/png;base64,{picture}"></div>'
    return _text(data["text/plain"])


def _text(text: str) -> str:
    return f'<div class="output" markdown>\n\n{_fenced(_ESCAPES.sub("", text).rstrip(), "text")}\n\n</div>'


def _fenced(text: str, language: str) -> str:
    return f"````{language}\n{text}\n````"
