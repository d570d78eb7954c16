"""A file of games: what was written is read again, and nothing in one is believed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.common.errors import InputError
from arena.common.plain import Table
from arena.game.limits import Limits
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.interfaces import EntryPoint, Overrides
from arena.report.game_file import (
    MAX_BYTES,
    MAX_GAMES,
    BotTerms,
    FileGames,
    game_file,
    pgn,
    plain_terms,
    read_terms,
    require_room,
    terms_of,
)
from arena.report.replay import OwnSeat, ShownGame
from arena.rules import Ruleset
from arena.settings.contest import BotEntry, Contest
from support.perfect import BruteForce, brute_analysis, played_game

SMALL = Ruleset(rows=3, columns=4, connect=3)
NASTY = "<script>alert(1)</script>\x1b[2J‮שרה" + "x" * 300


def shown(columns: tuple[int, ...] = (0, 1, 0, 1, 0), number: int = 4) -> ShownGame:
    """A game that was won with a line of three in column 0, analysed."""
    _, record = played_game(SMALL, columns, 2, number)
    return ShownGame(
        number=number,
        opening=3,
        names=("dora", "emil"),
        rules=SMALL,
        record=record,
        analysis=brute_analysis(SMALL, record, 1, BruteForce()),
    )


def fault() -> ShownGame:
    """A game lost by a fault, with words of the bot that come from anywhere."""
    record = GameRecord(
        key="f" * 32,
        columns=(0, 1, 2),
        opening_plies=0,
        charged_ns=(5, 6, 7, 8),
        nodes=(-1, 2, -1, 1 << 61),
        winner=0,
        verdict=Verdict.ERROR,
        reason=f"raised {NASTY}",
        output=NASTY,
    )
    return ShownGame(number=9, opening=1, names=("dora", "emil"), rules=SMALL, record=record)


def written(
    path: Path,
    change: Callable[[dict[str, Any]], object] = len,
    games: Sequence[ShownGame] = (),
    terms: BotTerms | None = None,
) -> Path:
    """Write a file, changed: of two games unless others are given."""
    document = json.loads(game_file("homework4", "5 s a move", games or [shown(), fault()], terms))
    change(document)
    file = path / "dora.json"
    file.write_text(json.dumps(document))
    return file


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    games = FileGames(written(tmp_path))
    one, other = games
    before = shown()
    assert one.analysis is not None
    assert before.analysis is not None
    assert (one.number, one.opening, one.names, one.rules) == (4, 3, ("dora", "emil"), SMALL)
    assert one.record.columns == before.record.columns
    assert one.analysis.positions == before.analysis.positions
    assert one.analysis.values == before.analysis.values
    assert other.record.nodes == (-1, 2, -1, 1 << 61)
    assert other.record.charged_ns == (5, 6, 7, 8)
    assert other.record.output == NASTY
    assert games.title == "homework4: 3 rows × 4 columns, connect 3; 5 s a move"
    assert games.find("9") == other


def test_a_byte_order_mark_that_an_editor_left_is_no_fault(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert [game.number for game in FileGames(file)] == [4, 9]


def test_a_file_tells_no_key_of_a_game(tmp_path: Path) -> None:
    text = written(tmp_path).read_text()
    assert shown().record.key not in text
    assert "f" * 32 not in text


TERMS = BotTerms(
    limits=Limits(move_seconds=0.5, nodes=None, memory_mb=128),
    overrides=Overrides(
        interface="agent", entry="best", options={"depth": 3, "tool": "/home/prof/x"}
    ),
)


def of_its_author(path: Path, change: Callable[[dict[str, Any]], object] = len) -> Path:
    """Write the file of the author of a bot, changed."""
    return written(path, change, [replace(shown(), own=OwnSeat(seat=1, seed=(1 << 64) - 1))], TERMS)


def test_it_tells_how_its_authors_bot_is_asked_again_and_no_place_of_another_machine(
    tmp_path: Path,
) -> None:
    games = FileGames(of_its_author(tmp_path))
    assert games.find("4").own == OwnSeat(seat=1, seed=(1 << 64) - 1)
    assert games.terms == replace(TERMS, overrides=replace(TERMS.overrides, options={"depth": 3}))
    assert "/home/prof" not in of_its_author(tmp_path).read_text()


def test_it_describes_the_instructors_own_interface() -> None:
    described = '{"entry": {"function": "play"}}'
    point = EntryPoint(interface="mine", name="play", description=described)
    contest = Contest(interfaces={"mine": described}, bots={"ann": BotEntry(entry_point=point)})
    terms = terms_of(contest, "ann")
    assert terms.own == {"mine": described}
    assert read_terms(Table("ann.json", plain_terms(terms))) == terms
    for wrong in ("[" * 60_000, "3", '{"entry": {"function": "__import__"}}'):
        values = plain_terms(replace(terms, description=wrong))
        with pytest.raises(InputError, match="description is not as Arena writes it"):
            read_terms(Table("ann.json", values))


def test_a_file_of_an_earlier_arena_does_not_tell_that(tmp_path: Path) -> None:
    games = FileGames(written(tmp_path))
    assert (games.terms, games.find("4").own) == (None, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda it: it["terms"]["limits"].update(move_seconds=-1),
        lambda it: it["terms"]["limits"].update(move_seconds="5\n6"),
        lambda it: it["terms"]["limits"].update(move_seconds=10**400),
        lambda it: it["terms"]["limits"].update(nodes=0),
        lambda it: it["terms"]["limits"].update(memory_mb=1 << 40),
        lambda it: it["terms"]["limits"].update(nodes_for_all=1),
        lambda it: it["terms"].update(interface="telepathy"),
        lambda it: it["terms"].update(options=[]),
        lambda it: it["terms"].update(entry=5),
        lambda it: it.update(terms=[]),
        lambda it: it["games"][0].update(own_seat=2),
        lambda it: it["games"][0].update(own_seed=1 << 64),
    ],
)
def test_terms_that_arena_would_not_write_are_refused_in_a_line(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(InputError) as refused:
        FileGames(of_its_author(tmp_path, change))
    assert "dora.json" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_and_reasons_are_printable_lines(tmp_path: Path) -> None:
    def rename(document: dict[str, Any]) -> None:
        document["games"][0]["first"] = NASTY

    one, other = FileGames(written(tmp_path, rename))
    for text in (one.names[0], other.record.reason):
        assert text.isprintable()
        assert len(text) <= 800


def test_a_number_that_is_not_there_is_answered_by_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no game 5; it has: 4, 9"):
        FileGames(written(tmp_path)).find("5")


def set_in(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change: the value at a path becomes another."""

    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = to

    return change


BAD = {
    "another file": (("kind",), "x", "not a file of games that Arena wrote"),
    "a newer version": (("version",), 2, "written by a newer Arena"),
    "a huge board": (("rules", "rows"), 10**9, "rules: rows = 1000000000: expected 1 to 64"),
    "no line on the board": (("rules", "connect"), 1, "expected 2 to 64"),
    "a goal of its own": (("rules", "goal"), "last", 'goal = "last": expected one of'),
    "no list": (("games",), {}, "games is not as Arena writes it: expected a list"),
    "no game": (("games", 0), 7, "games, number 1: not as Arena writes it"),
    "a number twice": (("games", 0, "game"), 9, "games with different numbers"),
    "no number": (("games", 0, "game"), "4", "game is not as Arena writes it"),
    "a flag for a number": (("games", 0, "game"), True, "game is not as Arena writes it"),
    "a column that is none": (("games", 0, "moves"), [4], "whole numbers from 0 to 3"),
    "a full column": (("games", 0, "moves"), [0, 0, 0, 0], "moves: column 0 is full"),
    "moves after the end": (("games", 0, "moves"), [0, 1] * 3, "moves: the game is over"),
    "more moves than cells": (("games", 0, "moves"), [0] * 99, "at most 12 whole numbers"),
    "too long an opening": (("games", 0, "opening_plies"), 9, "opening_plies"),
    "times that are missing": (("games", 0, "charged_ns"), [1], "expected a number for each"),
    "an endless time": (("games", 1, "charged_ns"), [1e999, 1, 1, 1], "charged_ns is not"),
    "nodes that are missing": (("games", 0, "nodes"), [], "expected a number for each"),
    "a third winner": (("games", 0, "winner"), 2, "winner is not as Arena writes it"),
    "another winner": (("games", 0, "winner"), 1, "the end that the board shows"),
    "no winner": (("games", 0, "winner"), None, "the end that the board shows"),
    "an end too early": (("games", 1, "verdict"), "LINE", "the end that the board shows"),
    "no verdict": (("games", 1, "verdict"), "__class__", "verdict is not as Arena writes it"),
    "no text": (("games", 1, "output"), ["a"], "output is not as Arena writes it"),
    "a long text": (("games", 1, "output"), "a" * 70_000, "a text of at most 65536 characters"),
    "worths that are missing": (("games", 0, "worth"), [], "a list for each of 3 positions"),
    "a worth for no column": (("games", 0, "worth", 0), [1] * 5, "a number for each column"),
    "no worth": (("games", 0, "worth", 0), [None] * 4, "a number for each column"),
    "a worth beyond all": (("games", 0, "worth", 0, 1), 49, "a number for each column"),
    "a certain estimate": (("games", 0, "worth", 0, 1), 1.0, "a number for each column"),
}


@pytest.mark.parametrize("case", BAD)
def test_whatever_is_wrong_is_said_in_one_line(case: str, tmp_path: Path) -> None:
    path, value, message = BAD[case]
    file = written(tmp_path, set_in(*path, to=value))
    with pytest.raises(InputError) as error:
        FileGames(file)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "data", [b"", b"[" * 100_000, b"{" * 9, b"\xff\xfe", b"9" * 9_999, b"[1e5,", b"null", b"{}"]
)
def test_a_file_of_anything_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(InputError, match=r"x\.json: not "):
        FileGames(tmp_path / "x.json")


def test_a_folder_a_device_and_a_long_file_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "long.json").open("wb") as file:
        file.truncate(40 << 20)
    for path in (tmp_path, Path("/dev/zero"), tmp_path / "nothing", tmp_path / "long.json"):
        with pytest.raises(InputError, match=r"not a file|no such file|longer than"):
            FileGames(path)


def test_as_text_a_game_has_tags_that_nobody_can_forge_and_numbered_moves() -> None:
    names = ('do"ra]\n[Result "0-1"]', "em\\il")
    won, lost = pgn("homework4", [replace(shown(), names=names), fault()])
    assert won.splitlines() == [
        '[Event "homework4"]',
        '[Round "4"]',
        r'[First "do\"ra] [Result \"0-1\"]"]',
        r'[Second "em\\il"]',
        '[Result "1-0"]',
        '[Rules "3 rows × 4 columns, connect 3"]',
        '[Opening "3"]',
        '[OpeningPlies "2"]',
        '[Verdict "LINE"]',
        f'[Reason "{shown().record.reason}"]',
        "",
        "1. 0 1 2. 0 1 3. 0 1-0",
        "",
    ]
    assert won.endswith("\n\n")
    assert lost.isprintable() or set(lost) - {"\n"} == set(filter(str.isprintable, lost))
    (nobody,) = pgn("x", [replace(fault(), record=replace(fault().record, winner=None))])
    assert "1. 0 1 2. 2 *\n" in nobody


def test_the_keys_and_tags_of_both_formats_are_fixed_names() -> None:
    fixed = Path("docs/reference/fixed-names.md").read_text(encoding="utf-8")
    own = replace(shown(), own=OwnSeat(seat=1, seed=1))
    document = json.loads(game_file("homework4", "5 s a move", [own], TERMS))
    keys, tags = (
        re.findall(r"`(\w+)`", fixed.split(f"**{title}**")[1].split("**")[0])
        for title in ("`games.json`", "Tags of a `.pgn`")
    )
    assert sorted(keys) == sorted([*document, *document["games"][0]])
    assert tags == re.findall(r"^\[(\w+) ", next(pgn("homework4", [own])), re.M)


def test_more_games_than_are_read_again_are_not_written(tmp_path: Path) -> None:
    require_room(tmp_path, MAX_GAMES, MAX_BYTES)
    for games, size in ((MAX_GAMES + 1, 0), (1, MAX_BYTES + 1)):
        with pytest.raises(InputError, match="more than one file holds"):
            require_room(tmp_path, games, size)
