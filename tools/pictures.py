"""Makes the pictures of the documents: pages in a browser, and commands in a terminal, on the model of the demo.

``python -m tools.pictures`` writes ``docs/pictures``; it needs Chromium, chromedriver and the extra ``docs``. A picture
is of the output of a command, so pictures are made anew when outputs look different.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.conformance.webdriver import Browser
from tests.terminal import on_terminal

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
MODEL = ROOT / "lite_delegate" / "demo" / "digits.ms"
DELEGATE = "class MyDelegate("
"""In the piece of the README that a command's ``my_delegate.py`` is."""
CHIP = """base = "generic"
description = "a chip"
operators = ["Conv2DFusion", "FullConnection", "MaxPoolFusion", "Softmax"]
"""
"""The profile ``my_chip.toml`` of commands: a device that refuses some nodes."""
_DRAWN = "!document.getElementById('stage') || document.getElementById('stage').dataset.state === 'drawn'"
_OPS = "--op Softmax --op AddFusion --op MatMulFusion --no-patterns"
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """A picture of what a command gives.

    Attributes:
        name: of the file, without suffix.
        command: of ``lite-delegate``, in a folder with ``model.ms``, ``my_delegate.py`` and ``my_chip.toml``; with
            ``-o page.html`` the picture is of the page.
        size: width and height: of the window, in pixels, or of the terminal, in characters and lines.
    """

    name: str
    command: str
    size: tuple[int, int]

    @property
    def file(self) -> Path:
        """Where the picture is."""
        return FOLDER / f"{self.name}{'.webp' if self.is_page else '.svg'}"

    @property
    def is_page(self) -> bool:
        """Whether it is of a page, and not of a terminal."""
        return self.command.endswith(" -o page.html")


PICTURES = (
    Picture("demo", "demo", (100, 30)),
    Picture("report", "report model.ms --delegate npu:my_chip.toml", (100, 40)),
    Picture(
        "report_page", "report model.ms --delegate npu:my_chip.toml --what-if --format html -o page.html", (1240, 900)
    ),
    Picture("compare", "compare model.ms --delegate npu:kirin", (100, 24)),
    Picture("compare_page", "compare model.ms --delegate npu:kirin --format html -o page.html", (1240, 800)),
    Picture("benchmark", "benchmark model.ms --delegate npu:kirin --profile", (100, 32)),
    Picture("conformance", "conformance --delegate my_delegate:MyDelegate --op AddFusion --no-patterns", (100, 30)),
    Picture("conformance_page", f"conformance --delegate npu {_OPS} --format html -o page.html", (1240, 800)),
    Picture("devices", "devices", (100, 24)),
)


def main() -> None:
    """Makes the pictures that the command line names, or all."""
    wanted = sys.argv[1:] or [picture.name for picture in PICTURES]
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        if picture.name in wanted:
            make(picture)
            print(f"{picture.file.relative_to(ROOT)}: {picture.file.stat().st_size:,} bytes")


def make(picture: Picture) -> None:
    """Runs the command of a picture in an empty folder, and writes the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(MODEL, folder / "model.ms")
        (folder / "my_chip.toml").write_text(CHIP, encoding="utf-8")
        (folder / "my_delegate.py").write_text(_delegate(), encoding="utf-8")
        command = [sys.executable, "-m", "lite_delegate", *shlex.split(picture.command), "-q"]
        if picture.is_page:
            if subprocess.run(command, cwd=folder, check=False).returncode > 1:
                raise SystemExit(f"{picture.command}: no page")
            picture.file.write_bytes(_of_page(folder / "page.html", *picture.size))
        else:
            said = on_terminal(command, columns=picture.size[0], both=True, cwd=folder, statuses=(0, 1))
            picture.file.write_text(_of_terminal(picture, said), encoding="utf-8")


def _delegate() -> str:
    """The first delegate of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pieces: list[str] = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    return next(code for code in pieces if DELEGATE in code)


def _of_page(page: Path, width: int, height: int) -> bytes:
    """The top of a page, once its drawing is there, as WebP."""
    shot = page.with_suffix(".png")
    with Browser(page.parent / "profile") as browser:
        browser.resize(width, height)
        browser.open(page)
        browser.wait_until(f"document.readyState === 'complete' && ({_DRAWN})")
        browser.screenshot(shot)
    written = io.BytesIO()
    Image.open(shot).convert("RGB").save(written, "WEBP", quality=80, method=6)
    return written.getvalue()


def _of_terminal(picture: Picture, said: str) -> str:
    """The first lines of an output as SVG, whose letters are of the reader's own fonts."""
    width, height = picture.size
    lines = said.replace(f"{MODEL.parent}/", "").rstrip().splitlines()
    shown = [f"$ lite-delegate {picture.command}", *lines[:height], *(["..."] if len(lines) > height else [])]
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join(shown)), soft_wrap=True)
    drawn: str = console.export_svg(title="lite-delegate", theme=MONOKAI, unique_id=picture.name)
    return _FONTS.sub("", drawn)


if __name__ == "__main__":
    main()
