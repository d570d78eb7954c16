"""The replay of games, their lists and the page of a bot, in a browser.

One game with hand-written worths stands for all: on 2 rows × 3 columns, connect 3, the first player
lays 0 1 2 in the bottom row after a blunder of the second.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from arena.analysis.analysis import GameAnalysis, PositionAnalysis, exact_values
from arena.analysis.worth import Worth
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.html.games import bot_chunks, game_chunks
from arena.report.html.report import replays_page
from arena.report.html.shell import Chunk, page
from arena.report.replay import ShownGame
from arena.rules import Ruleset
from support.browser import Visitor, go, look, overflow

pytestmark = pytest.mark.slow

RULES = Ruleset(rows=2, columns=3, connect=3)
NAMES = ("<b>ann</b>", "bob")
PLACES = {name: place for place, name in enumerate(NAMES)}
OUTPUT = "<i>no</i> idea \x1b[31m"

WORTHS: tuple[tuple[float | None, ...], ...] = (
    (0.62, 0.4, 0.55),  # after the opening, a disc in column 0: the second player moves
    (0.4, 0, 0.3),
    (0, -1, 0),
    (0, 0, 1),
)
"""What each column was worth in each position after the opening; the second player's last move
turned a draw into a loss at ply 5."""


def _record(number: int, **other: Any) -> GameRecord:
    facts: dict[str, Any] = {
        "key": f"{number}",
        "columns": (0, 0, 1, 1, 2),
        "opening_plies": 1,
        "charged_ns": (1_500_000, 2_000_000, 15_000_000, 40_000_000),
        "nodes": (10, 20, -1, 1_000),
        "winner": 0,
        "verdict": Verdict.LINE,
        "reason": "made a line with column 2",
    }
    return GameRecord(**(facts | other))


def _analysis(record: GameRecord) -> GameAnalysis:
    positions = tuple(
        PositionAnalysis(
            ply=ply, columns=tuple(None if each is None else Worth.of(each) for each in row)
        )
        for ply, row in enumerate(WORTHS, record.opening_plies)
    )
    values = exact_values(record, positions)
    return GameAnalysis(key=record.key, nodes=1, positions=positions, values=values)


def _games() -> list[ShownGame]:
    """Return a game that is analysed, one lost by a fault of the second, and a hundred draws."""
    line = _record(1)
    fault = _record(
        2,
        columns=(0,),
        charged_ns=(1_000_000_000,),
        nodes=(-1,),
        verdict=Verdict.ERROR,
        reason="raised ValueError: <script>alert(1)</script>, at ply 2",
        output=OUTPUT,
    )
    full = _record(3, columns=(0, 1, 2, 0, 1, 2), winner=None, verdict=Verdict.BOARD_FULL)
    draws = [
        ShownGame(number=number, opening=1, names=NAMES[::-1], rules=RULES, record=full)
        for number in range(3, 103)
    ]
    return [
        replace(draws[0], number=1, names=NAMES, record=line, analysis=_analysis(line)),
        replace(draws[0], number=2, names=NAMES, record=fault),
        *draws,
    ]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games = _games()
    bots = [{"name": name, "house": False, "budget": 100, "losses": 0} for name in NAMES]
    bots[1]["losses"] = 2
    overview = {
        "view": "contest",
        "me": None,
        "contest": {
            "command": "arena resume class-again",
            "name": "class",
            "rules": {"rows": 2, "columns": 3, "connect": 3, "goal": "first"},
            "limits": {"move_seconds": 1, "first_move_seconds": 1, "nodes": 100},
        },
        "bots": bots,
        "openings": [],
        "analysed": {"games": 1, "of": 102},
        "chunk_games": 500,
        "last_game": 102,
    }
    file = tmp_path_factory.mktemp("page") / "report.html"
    chunks = [Chunk("overview", overview), *bot_chunks(games, PLACES), *game_chunks(games, PLACES)]
    file.write_text(page("class", chunks), encoding="utf-8")
    return file


def _at(report: Path, place: str) -> str:
    return f"{report.as_uri()}#/{place}"


def _column(shown: Page, column: int) -> Locator:
    return shown.locator(".columns button").nth(column)


def test_a_replay_is_stepped_to_its_end_by_keyboard(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "game/1/0")) as shown:
        said = shown.locator(".said")
        expect(said).to_have_text("The empty board. X moves first.")
        before = shown.evaluate("history.length")
        keys = ["ArrowRight"] * 5
        for ply, key in enumerate(keys, 1):
            shown.keyboard.press(key)
            expect(shown).to_have_url(_at(report, f"game/1/{ply}"))
            expect(shown.locator(".stage .board .disc")).to_have_count(ply)
        expect(said).to_contain_text(
            "played column 2: wins at ply 5. It took 40 ms and 1,000 nodes."
        )
        expect(said).to_contain_text("<b>ann</b> wins: made a line with column 2.")
        expect(shown.locator(".stage .board .won")).to_have_count(3)
        expect(shown.locator(".stage .board .opening")).to_have_count(1)
        shown.keyboard.press("Home")
        expect(said).to_contain_text("The empty board.")
        shown.keyboard.press("End")
        expect(shown.locator(".stage .board .disc")).to_have_count(5)
        shown.keyboard.press("ArrowLeft")
        # column 1 was played for a loss, where 0 and 2 would have drawn
        expect(said).to_contain_text("O bob played column 1: loses at ply 5, a blunder")
        expect(said).to_contain_text("(column 0 or 2 draws)")
        assert shown.evaluate("history.length") == before


def test_columns_say_what_they_are_worth_and_what_is_an_estimate(
    visitor: Visitor, report: Path
) -> None:
    with visitor.page(_at(report, "game/1/1")) as shown:
        expect(shown.locator(".columns button")).to_have_count(3)
        for column, label in (
            (0, "Column 0, ≈ 62 %, an estimate, best, played"),
            (1, "Column 1, ≈ 40 %, an estimate"),
        ):
            expect(_column(shown, column)).to_have_attribute("aria-label", label)
        shown.keyboard.press("End")
        shown.keyboard.press("ArrowLeft")
        expect(_column(shown, 2)).to_have_attribute(
            "aria-label", "Column 2, wins at ply 5, best, played"
        )
        expect(_column(shown, 0)).to_have_attribute("aria-label", "Column 0, draws")
        expect(shown.locator(".turn")).to_contain_text(
            "bob went wrong at ply 4: column 1 loses at ply 5; column 0 or 2 draws"
        )
        # solid from the third position on, dashed before
        expect(shown.locator(".plot polyline.estimate")).to_have_count(2)
        expect(shown.locator(".plot polyline.exact")).to_have_count(2)
        expect(shown.locator(".plot a.blunder")).to_have_attribute(
            "aria-label", "Blunder of O at ply 4"
        )


def test_a_deep_link_opens_its_position_and_tried_moves(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "game/1/3?try=2")) as shown:
        expect(shown.locator(".stage .board .disc")).to_have_count(4)
        expect(shown.locator(".said")).to_have_text("O in column 2: draws. X to move.")
        shown.locator(".columns button").nth(1).click()
        expect(shown).to_have_url(_at(report, "game/1/3?try=2%2C1"))
        expect(shown.locator(".stage .board .disc")).to_have_count(5)
        shown.get_by_role("button", name="back to the game").click()
        expect(shown.locator(".stage .board .disc")).to_have_count(3)
        expect(shown).to_have_url(_at(report, "game/1/3"))


def test_what_is_not_there_is_said(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "game/xyz")) as shown:
        for place, said in (
            ("game/xyz", "There is no game xyz in this report."),
            ("game/103", "There is no game 103 in this report."),
            ("bot/<b>zoe<b>", "There is no bot <b>zoe<b> in this report."),
            ("games?a=zoe", "No such games."),
        ):
            go(shown, f"#/{place}")
            expect(shown.get_by_text(said)).to_be_visible()
        go(shown, "#/game/1/-3?try=9,a")  # nobody wrote that: the game's end
        expect(shown.locator(".stage .board .disc")).to_have_count(5)


def test_a_position_can_be_taken_to_arena_play(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "game/1/3")) as shown:
        shown.get_by_text("Play on from here").click()
        link = shown.locator(".onward a[download]")
        expect(link).to_have_attribute("download", "game-1-3.txt")
        with shown.expect_download() as download:
            link.click()
        text = Path(download.value.path()).read_text()
        assert text == "game 2 3 3 first\nmoves 0 0 1\n"
        expect(shown.locator(".onward code")).to_have_text(
            "arena play my_bot.py --second --load game-1-3.txt"
        )


def test_a_fault_shows_its_reason_and_what_was_printed_as_text(
    visitor: Visitor, report: Path
) -> None:
    with visitor.page(_at(report, "game/2")) as shown:
        expect(shown.locator(".verdict")).to_have_text(
            "bob raised ValueError: <script>alert(1)</script>, at ply 2. So <b>ann</b> wins."
        )
        assert shown.locator(".output pre").inner_text() == "<i>no</i> idea  [31m"
        expect(shown.locator(".moves tbody tr").last).to_contain_text("no move")
        expect(shown.locator(".side")).to_contain_text("typed in the folder that contains class:")
        expect(shown.locator(".side code").first).to_have_text("arena analyse class")


def test_a_bots_page_begins_with_its_lost_games(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "bot/bob")) as shown:
        rows = shown.locator(".games tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(0).get_by_role("link", name="ply 4")).to_be_visible()
        expect(shown.locator(".faults li")).to_contain_text("raised ValueError: <script>")
        shown.get_by_label("Result").select_option("")
        expect(rows).to_have_count(50)
        expect(shown.get_by_text("1 to 50 of 102 games")).to_be_visible()
        shown.get_by_role("button", name="later").click()
        shown.get_by_role("button", name="later").click()
        expect(rows).to_have_count(2)
        shown.get_by_label("Result").select_option("loss")
        rows.nth(0).get_by_role("link", name="ply 4").click()
        expect(shown.locator(".stage .board .disc")).to_have_count(3)
        # the replay keeps the list: the next game is bob's next lost one
        shown.get_by_role("link", name="next game").click()
        expect(shown.locator("h1")).to_contain_text("Game 2")
        expect(shown.locator(".near")).to_contain_text("2 of 2 lost games of bob")


def test_replay_bot_and_list_are_accessible_at_all_sizes(visitor: Visitor, report: Path) -> None:
    with visitor.page(_at(report, "game/1/3")) as shown:
        for place in ("game/1/3", "game/2", "bot/bob", "games?a=bob"):
            go(shown, f"#/{place}")
            shown.locator("tbody tr").first.wait_for()
            for width in (360, 1440, 768):
                look(shown, width, dark=False)
                assert overflow(shown) <= 0, (place, width)
            assert visitor.faults(shown) == []  # test_report.py looks for some at the other sizes


def test_a_page_of_played_games_begins_with_the_score(visitor: Visitor, tmp_path: Path) -> None:
    file = tmp_path / "match.html"
    players = [(NAMES[0], 100), (NAMES[1], None)]
    file.write_text(replays_page(RULES, Limits(), players, _games()[:3]), encoding="utf-8")
    with visitor.page(file, width=768, dark=True) as shown:
        expect(shown.locator(".score")).to_have_text("2.5 : 0.5")
        assert overflow(shown) <= 0
        assert visitor.faults(shown) == []
        shown.get_by_role("link", name="ply 4").click()
        expect(shown.locator(".turn")).to_contain_text("bob went wrong at ply 4")
