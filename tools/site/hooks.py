"""MkDocs' hooks of the site: pages of the API, of files outside ``docs/`` and of tutorials, and links between them."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupytext
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools.site.links import Links
from tools.site.tutorials import executed, page_of

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "README.md": "about/readme.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "SECURITY.md": "about/security.md",
    "CHANGELOG.md": "about/changelog.md",
}
"""Pages of files outside ``docs/``, by the file's path."""
_HEADED = """
    options:
      show_root_heading: true
      show_root_toc_entry: true
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are no files of ``docs/``."""
    for room in rooms(config.nav):
        files.append(File.generated(config, f"api/{room}.md", content=_api_page(room)))
    for file, page in OUTSIDE.items():
        files.append(File.generated(config, page, content=(ROOT / file).read_text(encoding="utf-8")))
    for script in [file for file in files if file.src_uri.startswith("tutorials/")]:
        files.remove(script)
        for name, content in _tutorial(Path(str(script.abs_src_path))).items():
            files.append(File.generated(config, f"tutorials/{name}", content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes links between files of the repository links of the site."""
    pages = {_shown(file.src_uri): file.src_uri for file in files}
    here = page.file.src_uri
    return Links(ROOT, pages, _source()).of_page(markdown, _shown(here), here)


def rooms(nav: Any) -> Iterator[str]:
    """The modules that the navigation has pages of the API for."""
    if isinstance(nav, str):
        if nav.startswith("api/"):
            yield nav.removeprefix("api/").removesuffix(".md")
        return
    for each in nav.values() if isinstance(nav, dict) else nav:
        yield from rooms(each)


def _api_page(room: str) -> str:
    """The page of a module. A name that is a file's, too, means the file to the generator: the name gets a part."""
    module = importlib.import_module(room)
    folder = Path(str(module.__file__)).parent
    hidden = [name for name in module.__all__ if folder.joinpath(f"{name}.py").exists()]
    parts = [f'<a id="{room}.{name}"></a>\n::: {getattr(module, name).__module__}.{name}{_HEADED}' for name in hidden]
    return "\n\n".join([f"# {room}", f"::: {room}", *parts, ""])


def _tutorial(script: Path) -> dict[str, str]:
    """The files that a tutorial's script becomes: a page, and the notebook to download."""
    notebook = executed(script)
    return {
        f"{script.stem}.md": page_of(notebook, script.stem),
        f"{script.stem}.ipynb": jupytext.writes(notebook, fmt="ipynb"),
    }


def _shown(page: str) -> str:
    """The path, from the repository's root, of the file that a page of the site shows."""
    outside = {page: file for file, page in OUTSIDE.items()}
    if page.startswith("tutorials/") and page.endswith(".md"):
        return f"docs/{page.removesuffix('.md')}.py"
    return outside.get(page, f"docs/{page}")


def _source() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    source: str = project["urls"]["Source"]
    return source
