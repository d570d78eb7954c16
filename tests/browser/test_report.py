"""A contest's report as people use it, in a real browser; the folder's tables say what is true."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.rules import Position, Ruleset, parse_moves
from support.browser import Visitor
from support.hostile import HEBREW

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


def go(page: Page, where: str) -> None:
    """Follow a link into the report, as from another document."""
    page.evaluate("where => { location.hash = where; }", where)


def names(page: Page) -> list[str]:
    return page.get_by_role("rowheader").locator("bdi").all_inner_texts()


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


def said(page: Page) -> Locator:
    """The sentence on the position that is shown."""
    return page.get_by_role("status").filter(has_text=re.compile("^Ply "))


class TestLeaderboard:
    def test_it_is_sorted_by_a_column_when_its_head_is_pressed(
        self, report: Page, contest: Path
    ) -> None:
        ranked = rows(contest, "leaderboard.csv")
        assert names(report) == [row["bot"] for row in ranked]
        report.get_by_role("button", name="lost", exact=True).click()
        by_lost = sorted(ranked, key=lambda row: -int(row["losses"]))
        assert names(report) == [row["bot"] for row in by_lost]
        head = report.get_by_role("columnheader", name="lost", exact=True)
        expect(head).to_have_attribute("aria-sort", "descending")
        report.get_by_role("button", name="lost", exact=True).press("Enter")
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert int(ranked[[row["bot"] for row in ranked].index(names(report)[0])]["losses"]) == 0

    def test_what_is_typed_filters_it(self, report: Page) -> None:
        everybody = names(report)
        report.get_by_role("searchbox", name="Find").fill("ER")
        assert names(report) == [name for name in everybody if "er" in name]
        report.get_by_role("searchbox", name="Find").fill(HEBREW[:3])
        assert names(report) == [HEBREW]
        report.get_by_role("searchbox", name="Find").fill("")
        report.get_by_role("switch", name="house players").uncheck()
        assert names(report) == [name for name in everybody if name not in ("random", "reference")]

    def test_a_bots_name_leads_to_its_page(self, report: Page) -> None:
        report.get_by_role("link", name=HEBREW).click()
        expect(report.get_by_role("heading", level=1)).to_have_text(HEBREW)
        assert report.url.endswith(f"#/bot/{quote(HEBREW)}")


class TestCrosstable:
    def test_a_cell_leads_to_the_games_of_its_pairing(
        self, report: Page, games: list[Row], contest: Path
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

    def test_arrow_keys_move_and_enter_opens(self, report: Page, contest: Path) -> None:
        report.get_by_role("link", name="Crosstable").click()
        ranked = [row["bot"] for row in rows(contest, "leaderboard.csv")]
        report.locator("[data-at][tabindex='0']").focus()
        for key in ("ArrowRight", "ArrowDown"):
            report.keyboard.press(key)
        report.keyboard.press("Enter")
        expect(report.get_by_role("combobox", name="Bot")).to_have_value(ranked[1])
        expect(report.get_by_role("combobox", name="Against")).to_have_value(ranked[2])


class TestReplay:
    def test_keys_step_through_a_game_to_its_end(self, report: Page, long: Row) -> None:
        plies = int(long["plies"])
        go(report, f"#/game/{long['game']}")
        expect(board(report, long["game"], plies)).to_be_visible()
        report.keyboard.press("Home")
        for ply in range(plies + 1):
            assert discs(long, ply) in board(report, long["game"], ply).get_attribute("aria-label")
            report.keyboard.press("ArrowRight")
        assert "line of " in board(report, long["game"], plies).get_attribute("aria-label")
        expect(said(report)).to_contain_text(f"{long['winner']} wins")
        report.keyboard.press("ArrowLeft")
        expect(board(report, long["game"], plies - 1)).to_be_visible()
        assert report.url.endswith(f"#/game/{long['game']}/{plies - 1}")

    def test_it_plays_by_itself_until_it_is_stopped(self, report: Page, long: Row) -> None:
        go(report, f"#/game/{long['game']}/0")
        report.get_by_role("combobox", name="Speed").select_option("4")
        report.keyboard.press("Space")
        ply = report.get_by_role("slider", name="Ply")
        expect(ply).not_to_have_value(re.compile("^[01]$"))
        report.get_by_role("button", name="Pause").click()
        stopped = ply.input_value()
        report.wait_for_timeout(400)
        assert ply.input_value() == stopped

    def test_a_link_opens_exactly_its_position(
        self, visitor: Visitor, contest: Path, long: Row
    ) -> None:
        address = f"{(contest / 'report.html').as_uri()}#/game/{long['game']}/9"
        with visitor.page(address) as page:
            shown = board(page, long["game"], 9)
            shown.wait_for()
            assert discs(long, 9) in (shown.get_attribute("aria-label") or "")
            expect(page.get_by_role("slider", name="Ply")).to_have_value("9")

    def test_moves_can_be_tried_and_taken_back(self, report: Page, long: Row) -> None:
        plies = int(long["plies"]) - 1
        go(report, f"#/game/{long['game']}/{plies}")
        played = parse_moves(long["moves"])[plies]
        free = Position(Ruleset(), parse_moves(long["moves"])[:plies]).legal()
        other = next(column for column in free if column != played)
        report.get_by_role("button", name=f"Column {other},").click()
        expect(board(report, long["game"], plies + 1)).to_be_visible()
        expect(report.get_by_text("You are trying moves")).to_be_visible()
        report.reload()
        expect(report.get_by_text("You are trying moves")).to_be_visible()
        report.get_by_role("button", name="back to the game").click()
        expect(board(report, long["game"], plies)).to_be_visible()

    def test_a_fault_is_shown_with_what_was_printed(self, report: Page, games: list[Row]) -> None:
        row = next(r for r in games if r["verdict"] == "ERROR")
        go(report, f"#/game/{row['game']}")
        expect(report.locator(".verdict")).to_contain_text("<img src=x onerror=alert(2)>")
        printed = report.locator("pre").inner_text()
        assert "<img src=x onerror=alert(1)>" in printed
        assert not set(printed) & {"\x1b", "\u202e"}
        assert report.locator("img:not([role])").count() == 0


class TestBotPage:
    def test_the_games_it_lost_come_first(self, report: Page, games: list[Row]) -> None:
        go(report, "#/bot/lookahead")
        own = [row for row in games if "lookahead" in (row["first"], row["second"])]
        lost = [row["game"] for row in own if row["winner"] not in ("", "lookahead")]
        shown = report.locator(".games").get_by_role("rowheader")
        expect(shown).to_have_text(lost)
        report.get_by_role("combobox", name="Result").select_option("any")
        expect(shown).to_have_count(len(own))

    def test_a_wrong_turn_leads_to_its_position(self, report: Page) -> None:
        go(report, "#/bot/lookahead")
        turn = report.locator(".games").get_by_role("link", name=re.compile(r"^ply \d+$")).first
        ply = int(turn.inner_text().removeprefix("ply "))
        turn.click()
        expect(report.get_by_role("slider", name="Ply")).to_have_value(str(ply - 1))
        expect(report.get_by_text(f"lookahead went wrong at ply {ply}:")).to_be_visible()
        expect(report.get_by_role("button", name=re.compile("played")).first).to_be_visible()
        report.get_by_role("button", name="To the next blunder").click()
        expect(said(report)).to_contain_text("a blunder")

    def test_its_rounds_are_graphs_and_a_table(self, report: Page) -> None:
        go(report, "#/bot/lookahead")
        for what in ("Rank", "Rating"):
            graph = report.get_by_role("img", name=re.compile(f"^{what} after each round: from "))
            expect(graph.locator("circle")).to_have_count(1)
            expect(graph.locator(".version")).to_have_count(1)
            expect(graph.locator("polyline")).to_have_count(2)  # it missed a round
        report.locator(".history summary").click()
        table = report.get_by_role("table", name="After each round")
        rows = table.locator("tbody").get_by_role("row")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("2026-11-01")
        expect(rows.nth(1)).to_have_text(
            re.compile(r"^3.*2026-11-03.*\d+ of \d+.*another version$")
        )

    def test_its_faults_are_there_with_reason_and_place(
        self, report: Page, games: list[Row]
    ) -> None:
        go(report, "#/bot/crasher")
        row = next(r for r in games if r["verdict"] == "CRASH")
        expect(report.locator(".faults")).to_contain_text(row["reason"])
        report.get_by_role("link", name=f"Game {row['game']}", exact=True).click()
        expect(board(report, row["game"], int(row["plies"]))).to_be_visible()


class TestOtherViews:
    def test_openings_lead_to_their_games(self, report: Page, games: list[Row]) -> None:
        report.get_by_role("link", name="Openings").click()
        own = [row for row in games if row["opening"] == games[-1]["opening"]]
        card = report.get_by_role("listitem").filter(has_text="Opening 2")
        expect(card.get_by_role("img").first).to_be_visible()
        card.get_by_role("link").click()
        expect(report.get_by_role("status")).to_contain_text(f"of {len(own)} games")

    def test_convergence_shows_the_bots_that_are_chosen(self, report: Page) -> None:
        report.get_by_role("link", name="Convergence").click()
        report.get_by_text("Bots shown").click()
        chart = report.get_by_role("img", name=re.compile("^Ratings of"))
        lines = chart.locator("polyline").count()
        report.get_by_role("checkbox", name=HEBREW).uncheck()
        expect(chart.locator("polyline")).to_have_count(lines - 1)

    def test_settings_say_how_to_play_it_again(self, report: Page) -> None:
        report.get_by_role("link", name="Settings").click()
        expect(report.get_by_text("arena resume homework-again")).to_be_visible()
        expect(report.get_by_role("row", name="Seed 1", exact=True)).to_be_visible()

    def test_addresses_that_nothing_is_at_are_answered(self, report: Page) -> None:
        for where in (
            "#/game/99999",
            "#/game/x",
            "#/bot/<b>nobody<b>",
            "#/nowhere",
            "#/game/1/-3",
        ):
            go(report, where)
            expect(report.get_by_role("main")).not_to_be_empty()
        go(report, "#/bot/<b>nobody<b>")
        expect(report.get_by_text("There is no bot <b>nobody<b>")).to_be_visible()
