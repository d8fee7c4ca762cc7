"""A real browser for tests: headless Chromium through chromedriver's WebDriver interface (a W3C standard)."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Self

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
CHROMEDRIVER = shutil.which("chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key under which the standard passes references to elements."""
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
)

_OVERFLOWS = """
const page = document.scrollingElement;
const found = page.scrollWidth > innerWidth ? [`the page: ${page.scrollWidth} of ${innerWidth}`] : [];
for (const each of document.querySelectorAll("body *")) {
  if (!each.checkVisibility()) continue;
  const { left, right, width } = each.getBoundingClientRect();
  const isOut = width > 0 && (left < -0.5 || right > innerWidth + 0.5);
  const isCut = each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1;
  if (isOut || isCut) {
    const room = isOut ? `${left} to ${right}` : `${each.scrollWidth} of ${each.clientWidth}`;
    found.push(`${each.tagName}#${each.id}.${each.className} '${each.textContent.slice(0, 40)}': ${room}`);
  }
}
return found;
"""


class Browser:
    """One browser window, with an empty profile; use it as a context manager."""

    def __init__(self, profile: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        port = self._url.rpartition(":")[2]
        self._driver = subprocess.Popen(
            [CHROMEDRIVER or "", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        capabilities = {
            "alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}},
        }
        self._wait()
        self._session = self._call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._call("DELETE", f"/session/{self._session}")
        self._driver.terminate()
        self._driver.wait(10)

    def open(self, page: Path, fragment: str = "") -> None:
        """Loads a file; a fragment is what stands behind "#" in its address."""
        self._do("url", {"url": f"{page.as_uri()}{'#' if fragment else ''}{fragment}"})

    def find(self, selector: str) -> list[str]:
        """References to all elements that a CSS selector matches."""
        return [e[ELEMENT] for e in self._do("elements", {"using": "css selector", "value": selector})]

    def click(self, selector: str) -> None:
        """Clicks the first element, as a person would: it must be visible."""
        self._do(f"element/{self.find(selector)[0]}/click", {})

    def click_at(self, selector: str, right: int = 0, down: int = 0) -> None:
        """Clicks so many pixels from the middle of the first element, whatever is to be seen there."""
        origin = {ELEMENT: self.find(selector)[0]}
        move = {"type": "pointerMove", "duration": 0, "origin": origin, "x": right, "y": down}
        press, let_go = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._do("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move, press, let_go]}]})

    def run(self, script: str) -> Any:
        """What a script returns that runs in the page."""
        return self._do("execute/sync", {"script": script, "args": []})

    def wait_until(self, condition: str, seconds: float = 120) -> None:
        """Waits until an expression of the page holds.

        Raises:
            TimeoutError: it does not within that time.
        """
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"the page did not come to '{condition}' within {seconds} s")
            time.sleep(0.05)

    def resize(self, width: int, height: int) -> None:
        """The window's size in pixels."""
        self._do("window/rect", {"width": width, "height": height})

    def screen(self, width: int, height: int = 900) -> None:
        """Shows pages as on a screen of this size, which may be smaller than any window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._do("goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": size})

    def no_screen(self) -> None:
        """Shows pages in the window again."""
        self._do("goog/cdp/execute", {"cmd": "Emulation.clearDeviceMetricsOverride", "params": {}})

    def overflows(self) -> list[str]:
        """The elements that reach beyond the screen, or whose content does not fit into them."""
        return [str(each) for each in self.run(_OVERFLOWS)]

    def type(self, selector: str, text: str) -> None:
        """Types into the first element."""
        self._do(f"element/{self.find(selector)[0]}/value", {"text": text})

    def texts(self, selector: str) -> list[str]:
        """The visible text of each element."""
        return [self._get(f"element/{e}/text") for e in self.find(selector)]

    def errors(self) -> list[str]:
        """What the page complained of on the console."""
        return [entry["message"] for entry in self._do("se/log", {"type": "browser"})]

    def screenshot(self, file: Path) -> None:
        """Writes what is to be seen as a PNG."""
        file.write_bytes(base64.b64decode(self._get("screenshot")))

    def _do(self, what: str, body: dict[str, Any]) -> Any:
        return self._call("POST", f"/session/{self._session}/{what}", body)

    def _get(self, what: str) -> Any:
        return self._call("GET", f"/session/{self._session}/{what}")

    def _wait(self) -> None:
        for _ in range(100):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not answer")

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
