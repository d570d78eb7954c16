"""The browser of these tests, and the contest whose pages it opens."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from arena.contest.history import Placing, add_round
from support.browser import ARGUMENTS, Visitor
from support.command_line import arena
from support.hostile import BOTS
from support.served import served
from support.shared import made_once


@pytest.fixture(scope="session")
def chromium() -> str | None:
    """The browser's program; without it these tests are skipped, but never where CI runs them."""
    found = shutil.which("chromium")
    if found is None and "CI" not in os.environ:
        pytest.skip("no Chromium here: apt-get install chromium")
    return found


@pytest.fixture(scope="package")
def visitor(chromium: str | None) -> Iterator[Visitor]:
    """Start the browser, for these tests: while it is driven, no other event loop can run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield Visitor(browser)
        browser.close()


@pytest.fixture(scope="session")
def contest(chromium: str | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a contest between bots of all kinds, as if it were a ladder's third round, and analyse
    it; returns its folder."""
    folder = Path("results", "homework")

    def play(here: Path) -> None:
        bots = here / "bots"
        bots.mkdir()
        for name, text in BOTS.items():
            (bots / f"{name}.py").write_text(text, encoding="utf-8")
        limits = ("--move-seconds", 0.3, "--first-move-seconds", 0.2, "--nodes", 1000)
        how = ("--grade", "seed", "--openings", 2, "--shared-openings", "all")
        terms = (*how, "--seed", 1, "--lanes", 1, "--with-unloadable", *limits)
        run = arena("run", bots, *terms, "--out", folder, cwd=here)
        assert run.returncode == 0, run.stderr
        for number in (1, 2, 3):
            add_round(here / folder, placings(here / folder, number))
        done = arena("analyse", folder, "--nodes", 2000, cwd=here)
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "browser", play) / folder


def placings(folder: Path, number: int) -> list[Placing]:
    """Return the table as a ladder's round; `lookahead` missed the second, and changed."""
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Placing(
            day=date(2026, 11, number),
            round=number,
            bot=row["bot"],
            rank=int(row["rank"]) + number - 1,
            rating=float(row["rating"]) + number - 1,
            content_hash="earlier" if number < 3 and row["bot"] == "lookahead" else "",
        )
        for row in rows
        if number != 2 or row["bot"] != "lookahead"
    ]


@pytest.fixture(scope="session")
def server(contest: Path) -> Iterator[str]:
    """Serve the contest; returns the address."""
    with served(contest) as server:
        yield f"http://127.0.0.1:{server.port}/"
