"""The report: its data say what the games say, and names stay text."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.ranking.grading import Grades, with_error
from arena.ranking.ratings import convergence
from arena.report.html import report as report_module
from arena.report.html.games import bot_chunks, game_chunks
from arena.report.html.overview import bot_entries, contest_overview, settings_of
from arena.report.html.report import contest_report, write_report
from arena.report.html.shell import as_json
from arena.report.own_games import contest_games
from arena.report.screen.lines import out_table, table_lines
from arena.rules import format_moves
from arena.settings.contest import Contest, Schedule
from support.reports import HEBREW, LONG, OPENINGS, REFUSED, SCRIPT, chunks_of, contest_facts

FACTS = contest_facts()
PLACES = {entry["name"]: place for place, entry in enumerate(bot_entries(FACTS))}


def overview() -> dict[str, Any]:
    """The overview as the page's script reads it."""
    made: dict[str, Any] = json.loads(json.dumps(contest_overview(FACTS, "homework4")))
    return made


def points(name: str, game: Any, record: Any) -> float:
    if record.winner is None:
        return 0.5
    return float((game.first, game.second)[record.winner] == name)


class TestOverview:
    def test_bots_are_in_the_order_of_the_table_and_those_refused_come_last(self) -> None:
        bots = overview()["bots"]
        assert [bot["name"] for bot in bots] == [*FACTS.board["bot"], "absent"]
        assert [bot["rank"] for bot in bots] == [*FACTS.board["rank"], None]
        assert (bots[-1]["refused"], bots[-1]["points"]) == (REFUSED, None)
        assert {bot["name"] for bot in bots if bot["house"]} == {"reference", "random"}
        row = FACTS.board.set_index("bot").loc[SCRIPT]
        (entry,) = (bot for bot in bots if bot["name"] == SCRIPT)
        for key, column in (
            ("rating", "rating"),
            ("faults", "forfeits"),
            ("max_ms", "max_move_ms"),
        ):
            assert entry[key] == row[column]

    def test_a_grades_error_is_written_as_in_the_table(self) -> None:
        grade = replace(FACTS.grades.by_bot["ann"], error=0.25)
        facts = replace(FACTS, grades=Grades(by_bot={"ann": grade}))
        (entry,) = (bot for bot in bot_entries(facts) if bot["name"] == "ann")
        shown = f"{entry['grade']:g}"
        assert f"{shown} {entry['grade_error']}" == with_error(shown, grade.error)

    def test_faults_and_nodes_are_those_of_the_games(self) -> None:
        faults: dict[str, Counter[str]] = defaultdict(Counter)
        nodes: dict[str, int] = defaultdict(int)
        for game, record, _ in FACTS.settled.games:
            for seat, name in enumerate((game.first, game.second)):
                own = record.nodes[(record.opening_plies + seat) % 2 :: 2]
                nodes[name] = max(nodes[name], *own, -1)
                if record.loser == seat and record.verdict.is_fault:
                    faults[name][record.verdict.name] += 1
        for bot in overview()["bots"][:-1]:
            name = bot["name"]
            assert bot["faults_by"] == faults[name]
            assert bot["max_nodes"] == nodes[name]

    def test_the_crosstable_has_points_and_games_of_each_pairing(self) -> None:
        data = overview()
        names = [bot["name"] for bot in data["bots"][:-1]]
        expected: dict[Any, list[float]] = defaultdict(lambda: [0, 0])
        for game, record, _ in FACTS.settled.games:
            for one, other in ((game.first, game.second), (game.second, game.first)):
                expected[one, other][0] += points(one, game, record)
                expected[one, other][1] += 1
        for row, one in zip(data["crosstable"], names, strict=True):
            for cell, other in zip(row, names, strict=True):
                assert cell == (None if one == other else expected[one, other])

    def test_the_settings_name_each_end_of_a_contest_that_chooses_its_games(self) -> None:
        played = {
            dict(settings_of(Contest(schedule=plan)))["Games that are played"]
            for plan in (
                Schedule(),
                Schedule(until_settled=0.9),
                Schedule(until=datetime(2030, 12, 1, 7, 30), until_settled=0.9),
            )
        }
        chosen, settled = "those that tell most, until", "ranks are settled (likelihood 0.9)"
        assert played == {
            "all",
            f"{chosen} {settled}",
            f"{chosen} 2030-12-01 07:30 or {settled}",
        }

    def test_openings_have_their_columns_and_how_they_ended(self) -> None:
        for opening in overview()["openings"]:
            assert tuple(opening["columns"]) == OPENINGS[opening["number"] - 1]
            ended = [opening[key] for key in ("first_wins", "draws", "second_wins", "faults")]
            assert sum(ended) == opening["games"] == 30

    def test_it_says_what_stands_below_the_table_but_not_of_bots_that_are_out(self) -> None:
        below = [line.plain for line in table_lines(FACTS)]
        assert below == overview()["contest"]["notes"] != []
        table = out_table(FACTS, 100)
        assert table is not None
        assert [str(cell) for cell in table.columns[1].cells] == [
            f"does not take part: it {REFUSED}"
        ]


def test_convergence_has_the_ratings_of_contests_with_fewer_openings() -> None:
    table = convergence(FACTS.games, FACTS.contest, FACTS.ratings)
    assert list(map(int, table.columns)) == [1, 2, 3]
    assert np.allclose(table[3], FACTS.ratings.table["rating"][table.index])
    games = FACTS.games[FACTS.games["opening"].isin(map(format_moves, OPENINGS[:2]))]
    fewer = convergence(games, FACTS.contest, FACTS.ratings)
    assert list(map(int, fewer.columns)) == [1, 2]
    assert np.allclose(table[[1, 2]], fewer)
    assert not np.allclose(table[2], table[3])


def test_convergence_counts_the_openings_of_each_pairing_in_the_order_of_its_games() -> None:
    one, other = map(format_moves, OPENINGS[:2])
    is_even = FACTS.games["pairing"] % 2 == 0
    swapped = FACTS.games["opening"].replace({one: other, other: one})
    games = FACTS.games.assign(opening=FACTS.games["opening"].where(~is_even, swapped))
    table = convergence(FACTS.games, FACTS.contest, FACTS.ratings)
    assert np.allclose(convergence(games, FACTS.contest, FACTS.ratings), table)


class TestGames:
    def test_each_game_stands_in_the_lists_of_both_bots(self) -> None:
        index = {name: place for place, name in enumerate(FACTS.board["bot"])}
        chunks = {chunk.name: chunk.data for chunk in bot_chunks(contest_games(FACTS), PLACES)}
        assert chunks["bot-6"] == []
        for game, record, _ in FACTS.settled.games:
            for seat, name in enumerate((game.first, game.second)):
                (row,) = (row for row in chunks[f"bot-{index[name]}"] if row[0] == game.number)
                other = (game.second, game.first)[seat]
                result = {1.0: "W", 0.5: "D", 0.0: "L"}[points(name, game, record)]
                assert row[1:4] == [index[other], seat, result]
                assert row[4:7] == [record.verdict.name, len(record.columns), game.opening]

    def test_games_are_kept_by_their_numbers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("arena.report.html.games.CHUNK_GAMES", 40)
        chunks = {chunk.name: chunk.data for chunk in game_chunks(contest_games(FACTS), PLACES)}
        assert [len(chunks[f"games-{place}"]) for place in range(3)] == [40, 40, 10]
        assert [game["n"] for game in chunks["games-1"]] == list(range(41, 81))


def test_json_holds_any_text_that_a_bot_prints_and_no_number_that_json_lacks() -> None:
    for text in ("שלום 🙂", "\ud83d", "</script>", "\x1b[2J\x00"):
        assert json.loads(as_json([text])) == [text]
    assert json.loads(as_json([0.5, float("nan"), float("inf")])) == [0.5, None, None]


class Reader(HTMLParser):
    """Reads the elements and the text of a page, as a browser does."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.text = ""
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"] or ""

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is None:
            self.text += data


class TestPage:
    def test_names_are_text_and_add_no_element(self) -> None:
        plain = Reader(contest_report(contest_facts(("reference", *"abcd", "random")), "x"))
        page = Reader(contest_report(FACTS, f"{SCRIPT}&\"'"))
        assert page.elements == plain.elements
        for name in (SCRIPT, LONG, HEBREW):
            assert name in page.text

    def test_it_has_all_data_and_asks_for_nothing_from_elsewhere(self) -> None:
        text = contest_report(FACTS, "homework4")
        found = chunks_of(text)
        assert found["overview"]["bots"][0]["name"] == FACTS.board["bot"][0]
        assert [game["n"] for game in found["games-0"]] == list(range(1, 91))
        assert {name for name in found if name.startswith("bot-")} == {f"bot-{k}" for k in range(7)}

        page = Reader(text)  # without scripts it has the table, and says who did not play
        assert page.elements["tr"] == 1 + len(FACTS.board)
        assert "None" not in page.text
        assert f"absent did not play: it {REFUSED}" in page.text

        assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text)
        assert "default-src 'none'" in page.policy
        assert "connect-src 'none'" in page.policy
        assert not [word for word in ("'self'", "file:", "unsafe-eval") if word in page.policy]
        assert "'unsafe-inline'" not in page.policy.split("script-src")[1].split(";")[0]


class TestFiles:
    def test_the_games_of_a_large_contest_lie_beside_the_page_and_stale_ones_go(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "report").mkdir()
        (tmp_path / "report" / "games-99.js").touch()
        (tmp_path / "report" / "own.js").touch()
        (tmp_path / "report" / "games-98.js").mkdir()  # somebody's folder is none of ours
        monkeypatch.setattr(report_module, "MAX_INSIDE", 89)
        written = write_report(tmp_path / "report.html", FACTS, "homework4")
        beside = {path.name for path in (tmp_path / "report").iterdir()}
        assert beside == {"own.js", "games-98.js", "games-0.js", *(f"bot-{k}.js" for k in range(7))}
        assert written.pages == 8
        text = (tmp_path / "report" / "games-0.js").read_text()
        packed = re.fullmatch(r'Arena\.receive\("games-0", "(\w+)", "([\w+/=]+)"\);\n', text)
        assert packed is not None
        games = json.loads(gzip.decompress(base64.b64decode(packed[2])))
        assert len(games) == 90
        page = written.path.read_text()
        assert chunks_of(page)["overview"]["edition"] == packed[1]
        assert "file:" in Reader(page).policy

        monkeypatch.setattr(report_module, "MAX_INSIDE", 90)
        written = write_report(tmp_path / "report.html", FACTS, "homework4")
        assert written.pages == 0
        left = {path.name for path in (tmp_path / "report").iterdir()}
        assert left == {"own.js", "games-98.js"}
