"""Every view of a report: on every screen, in both schemes, with names that attack the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Page, expect

from arena.report.html.shell import Chunk, page
from support.browser import Visitor, overflow
from support.command_line import arena
from support.hostile import HEBREW, RAW
from support.reports import chunks_of

pytestmark = pytest.mark.slow


def views(names: list[str], game: int) -> list[str]:
    """Return the addresses of all views; of those of a bot and a game, those with hostile text."""
    return [
        "#/",
        "#/crosstable",
        "#/games",
        f"#/games?{urlencode({'a': names[0], 'b': names[1]})}",
        *(f"#/bot/{quote(name, safe='')}" for name in names),
        f"#/game/{game}",
        f"#/game/{game}/15",
        "#/openings",
        "#/convergence",
        "#/about",
    ]


@pytest.fixture(scope="module")
def attacked(contest: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The report with bots of names that no folder would give them; returns also all addresses."""
    chunks = chunks_of((contest / "report.html").read_text(encoding="utf-8"))
    overview: dict[str, Any] = chunks["overview"]
    others = (bot["name"] for bot in overview["bots"] if bot["name"] != HEBREW)
    new = dict(zip(others, RAW, strict=False))
    for bot in overview["bots"]:
        bot["name"] = new.get(bot["name"], bot["name"])
    overview["contest"]["name"] = RAW[0]
    file = tmp_path_factory.mktemp("attacked") / "report.html"
    made = page(RAW[0], [Chunk(*chunk) for chunk in chunks.items()], table=overview["bots"])
    file.write_text(made, encoding="utf-8")
    fault = next(game for game in chunks["games-0"] if "<img" in game["r"])
    return file, views([*RAW, HEBREW], fault["n"])


def visit(page: Page, where: str) -> None:
    """Go to a view and wait until it is there."""
    page.evaluate("where => { location.hash = where; }", where)
    page.locator("main h1").first.wait_for()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize(("width", "dark"), [(360, False), (1440, True)])
def test_hostile_names_break_no_view(
    visitor: Visitor, attacked: tuple[Path, list[str]], width: int, dark: bool
) -> None:
    file, addresses = attacked
    with visitor.page(file, width=width, dark=dark) as shown:
        for where in addresses:
            visit(shown, where)
            assert overflow(shown) <= 0, where
            assert shown.locator("img, main script, main b").count() == 0, where


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (360, True)])
def test_no_view_has_a_serious_fault_of_accessibility(
    visitor: Visitor, attacked: tuple[Path, list[str]], width: int, dark: bool
) -> None:
    file, addresses = attacked
    bots = [where for where in addresses if where.startswith("#/bot/")]
    with visitor.page(file, width=width, dark=dark) as shown:
        found = {}
        for where in addresses:
            if where in bots[1:]:  # one is like another
                continue
            visit(shown, where)
            found[where] = visitor.faults(shown)
    assert not {where: faults for where, faults in found.items() if faults}


def test_a_students_report_tells_their_games_and_nobody_elses_results(
    visitor: Visitor, contest: Path
) -> None:
    words = ("report", contest, "--for", "printer", "--pseudonyms", "--out", "mine.html")
    done = arena(*words, cwd=contest.parent)
    assert done.returncode == 0, done.stderr
    with visitor.page(contest.parent / "mine.html", width=360) as shown:
        expect(shown.get_by_role("main")).to_contain_text("for the author of printer")
        for where in ("#/games", "#/game/1", "#/"):
            visit(shown, where)
            assert overflow(shown) <= 0, where
            assert visitor.faults(shown) == [], where
            text = shown.content()
            assert "lookahead" not in text, where
            assert HEBREW not in text, where
        shown.locator(".games").get_by_role("link").first.click()
        expect(shown.get_by_role("slider", name="Ply")).to_be_visible()


def test_a_match_is_replayed_from_its_page(visitor: Visitor, contest: Path) -> None:
    bots = contest.parents[1] / "bots"
    words = ("match", bots / "lookahead.py", bots / "printer.py", "--save", "match.html")
    done = arena(*words, cwd=contest.parent)
    assert done.returncode == 0, done.stderr
    with visitor.page(contest.parent / "match.html", width=768, dark=True) as shown:
        visit(shown, "#/game/1")
        expect(shown.get_by_role("img", name="Game 1 after")).to_be_visible()
        shown.keyboard.press("Home")
        expect(shown.get_by_role("img", name="Game 1 after 0 discs")).to_be_visible()
        shown.keyboard.press("End")
        expect(shown.locator(".verdict")).to_contain_text("ValueError")
        assert overflow(shown) <= 0
        assert visitor.faults(shown) == []
