"""`arena solve`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command_line import Typed, refused

# A late position in published notation: the side to move loses, -1.
EDGE = "2252576253462244111563365343671351441"


@pytest.fixture
def solve(typed: Typed) -> Typed:
    return lambda *words: typed("solve", *words)


def test_the_board_the_value_in_words_and_every_column_are_printed(solve: Typed) -> None:
    code, said, _ = solve("3 3 3 3 3", "2,4", "452")
    assert code == 0
    assert "|     O X X X   |" in said
    assert "X wins with this disc" in said
    assert said.count("best") == 1
    assert "column  6   +16   best" in said
    code, said, _ = solve("--one-based", EDGE)
    assert code == 0
    assert "With best play X wins 4 plies from here, with 2 more discs." in said
    assert "full" in said
    assert solve("0", "--rows", 4, "--columns", 4)[1].count("draw") == 1


def test_moves_may_be_words_commas_or_run_together_and_count_from_0_or_1(solve: Typed) -> None:
    one_based = " ".join(EDGE)
    zero_based = ",".join(str(int(column) - 1) for column in EDGE)
    forms = [("--one-based", EDGE), ("--one-based", one_based), (zero_based,)]
    read = [json.loads(solve("--json", *form)[1]) for form in forms]
    for result in read:
        del result["ms"]
        del result["nodes"]
    assert read[0] == read[1] == read[2]
    assert (read[0]["value"], read[0]["to_move"], read[0]["winner"]) == (-1, 2, 1)
    wide = ("--rows", 4, "--columns", 12, "--connect", 2, "--json")
    assert json.loads(solve(*wide, "11 0")[1])["moves"] == [11, 0]


def test_most_lines_is_said_as_lines(solve: Typed) -> None:
    board = ("--rows", 3, "--columns", 3, "--connect", 2, "--goal", "most")
    assert "more line" in solve(*board)[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["3", "x"], "'x' is not a column"),
        (["7"], "there is no column 7: columns are 0 to 6"),
        (["--one-based", "0"], "there is no column 0: columns are 1 to 7"),
        (["3333333"], "move 7, column 3: the column is full"),
        (["0101010"], "the game is over after move 7: X has won"),
        (["01010102"], "move 8, column 2: the game is over before it"),
        (["--rows", "0"], "rows = 0"),
        (["--positions", "absent"], "absent: No such file"),
        (["3", "--positions", "absent"], "not both"),
    ],
)
def test_bad_input_is_one_line(solve: Typed, words: list[str], why: str) -> None:
    assert why in refused(solve(*words))


def test_a_position_that_takes_too_long_is_not_solved(solve: Typed) -> None:
    code, _, said = solve("3 3 3 3 3 3 2 2", "--seconds", 0)
    assert code == 1
    assert "not solved within 0 seconds" in said


def test_a_file_of_positions_tells_how_many_agree_and_which_do_not(
    solve: Typed, tmp_path: Path
) -> None:
    (tmp_path / "right").write_text(f"{EDGE} -1\n\n")
    code, said, _ = solve("--positions", "right")
    assert (code, "1 of 1 agree" in said) == (0, True)
    (tmp_path / "wrong").write_text(f"{EDGE} -1\n{EDGE} 2\n")
    code, said, _ = solve("--positions", "wrong")
    assert (code, "1 of 2 agree" in said) == (1, True)
    assert "wrong:2: expected 2, found -1" in said


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("44 x", "bad:2: 'x' is not a score"),
        ("48 1", "bad:2: there is no column 8"),
        ("4444444 1", "bad:2: move 7, column 4: the column is full"),
    ],
)
def test_a_bad_line_of_a_file_is_named(solve: Typed, tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "bad").write_text(f"{EDGE} -1\n{line}\n")
    code, _, said = solve("--positions", "bad")
    assert (code, why in said) == (2, True)
