"""The browser of these tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import sync_playwright
from support.browser import ARGUMENTS, Visitor


@pytest.fixture(scope="session")
def visitor() -> Iterator[Visitor]:
    """Start the browser; without one these tests are skipped, but never where CI runs them."""
    chromium = shutil.which("chromium")
    if chromium is None and "CI" not in os.environ:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield Visitor(browser)
        browser.close()
