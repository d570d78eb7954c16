"""A list of games on a screen of any width."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from arena.common.errors import InputError
from arena.game.verdict import Verdict
from arena.report.replay import ShownGame
from arena.report.screen.games import Choice, GameResult, chosen, games_table
from support.scripted import games_between, lost

(PLACE,) = games_between(("annabel", "bob"))
RECORD = replace(lost(PLACE, "bob", Verdict.ERROR), reason="raised KeyError: 'a long story'")
GAME = ShownGame(
    number=1234, opening=7, names=("annabel", "bob"), rules=PLACE.key.rules, record=RECORD
)
DRAW = replace(
    GAME,
    number=9,
    record=replace(RECORD, winner=None, verdict=Verdict.BOARD_FULL, reason="the board is full"),
)


def printed(games: list[ShownGame], width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(games_table(games, width))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            80,
            [
                "game  opening  X        O    winner   plies  verdict     reason",
                "1234        7  annabel  bob  annabel      2  ERROR       raised KeyError: 'a lo…",
                "   9        7  annabel  bob  draw         2  BOARD_FULL  the board is full",
            ],
        ),
        (
            62,
            [
                "game  X        O    winner   verdict     reason",
                "1234  annabel  bob  annabel  ERROR       raised KeyError: 'a …",
                "   9  annabel  bob  draw     BOARD_FULL  the board is full",
            ],
        ),
        (
            30,
            [
                "game  X        O    winner",
                "1234  annabel  bob  annabel",
                "   9  annabel  bob  draw",
            ],
        ),
        (20, ["game  X    O    win…", "1234  an…  bob  ann…", "   9  an…  bob  draw"]),
    ],
)
def test_a_narrow_screen_goes_without_columns(width: int, lines: list[str]) -> None:
    assert printed([GAME, DRAW], width) == lines


def test_a_forfeit_is_marked() -> None:
    forfeit = replace(GAME, forfeit=replace(RECORD, winner=1, verdict=Verdict.TIMEOUT))
    line = printed([forfeit], 130)[1]
    assert line.split()[:7] == ["1234", "7", "annabel", "bob", "bob", "2", "TIMEOUT"]
    assert "TIMEOUT (forfeit)" in line


@given(names=st.tuples(st.text(max_size=80), st.text(max_size=80)), width=st.integers(26, 150))
def test_whatever_bots_are_called_a_line_stays_a_line(names: tuple[str, str], width: int) -> None:
    lines = printed([replace(GAME, names=names), DRAW], width)
    assert len(lines) == 3
    assert all(cell_len(line) <= width for line in lines)


def shown(number: int, first: str, second: str, loser: str, verdict: Verdict) -> ShownGame:
    (game,) = games_between((first, second))
    record = lost(game, loser or first, verdict)
    if not loser:
        record = replace(record, winner=None)
    return ShownGame(
        number=number,
        opening=1 + number // 4,
        names=(first, second),
        rules=game.key.rules,
        record=record,
    )


GAMES = [
    shown(1, "ann", "bob", "bob", Verdict.LINE),
    shown(2, "bob", "ann", "bob", Verdict.TIMEOUT),
    shown(3, "ann", "cy", "ann", Verdict.LINE),
    shown(4, "cy", "ann", "", Verdict.BOARD_FULL),
    shown(5, "bob", "cy", "cy", Verdict.LINE),
    shown(6, "cy", "bob", "", Verdict.LOAD_ERROR),
]


@pytest.mark.parametrize(
    ("choice", "numbers"),
    [
        (Choice(), [1, 2, 3, 4, 5, 6]),
        (Choice(bots=("ann",)), [1, 2, 3, 4]),
        (Choice(bots=("ann", "bob")), [1, 2]),
        (Choice(bots=("ann", "bob", "cy")), [1, 2, 3, 4, 5, 6]),
        (Choice(bots=("ann",), result=GameResult.WON), [1, 2]),
        (Choice(bots=("ann",), result=GameResult.LOST), [3]),
        (Choice(bots=("ann",), result=GameResult.DRAWN), [4]),
        (Choice(bots=("cy",), result=GameResult.DRAWN), [4]),  # game 6 is no game
        (Choice(bots=("bob", "ann"), result=GameResult.LOST), [1, 2]),
        (Choice(bots=("ann", "bob"), result=GameResult.LOST), []),
        (Choice(verdict=Verdict.TIMEOUT), [2]),
        (Choice(verdict=Verdict.LINE), [1, 3, 5]),
    ],
)
def test_games_are_chosen(choice: Choice, numbers: list[int]) -> None:
    assert [game.number for game in chosen(GAMES, choice, "c")] == numbers


def test_a_forfeit_counts_for_what_it_counts() -> None:
    made_up = replace(GAMES[0].record, winner=1, verdict=Verdict.TIMEOUT)
    games = [replace(GAMES[0], forfeit=made_up)]
    assert list(chosen(games, Choice(bots=("ann",), result=GameResult.LOST), "c")) == games
    assert list(chosen(games, Choice(verdict=Verdict.LINE), "c")) == []


@pytest.mark.parametrize(
    ("games", "choice", "said"),
    [
        (GAMES, {"bots": ("bop",)}, "c: no game of 'bop'; did you mean bob?"),
        (GAMES, {"bots": ("ann", "\x1bzzz")}, "c: no game of 'zzz'; there are ann, bob, cy"),
        ([], {}, "c: no game has been played yet"),
        (GAMES, {"result": GameResult.WON}, "--result won: also name the bot, with --bot"),
    ],
)
def test_what_is_not_there_is_named(
    games: list[ShownGame], choice: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        list(chosen(games, Choice(**choice), "c"))
    assert str(caught.value) == said
