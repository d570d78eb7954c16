"""The podium, revealed at a projector; and the page for a class, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.report.html.report import contest_report
from arena.report.html.shell import Chunk, page
from support.browser import Visitor, go, look, overflow
from support.command_line import arena
from support.hostile import HEBREW, RAW
from support.reports import chunks_of, contest_facts

pytestmark = pytest.mark.slow

# Ranks by bot: two share the first, a house player is third, and two are behind the tenth place.
RANKS = {RAW[0]: 1, HEBREW: 1, "reference": 3, "c": 4, "d": 5, "e": 5, "f": 7, "g": 8, "h": 9}
RANKS |= {RAW[1]: 10, "j": 11, "k": 12, "l": 13, "broken": 14}


@pytest.fixture
def podium(visitor: Visitor, tmp_path: Path) -> Iterator[Page]:
    chunks = chunks_of(contest_report(contest_facts(), "homework4"))
    overview: dict[str, Any] = chunks["overview"]
    entry = overview["bots"][0]
    overview["bots"] = [
        entry
        | {"name": name, "rank": rank, "house": name == "reference"}
        | {"games": 10, "points": 10 - rank / 2, "faults": 10 * (name == "broken")}
        for name, rank in RANKS.items()
    ]
    file = tmp_path / "class.html"
    file.write_text(page("x", [Chunk(*chunk) for chunk in chunks.items()]), encoding="utf-8")
    with visitor.page(f"{file.as_uri()}#/podium") as shown:
        shown.get_by_role("heading", name="Podium").wait_for()
        yield shown


def said(podium: Page) -> Locator:
    return podium.locator(".podium").get_by_role("status")


def test_it_is_revealed_by_keyboard_from_the_last_place_upward(podium: Page) -> None:
    expect(said(podium)).to_contain_text("12 bots, the last place first")
    expect(podium.locator(".podium bdi")).to_have_count(0)
    podium.keyboard.press("Space")
    expect(said(podium)).to_have_text("Places 11 to 12")
    expect(podium.locator(".others bdi")).to_have_text(["k", "l"])
    told = [(10, "j"), (9, RAW[1]), (8, "h"), (7, "g"), (6, "f"), (4, "d, e"), (3, "c")]
    keys = ["PageDown", "ArrowRight", "Enter", *["Space"] * 4]
    for (place, names), key in zip(told, keys, strict=True):
        podium.keyboard.press(key)
        expect(said(podium)).to_contain_text(f"Place {place}{names}")
    expect(podium.locator(".step-3")).to_contain_text("c")
    expect(podium.locator(".step-1 bdi")).to_have_count(0)
    podium.keyboard.press("ArrowLeft")
    expect(said(podium)).to_contain_text("Place 4d, e")
    podium.keyboard.press("Space")
    podium.locator(".step-1").click()
    expect(said(podium)).to_contain_text(f"Place 1{RAW[0]}, {HEBREW}9.5 of 10 points")
    expect(podium.locator(".step-2")).to_have_count(0)
    expect(podium.get_by_role("button", name="Reveal")).to_be_disabled()
    expect(podium.get_by_text("broken")).to_have_count(0)
    expect(podium.get_by_text("reference")).to_have_count(0)
    expect(podium.get_by_text("Without a place: 1 bot that could not play")).to_be_visible()


def test_a_button_reveals_once_and_the_beginning_can_be_chosen(podium: Page) -> None:
    podium.get_by_label("One by one from").select_option("the last place")
    podium.get_by_role("button", name="Reveal").press("Space")
    expect(said(podium)).to_contain_text("Place 12l")
    podium.get_by_role("button", name="Reveal").press("Enter")
    expect(said(podium)).to_contain_text("Place 11k")
    podium.get_by_label("One by one from").select_option("place 3")
    expect(said(podium)).to_contain_text("the last place first")
    podium.get_by_role("button", name="Reveal").click()
    expect(said(podium)).to_have_text("Places 4 to 12")


def test_it_is_accessible_and_fits_at_every_width_and_moves_only_if_wanted(
    podium: Page, visitor: Visitor
) -> None:
    podium.get_by_label("One by one from").select_option("place 3")
    for step in range(4):
        for width, dark in ((390, True), (768, False), (1440, False), (2560, True)):
            look(podium, width, dark=dark)
            assert overflow(podium) <= 0, (step, width)
            assert visitor.faults(podium) == [], (step, width)
        if step < 3:
            podium.get_by_role("button", name="Reveal").click()
            expect(podium.locator(".moment .name-of, .moment p").first).to_be_visible()
    moves = "getComputedStyle(document.querySelector('.name-of')).animationName"
    assert podium.evaluate(moves) == "none"
    podium.emulate_media(reduced_motion="no-preference")
    assert podium.evaluate(moves) == "reveal"


def test_every_view_of_the_page_for_a_class_is_whole_without_what_is_private(
    visitor: Visitor, contest: Path, tmp_path: Path
) -> None:
    done = arena("report", contest.resolve(), "--for-class", tmp_path / "class.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    with visitor.page(tmp_path / "class.html") as shown:
        shown.get_by_role("heading", level=1).wait_for()
        bot = shown.get_by_role("rowheader").get_by_role("link").nth(1).inner_text()
        names = ("", "class", "crosstable", "games", "game/3", "openings", "about", f"bot/{bot}")
        for where in (f"#/{name}" for name in names):
            go(shown, where)
            shown.locator("main h1").first.wait_for()
            expect(shown.locator("main [aria-busy=true]")).to_have_count(0)
            expect(shown.get_by_role("alert")).to_have_count(0)
            text = shown.locator("body").inner_text()
            for wrong in ("lookahead", "printer", HEBREW, "null", "undefined", "--rerun"):
                assert wrong not in text, (where, wrong)
    with visitor.page(tmp_path / "class.html", scripts=False) as shown:
        heads = ["#", "bot", "rating", "points", "games"]
        expect(shown.get_by_role("columnheader")).to_have_text(heads)


def test_with_scripts_blocked_the_page_says_what_is_missing(
    visitor: Visitor, contest: Path
) -> None:
    with visitor.page(contest / "report.html", scripts=False) as shown:
        expect(shown.get_by_role("row").nth(1)).to_be_visible()
        expect(shown.get_by_text("scripts are blocked")).to_contain_text("the podium")
