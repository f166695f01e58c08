"""A Streamlit server on a free port and a Chromium to look at it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_SECONDS = 30


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@contextmanager
def serving(script: Path) -> Iterator[str]:
    """Run `script` as an app and yield its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://localhost:{port}"
        _wait(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=10)


def _wait(address: str) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        try:
            with urlopen(address, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if path is None:
        reason = "no Chromium found; install it to run the browser tests"
        if os.environ.get("PARSERSCOPE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Visit:
    """A page and what it did besides showing something."""

    page: Page
    address: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = urlsplit(self.address).netloc
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url, own))

    def _note(self, url: str, own: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.netloc != own:
            self.outside.append(url)

    def open(self, query: str = "") -> Page:
        self.page.goto(f"{self.address}/{query}")
        self.page.wait_for_selector(".stepper[data-step]")
        return self.page

    def step(self) -> int:
        return int(self.page.locator(".stepper").get_attribute("data-step") or 0)

    def press(self, key: str, times: int = 1) -> None:
        """Press a key and wait for the stepper to draw."""
        for _ in range(times):
            self.page.keyboard.press(key)
            self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()


@pytest.fixture(scope="session")
def stepper_app(browser: Browser) -> Iterator[str]:
    with serving(ROOT / "tests/browser/stepper_page.py") as address:
        yield address


@pytest.fixture(scope="session")
def app(browser: Browser) -> Iterator[str]:
    with serving(ROOT / "app.py") as address:
        yield address


@pytest.fixture(scope="session")
def contexts(browser: Browser) -> Iterator[dict[tuple[int, int, str], BrowserContext]]:
    """Keep one context for each kind of window, so that Streamlit's own files are loaded once."""
    kept: dict[tuple[int, int, str], BrowserContext] = {}
    yield kept
    for context in kept.values():
        context.close()


@pytest.fixture
def visit(browser: Browser, contexts: dict[tuple[int, int, str], BrowserContext]) -> Iterator[Callable[..., Visit]]:
    """Open new tabs; `cold` ones have nothing cached."""
    opened: list[Page | BrowserContext] = []

    def new(address: str, width: int = 1920, height: int = 1080, scheme: str = "light", cold: bool = False) -> Visit:
        kind = (width, height, scheme)
        context = None if cold else contexts.get(kind)
        if context is None:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            if cold:
                opened.append(context)
            else:
                contexts[kind] = context
        page = context.new_page()
        opened.append(page)
        return Visit(page, address)

    yield new
    for page in reversed(opened):
        page.close()
