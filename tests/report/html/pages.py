"""What tests of the page do in a browser."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.webdriver import Browser

ENTER, ARROW_LEFT, ARROW_RIGHT = "\ue007", "\ue012", "\ue014"
STATE = "document.getElementById('stage').dataset.state === '{}'"
DRAWN = STATE.format("drawn")
PROOF, BOUNDARY, EDGE = (214, 34, 79), (217, 119, 6), (139, 152, 167)
"""Colours by day, of what is lit up and of what is not."""
NAMES = "#panel-nodes tbody tr:not([hidden]) td[data-key=name]"


def show(browser: Browser, page: str, folder: Path, state: str = "drawn", fragment: str = "") -> None:
    """Opens a page and waits for the drawing, or for what stands in its place."""
    (folder / "page.html").write_text(page, encoding="utf-8")
    browser.open(folder / "page.html", fragment)
    browser.wait_until(STATE.format(state))


def find(browser: Browser, text: str) -> None:
    """Searches as a person would, and goes to the first that fits."""
    browser.run("const f = document.getElementById('search'); f.value = ''; f.focus();")
    browser.type("#search", text + ENTER)


def wait_for_count(browser: Browser, text: str) -> None:
    """What the search says it found: it waits a moment for more keys."""
    browser.wait_until(f"document.getElementById('found').textContent === '{text}'", 20)


def pixels(browser: Browser, colour: tuple[int, int, int]) -> int:
    """How many pixels of the drawing have a colour, waiting until it is painted."""
    browser.run("window.painted = 0; requestAnimationFrame(() => setTimeout(() => { window.painted = 1; }, 150));")
    browser.wait_until("window.painted")
    return int(
        browser.run(f"""
          const shown = [...document.querySelectorAll("#canvas canvas")];
          const copy = new OffscreenCanvas(shown[0].width, shown[0].height)
            .getContext("2d", {{ willReadFrequently: true }});
          shown.forEach((canvas) => copy.drawImage(canvas, 0, 0));
          const {{ data }} = copy.getImageData(0, 0, shown[0].width, shown[0].height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {{
            if ([{colour[0]}, {colour[1]}, {colour[2]}, 255].every((c, k) => c === data[i + k])) count += 1;
          }}
          return count;""")
    )
