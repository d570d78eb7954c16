"""A game that was played, in words, as lines and drawn on a terminal of any size."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from arena.analysis.analysis import GameAnalysis, PositionAnalysis
from arena.analysis.worth import Worth
from arena.game.record import GameRecord
from arena.game.verdict import Verdict
from arena.report.replay import Replay, ShownGame, frame
from arena.rules import Goal, Ruleset

RULES = Ruleset(rows=2, columns=3, connect=3)
WIN, LOSS, EVEN = Worth.known(1), Worth.known(-2), Worth.known(0)

RECORD = GameRecord(
    key="k",
    columns=(0, 0, 1, 1, 2),
    opening_plies=1,
    charged_ns=(10**6, 2 * 10**6, 3 * 10**9, 4 * 10**6),
    nodes=(7, -1, 1234, -1),
    winner=0,
    verdict=Verdict.LINE,
    reason="made a line with column 2",
)
GAME = ShownGame(number=12, opening=3, names=("ann", "bob"), rules=RULES, record=RECORD)
ANALYSIS = GameAnalysis(
    key="k",
    nodes=1,
    positions=(
        PositionAnalysis(ply=1, columns=(Worth(None, 0.5), Worth(None, 0.07), Worth(None, 0.999))),
        PositionAnalysis(ply=2, columns=(None, WIN, EVEN)),
        PositionAnalysis(ply=3, columns=(None, LOSS, EVEN)),
        PositionAnalysis(ply=4, columns=(None, None, WIN)),
    ),
    values={},
)
ANALYSED = replace(GAME, analysis=ANALYSIS)
FAULT = replace(
    GAME,
    record=replace(
        RECORD,
        columns=(0, 0, 1),
        charged_ns=(10**6, 2 * 10**6, 3 * 10**9),
        nodes=(7, -1, -1),
        verdict=Verdict.TIMEOUT,
        reason="took more than 3 s",
        output="thinking\n\x1b[31mhard",
    ),
)


def test_a_move_is_told_with_its_column_time_and_nodes() -> None:
    moves = [Replay(GAME).move(ply) for ply in range(6)]
    assert moves == [
        "",
        "ply 1  X column 0  opening",
        "ply 2  O bob  column 0  1.0 ms  7 nodes",
        "ply 3  X ann  column 1  2.0 ms",
        "ply 4  O bob  column 1  3.0 s  1,234 nodes",
        "ply 5  X ann  column 2  4.0 ms",
    ]
    assert Replay(FAULT).move(4) == "ply 4  O bob  no move  3.0 s"


def test_columns_are_worth_what_is_known_or_an_estimate_that_is_marked() -> None:
    replay = Replay(ANALYSED)
    assert [replay.worths(ply) for ply in range(6)] == [
        [],
        ["~50", "~7", "~99"],
        ["", "W", "="],
        ["", "L", "="],
        ["", "", "W"],
        [],
    ]
    assert "estimate" in replay.legend()
    assert (Replay(GAME).worths(2), Replay(GAME).legend()) == ([], "")
    lines = replace(ANALYSED, rules=replace(RULES, goal=Goal.MOST))
    assert Replay(lines).worths(3) == ["", "-2", "="]


def test_blunders_are_found_by_what_they_gave_away() -> None:
    # O's first column gave 0.499 points away, and its second a draw; both of X's moves were best
    assert Replay(ANALYSED).blunders == (2, 4)
    assert Replay(GAME).blunders == ()
    assert "a blunder; column 2 draws" in Replay(ANALYSED).move(4)


def test_all_of_a_game_has_a_board_after_every_move() -> None:
    text = "\n".join(Replay(ANALYSED).lines())
    assert text.startswith(
        "Game 12: ann (X) against bob (O)\n2 rows × 3 columns, connect 3; opening 3"
    )
    assert text.count("-----\n|") == 5
    assert "| O     |\n| X     |" in text
    assert "| O O   |\n| X X X |" in text
    assert "0: ~50  1: ~7  2: ~99" in text
    assert "0: -  1: L  2: =" in text
    assert text.splitlines()[-1] == "ann wins: made a line with column 2"


def test_a_fault_is_told_with_the_last_that_the_loser_printed() -> None:
    lines = list(Replay(FAULT).lines())
    assert lines[-6:] == [
        "",
        "ann wins: bob took more than 3 s [TIMEOUT]",
        "",
        "Last output of the loser:",
        "thinking",
        " [31mhard",
    ]
    assert "\n".join(lines).count("-----\n|") == 3


def test_a_game_that_does_not_count_says_so() -> None:
    made_up = replace(RECORD, columns=(0,), charged_ns=(), nodes=(), winner=1, reason="was retired")
    made_up = replace(made_up, verdict=Verdict.TIMEOUT)
    played = "\n".join(Replay(replace(GAME, forfeit=made_up)).lines())
    assert "played but does not count: bob wins: ann was retired [TIMEOUT]" in played
    unplayed = list(Replay(replace(GAME, record=made_up, forfeit=made_up)).lines())
    assert unplayed[-1] == "This game was not played."


def drawn(game: ShownGame, ply: int, width: int = 80, height: int = 24) -> list[str]:
    return frame(Replay(game), ply, width, height, "q quits").plain.split("\n")


def test_a_frame_shows_the_board_the_worth_of_columns_and_whose_turn_it_is() -> None:
    assert [line.rstrip() for line in drawn(ANALYSED, 2)] == [
        "Game 12: ann (X) against bob (O)",
        "2 rows × 3 columns, connect 3",
        "",
        "  0    1    2",
        "  O    ·    ·",
        "  X    ·    ·",
        "       W    =",
        "ply 2  O bob  column 0  1.0 ms  7 nodes  about 50 %: a blunder; column 2 gives",
        "about 99 %",
        "after 2 of 5 plies, X to move",
        "W wins, = draws, L loses, ~35: about 35 % of the points (an estimate)",
        "q quits",
    ]


def test_the_last_frame_says_how_the_game_ended() -> None:
    assert "ann wins: made a line with column 2" in drawn(GAME, 5)
    lines = drawn(FAULT, 3)
    assert "ann wins: bob took more than 3 s [TIMEOUT]" in lines
    assert "ply 4  O bob  no move  3.0 s" in lines
    assert "thinking" in lines


def test_a_low_frame_keeps_the_lower_rows_of_the_board_and_then_the_last_move() -> None:
    last = "ann wins: made a line with column 2"
    low = [line.rstrip() for line in drawn(GAME, 5, height=4)]
    assert low == [" 0  1  2", " O  O  ·", " X  X  X", last]
    lines = drawn(replace(GAME, rules=Ruleset(rows=30, columns=3, connect=3)), 5, height=8)
    assert lines[0].split() == ["0", "1", "2"]
    assert [line.split() for line in lines[5:7]] == [["O", "O", "·"], ["X", "X", "X"]]
    assert lines[7] == last


@given(
    game=st.sampled_from([GAME, ANALYSED, FAULT]),
    names=st.tuples(st.text(max_size=300), st.text(max_size=300)),
    ply=st.integers(0, 3),
    width=st.integers(3, 120),
    height=st.integers(1, 40),
)
def test_a_frame_stays_within_the_terminal(
    game: ShownGame, names: tuple[str, str], ply: int, width: int, height: int
) -> None:
    lines = drawn(replace(game, names=names), ply, width, height)
    assert len(lines) <= height
    assert all(cell_len(line) <= width for line in lines)
    assert all(letter.isprintable() or letter == "\u200e" for line in lines for letter in line)
