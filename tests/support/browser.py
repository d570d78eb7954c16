"""A real browser: Debian's Chromium, headless, driven by Playwright."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

# Runs as root in containers, without network requests of Chromium itself.
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

PATIENCE_MS = 150_000  # Longest wait for a page.
SERIOUS = ("serious", "critical")  # Accessibility faults that no page may have.


class Visitor:
    """Opens pages and records errors and requests to other machines."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._axe = Axe()
        expect.set_options(timeout=PATIENCE_MS)

    @contextmanager
    def page(
        self,
        where: Path | str,
        *,
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
        scripts: bool = True,
    ) -> Iterator[Page]:
        """Open a file or an address.

        Fails at the end if the page made an error or a request to another machine.
        """
        wrong: list[str] = []

        def on_console(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                wrong.append(f"{message.type}: {message.text}")

        def on_request(request: Request) -> None:
            address = urlsplit(request.url)
            if address.hostname not in (None, "", "127.0.0.1", "localhost"):
                wrong.append(f"a request to {address.hostname}")

        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", on_console)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", on_request)
        page.goto(where.as_uri() if isinstance(where, Path) else where)
        try:
            yield page
        finally:
            context.close()
        if wrong:
            raise AssertionError("\n".join(wrong))

    def faults(self, page: Page) -> list[str]:
        """Return the page's serious accessibility faults, found by axe."""
        if not page.evaluate("'axe' in window"):
            page.evaluate(self._axe.axe_script)
        options = {"resultTypes": ["violations"]}
        found = page.evaluate("options => axe.run(options)", options)["violations"]
        return [
            f"{fault['id']}: {fault['help']} ({fault['nodes'][0]['html'][:200]})"
            for fault in found
            if fault["impact"] in SERIOUS
        ]


def go(page: Page, where: str) -> None:
    """Follow a link into the page, as from another document."""
    page.evaluate("where => { location.hash = where; }", where)


def look(page: Page, width: int, *, dark: bool) -> None:
    """Show a page in a window of another width, in dark or light colours."""
    page.set_viewport_size({"width": width, "height": 900})
    # without motion, as colours that fade into others fail the test of contrast
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")


def overflow(page: Page) -> int:
    """Return how many pixels a page stays wider than its window, once its scripts have drawn it."""
    for _ in range(50):
        wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if wide <= 0:
            break
        page.wait_for_timeout(100)
    return wide
