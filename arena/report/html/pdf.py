"""Printing a report to a PDF file, with a browser that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.common.errors import InputError
from arena.common.files import write_file

BROWSERS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
)
SECONDS = 120.0  # Longest time of the browser.
READING_MS = 60_000  # Time that the page has by its own clock, which does not wait.


def installed_browser() -> str:
    """Return the path of a browser that prints. Raises InputError."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise InputError(
            "--pdf: needs Chromium, Chrome or Edge, and none is on PATH; install one, or open the "
            "report in a browser and print it there"
        )
    return browser


def print_report(browser: str, report: Path, pdf: Path) -> None:
    """Print a report's leaderboard, class and crosstable. Raises InputError, OSError.

    The browser has an empty profile in a temporary folder, so it knows and keeps nothing.
    """
    with TemporaryDirectory(prefix="arena-", ignore_cleanup_errors=True) as folder:
        printed = Path(folder, "report.pdf")
        command = [
            *(browser, "--headless", "--disable-gpu", "--disable-extensions", "--no-first-run"),
            *("--disable-background-networking", "--no-pdf-header-footer"),
            *("--window-size=720,1000", f"--virtual-time-budget={READING_MS}"),
            f"--user-data-dir={folder}/profile",
            # Chromium's own sandbox cannot start as root, for example in a container.
            *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
            *(f"--print-to-pdf={printed}", f"{report.resolve().as_uri()}#/paper"),
        ]
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True
            )
            data = printed.read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise InputError(
                f"--pdf {pdf}: {browser} did not print; open {report} in a browser and print it"
            ) from None
    write_file(pdf, data)
