"""A list of games on a screen of any width."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from support.scripted import games_between, lost

from arena.referee import Verdict
from arena.report.games_table import games_table
from arena.report.shown import ShownGame

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
    assert games_table([GAME, DRAW], width).plain.split("\n") == lines


def test_a_forfeit_is_marked() -> None:
    forfeit = replace(GAME, forfeit=replace(RECORD, winner=1, verdict=Verdict.TIMEOUT))
    line = games_table([forfeit], 130).plain.split("\n")[1]
    assert line.split()[:7] == ["1234", "7", "annabel", "bob", "bob", "2", "TIMEOUT"]
    assert "TIMEOUT (forfeit)" in line


@given(names=st.tuples(st.text(max_size=80), st.text(max_size=80)), width=st.integers(26, 150))
@settings(max_examples=25)
def test_whatever_bots_are_called_a_line_stays_a_line(names: tuple[str, str], width: int) -> None:
    lines = games_table([replace(GAME, names=names), DRAW], width).plain.split("\n")
    assert len(lines) == 3
    assert all(cell_len(line) <= width for line in lines)
