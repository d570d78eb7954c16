"""The pages of a contest as `arena serve` sends them: live, and games against its bots."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import Visitor, look, overflow
from support.hostile import HEBREW

pytestmark = pytest.mark.slow

STARTS = """(all) => all.map((one) => {
    const text = document.createRange();
    text.selectNodeContents(one);
    return text.getBoundingClientRect().left;
})"""
"""Finds where texts begin."""

OVER = re.compile(r"^You win|wins: |You win\.$|^A draw: ")
"""Sentences by which a game ends."""


def finish(page: Page) -> int:
    """Play a game to its end, always in the leftmost column that has room; returns its discs."""
    standing = page.get_by_role("status")
    while True:
        expect(standing).to_have_attribute("aria-busy", "false")
        if OVER.search(standing.inner_text()):
            label = page.get_by_role("img", name=re.compile(" discs;")).get_attribute("aria-label")
            return int(re.findall(r"(\d+) discs", label or "")[0])
        page.get_by_role("button", name=re.compile("^Column"), disabled=False).first.click()


def start(page: Page, bot: str, *, second: bool = False) -> None:
    page.get_by_role("combobox", name="Bot").select_option(bot)
    page.get_by_role("radio", name=f"moves {'second' if second else 'first'}").check()
    page.get_by_role("button", name="Play", exact=True).click()


def test_a_game_against_a_bot_is_played_to_its_end(visitor: Visitor, server: str) -> None:
    with visitor.page(f"{server}#/play") as page:
        start(page, "lookahead")
        assert finish(page) >= 7
        expect(page.get_by_role("img", name=re.compile("line of O"))).to_be_visible()
        expect(page.get_by_role("status")).to_contain_text("lookahead wins")
        assert visitor.faults(page) == []
        page.get_by_role("button", name="Another game").click()
        start(page, HEBREW, second=True)
        expect(page.get_by_role("status")).to_contain_text("Your move.")
        page.get_by_role("button", name="Leave").click()
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_bots_fault_ends_the_game_with_its_reason(visitor: Visitor, server: str) -> None:
    with visitor.page(f"{server}#/play?bot=printer", width=360, dark=True) as page:
        expect(page.get_by_role("combobox", name="Bot")).to_have_value("printer")
        page.get_by_role("radio", name="moves second").check()
        page.get_by_role("button", name="Play", exact=True).click()
        standing = page.get_by_role("status")
        for discs, column in zip(range(1, 15, 2), (0, 0, 0, 1, 1, 1, 2), strict=True):
            # as the bot plays, so that nobody makes a line
            page.get_by_role("img", name=re.compile(f" {discs} discs?;")).wait_for()
            expect(standing).to_have_attribute("aria-busy", "false")
            page.keyboard.press(str(column))
        expect(standing).to_contain_text("<img src=x onerror=alert(2)>")
        expect(standing).to_contain_text("You win.")
        page.get_by_text("The last that the bot printed").click()
        assert "onerror=alert(1)" in page.locator("pre").inner_text()
        assert overflow(page) <= 0
        assert visitor.faults(page) == []


def test_a_replay_goes_on_against_a_bot(visitor: Visitor, server: str) -> None:
    with visitor.page(f"{server}#/game/30/14") as page:
        page.get_by_text("Play on from here").click()
        page.get_by_role("link", name="lookahead", exact=True).last.click()
        expect(page.get_by_role("img", name=re.compile("14 discs"))).to_be_visible()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("status")).to_contain_text("Your move.")
        page.get_by_role("button", name=re.compile("^Column"), disabled=False).first.click()
        expect(page.get_by_role("img", name=re.compile("1[56] discs"))).to_be_visible()


def test_the_live_page_shows_standings_and_a_game(
    visitor: Visitor, server: str, contest: Path
) -> None:
    with (contest / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        wanted = [(row["rank"], row["bot"]) for row in csv.DictReader(file) if row["rank"]]
    with visitor.page(f"{server}#/live") as page:
        standings = page.get_by_role("region", name="Standings")
        expect(standings.locator("tbody td:first-child")).to_have_text([rank for rank, _ in wanted])
        expect(standings.locator("tbody bdi")).to_have_text([bot for _, bot in wanted])
        expect(standings.get_by_role("row").nth(1)).to_contain_text("reference")
        starts = standings.locator("tbody bdi").evaluate_all(STARTS)
        assert max(starts) - min(starts) < 5  # names that are read from the right, too
        expect(page.get_by_role("region", name="Final").get_by_role("img").first).to_be_visible()
        expect(page.get_by_role("region", name="Faults")).to_contain_text("printer")
        for width, dark in ((360, False), (1440, True)):
            look(page, width, dark=dark)
            assert overflow(page) <= 0
            assert visitor.faults(page) == []
        standings.get_by_role("link", name=HEBREW).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(HEBREW)
