"""A contest's report as people use it, in a real browser; the folder's tables say what is true."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.common.text import one_line
from arena.contest.session import Session
from arena.report.facts import facts_of
from arena.report.game_file import FileGames
from arena.report.html.shell import Chunk
from arena.report.html.shell import page as page_of
from arena.report.html.student import StudentReports
from arena.report.own_games import OwnGames
from arena.report.pseudonyms import Pseudonym
from arena.report.replay import ShownGame
from arena.rules import Position, Ruleset, parse_moves
from support.browser import Visitor, go, look, overflow
from support.hostile import HEBREW, RAW
from support.reports import chunks_of

pytestmark = pytest.mark.slow

Row = dict[str, str]


def rows(contest: Path, name: str) -> list[Row]:
    with (contest / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def games(contest: Path) -> list[Row]:
    return rows(contest, "games.csv")


@pytest.fixture(scope="module")
def long(games: list[Row]) -> Row:
    """The longest game that ended with a line."""
    return max((r for r in games if r["verdict"] == "LINE"), key=lambda r: int(r["plies"]))


@pytest.fixture
def report(visitor: Visitor, contest: Path) -> Iterator[Page]:
    with visitor.page(contest / "report.html") as page:
        page.get_by_role("heading", level=1).wait_for()
        yield page


def names(page: Page) -> Locator:
    return page.get_by_role("rowheader").locator("bdi")


def discs(row: Row, ply: int) -> str:
    """The columns of a position in words, as its board says them."""
    rack = Position(Ruleset(), parse_moves(row["moves"])[:ply]).rack()
    return "; ".join(
        f"column {number}: {' '.join(' XO'[cell] for cell in column if cell)}"
        for number, column in enumerate(rack)
        if any(column)
    )


def board(page: Page, number: object, ply: int) -> Locator:
    return page.get_by_role("img", name=f"Game {number} after {ply} discs")


def test_the_leaderboard_is_sorted_and_filtered_and_leads_to_bots(
    report: Page, contest: Path
) -> None:
    ranked = rows(contest, "leaderboard.csv")
    everybody = [row["bot"] for row in ranked]
    expect(names(report)).to_have_text(everybody)
    report.get_by_text("Columns", exact=True).click()
    report.get_by_role("checkbox", name="lost").check()
    report.get_by_role("button", name="lost", exact=True).click()
    by_lost = sorted(ranked, key=lambda row: -int(row["losses"]))
    expect(names(report)).to_have_text([row["bot"] for row in by_lost])
    head = report.get_by_role("columnheader", name="lost", exact=True)
    expect(head).to_have_attribute("aria-sort", "descending")
    report.get_by_role("button", name="lost", exact=True).press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert int(ranked[everybody.index(names(report).first.inner_text())]["losses"]) == 0

    report.reload()
    find = report.get_by_role("searchbox", name="Find")
    find.fill("ER")
    expect(names(report)).to_have_text([name for name in everybody if "er" in name])
    find.fill(HEBREW[:3])
    expect(names(report)).to_have_text([HEBREW])
    find.fill("")
    report.get_by_role("switch", name="house players").uncheck()
    expect(names(report)).to_have_text(
        [name for name in everybody if name not in ("random", "reference")]
    )

    report.get_by_role("link", name=HEBREW).click()
    expect(report.get_by_role("heading", level=1)).to_have_text(HEBREW)
    expect(report).to_have_url(re.compile(re.escape(f"#/bot/{quote(HEBREW)}") + "$"))


def test_a_cell_of_the_crosstable_leads_to_the_games_of_its_pairing(
    report: Page, games: list[Row], contest: Path
) -> None:
    report.get_by_role("link", name="Crosstable").click()
    pair = ("lookahead", "random")
    report.get_by_role("link", name=re.compile("^lookahead: .* against random$")).click()
    own = [row for row in games if {row["first"], row["second"]} == set(pair)]
    expect(report.get_by_role("rowheader")).to_have_text([row["game"] for row in own])
    report.get_by_role("link", name=own[1]["game"], exact=True).click()
    expect(board(report, own[1]["game"], int(own[1]["plies"]))).to_be_visible()
    report.go_back()
    expect(report.get_by_role("rowheader")).to_have_count(len(own))

    report.get_by_role("link", name="Crosstable").click()
    ranked = [row["bot"] for row in rows(contest, "leaderboard.csv")]
    report.locator(".crosstable [tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        report.keyboard.press(key)
    expect(report.get_by_role("combobox", name="Bot")).to_have_value(ranked[1])
    expect(report.get_by_role("combobox", name="Against")).to_have_value(ranked[2])


def test_a_game_is_linked_tried_otherwise_and_plays_by_itself(
    visitor: Visitor, contest: Path, long: Row
) -> None:
    number, plies = long["game"], int(long["plies"])
    address = f"{(contest / 'report.html').as_uri()}#/game/{number}/{plies - 1}"
    with visitor.page(address) as page:
        slider = page.get_by_role("slider", name="Ply")
        expect(slider).to_have_value(str(plies - 1))
        shown = board(page, number, plies - 1).get_attribute("aria-label") or ""
        assert discs(long, plies - 1) in shown
        played = parse_moves(long["moves"])[plies - 1]
        free = Position(Ruleset(), parse_moves(long["moves"])[: plies - 1]).legal()
        other = next(column for column in free if column != played)
        page.get_by_role("button", name=f"Column {other},").click()
        expect(board(page, number, plies)).to_be_visible()
        page.reload()
        expect(page.get_by_text("You are trying moves")).to_be_visible()
        page.get_by_role("button", name="back to the game").click()
        expect(board(page, number, plies - 1)).to_be_visible()

        go(page, f"#/game/{number}/0")
        page.get_by_role("combobox", name="Speed").select_option("4")
        page.keyboard.press("Space")
        expect(slider).not_to_have_value(re.compile("^[01]$"))
        page.get_by_role("button", name="Pause").click()
        stopped = slider.input_value()
        page.wait_for_timeout(400)
        assert slider.input_value() == stopped


def test_a_bots_page_has_its_faults_its_rounds_and_the_next_blunder(
    report: Page, games: list[Row]
) -> None:
    go(report, "#/bot/crasher")
    row = next(r for r in games if r["verdict"] == "CRASH")
    expect(report.locator(".faults")).to_contain_text(row["reason"])
    report.get_by_role("link", name=f"Game {row['game']}", exact=True).click()
    expect(board(report, row["game"], int(row["plies"]))).to_be_visible()

    go(report, "#/bot/lookahead")
    for what in ("Rank", "Rating"):
        graph = report.get_by_role("img", name=re.compile(f"^{what} after each round: from "))
        expect(graph.locator("circle")).to_have_count(1)
        expect(graph.locator(".version")).to_have_count(1)
        expect(graph.locator("polyline")).to_have_count(2)  # it missed a round
    report.locator(".history summary").click()
    table = report.get_by_role("table", name="After each round")
    rounds = table.locator("tbody").get_by_role("row")
    expect(rounds).to_have_count(2)
    expect(rounds.nth(0)).to_contain_text("2026-11-01")
    expect(rounds.nth(1)).to_have_text(re.compile(r"^3.*2026-11-03.*\d+ of \d+.*another version$"))
    report.locator(".games").get_by_role("link", name=re.compile(r"^ply \d+$")).first.click()
    report.get_by_role("button", name="To the next blunder").click()
    expect(report.get_by_role("status").filter(has_text="a blunder")).to_be_visible()


def test_the_other_views_answer(report: Page, games: list[Row]) -> None:
    report.get_by_role("link", name="Openings").click()
    own = [row for row in games if row["opening"] == games[-1]["opening"]]
    card = report.get_by_role("listitem").filter(has_text="Opening 2")
    expect(card.get_by_role("img").first).to_be_visible()
    card.get_by_role("link").click()
    expect(report.get_by_role("status")).to_contain_text(f"of {len(own)} games")

    report.get_by_role("link", name="Convergence").click()
    report.get_by_text("Bots shown").click()
    chart = report.get_by_role("img", name=re.compile("^Ratings of"))
    lines = chart.locator("polyline").count()
    report.get_by_role("checkbox", name=HEBREW).uncheck()
    expect(chart.locator("polyline")).to_have_count(lines - 1)

    report.get_by_role("link", name="Settings").click()
    expect(report.get_by_text("arena resume homework-again")).to_be_visible()
    expect(report.get_by_role("row", name="Seed 1", exact=True)).to_be_visible()

    go(report, "#/nowhere")
    expect(report.get_by_role("main")).not_to_be_empty()


def visit(page: Page, where: str) -> None:
    """Go to a view and wait until it is there."""
    go(page, where)
    page.locator("main h1").first.wait_for()
    expect(page.locator("main [aria-busy=true]")).to_have_count(0)


def test_no_view_is_broken_by_hostile_names_or_inaccessible(
    visitor: Visitor, contest: Path, tmp_path: Path
) -> None:
    """On a narrow dark screen and a wide light one, with names that no folder would give a bot."""
    chunks = chunks_of((contest / "report.html").read_text(encoding="utf-8"))
    overview: dict[str, Any] = chunks["overview"]
    others = (bot["name"] for bot in overview["bots"] if bot["name"] != HEBREW)
    new = dict(zip(others, RAW, strict=False))
    for bot in overview["bots"]:
        bot["name"] = new.get(bot["name"], bot["name"])
    overview["contest"]["name"] = RAW[0]
    file = tmp_path / "report.html"
    made = page_of(RAW[0], [Chunk(*chunk) for chunk in chunks.items()], table=overview["bots"])
    file.write_text(made, encoding="utf-8")
    fault = next(game["n"] for game in chunks["games-0"] if "<img" in game["r"])
    pair = urlencode({"a": RAW[0], "b": RAW[1]})
    alike = [f"#/bot/{quote(name, safe='')}" for name in (*RAW, HEBREW)]
    views = ["#/", "#/crosstable", "#/games", f"#/games?{pair}", f"#/game/{fault}"]
    views += [f"#/game/{fault}/15", "#/openings", "#/convergence", "#/about", *alike]
    found = {}
    with visitor.page(file) as shown:
        shown.get_by_role("heading", level=1).wait_for()
        assert set(names(shown).all_inner_texts()) >= {name.strip() for name in (*RAW, HEBREW)}
        assert shown.title() == f"Leaderboard – {RAW[0]}"
        for where in views:
            visit(shown, where)
            assert shown.locator("img, main script, main b").count() == 0, where
            for width, dark in ((360, True), (1440, False)):
                look(shown, width, dark=dark)
                assert overflow(shown) <= 0, where
                if where not in (*alike[1:], *views[3:6:2]):  # they are like others
                    found[where, width] = visitor.faults(shown)
    assert not {where: faults for where, faults in found.items() if faults}


def test_a_students_report_tells_their_games_and_nobody_elses_results(
    visitor: Visitor, contest: Path, tmp_path: Path
) -> None:
    session = Session.read(contest)
    settled, _, analyses = session.settle()
    facts = facts_of(contest, session.contest, settled, analyses)
    names = {bot: Pseudonym(name=f"amber otter {n}") for n, bot in enumerate(session.contest.bots)}
    text = StudentReports(replace(facts, pseudonyms=names), "homework")("printer")
    (tmp_path / "mine.html").write_text(text, encoding="utf-8")
    with visitor.page(tmp_path / "mine.html", width=360) as shown:
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


def saved(page: Page, bot: str, file: Path) -> str:
    """Save a bot's games from its page, and return the file's text."""
    go(page, f"#/bot/{quote(bot)}")
    page.get_by_role("heading", name=bot, level=1, exact=True).wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="save its games").click()
    started.value.save_as(file)
    assert started.value.suggested_filename == "games.json"
    return file.read_text(encoding="utf-8")


def seen(game: ShownGame) -> dict[str, object]:
    """Return what a file has of a game."""
    record = game.record
    return {
        "game": (game.number, game.opening, game.names, game.rules),
        "moves": (tuple(record.columns), record.opening_plies, tuple(record.nodes)),
        "microseconds": [spent // 1000 for spent in record.charged_ns],
        "end": (record.winner, record.verdict, one_line(record.reason, 800), record.output),
        "worth": game.analysis and [each.numbers for each in game.analysis.positions],
    }


def test_a_bots_games_are_saved_as_its_author_may_see_them(
    report: Page, visitor: Visitor, contest: Path, tmp_path: Path
) -> None:
    session = Session.read(contest)
    settled, _, analyses = session.settle()
    facts = facts_of(contest, session.contest, settled, analyses)
    file, texts = tmp_path / "games.json", {}
    for bot in session.contest.playing:
        texts[bot] = saved(report, bot, file)
        own = [seen(game) for game in OwnGames(facts)(bot) if game.is_played]
        assert [seen(game) for game in FileGames(file)] == own
    own_page = tmp_path / "printer.html"
    own_page.write_text(StudentReports(facts, contest.name)("printer"), encoding="utf-8")
    with visitor.page(own_page) as page:
        assert saved(page, "printer", file) == texts["printer"]
