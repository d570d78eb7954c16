"""Seed 004: MaxConnect4. Both programs are held to it: Arena's commands and the demo bot.

| lines | what it says | test_seed_004_… |
|---|---|---|
| 3, 7 | 6×7, the players in turns, 42 moves, 21 each | is_won_by_the_most_points_after_42_moves |
| 5 | a disc falls to the lowest free cell | drops_a_disc_onto_the_lowest_free_cell |
| 5, 34 | a full column is rejected, another asked for | asks_again_until_a_column_can_be_played |
| 7 | a point for a quadruple, in four directions | gives_a_point_for_every_quadruple, scores |
| 7 | it is over when it is full, the most points win | is_won_by_the_most_points_after_42_moves |
| 9, 57 | 0 is empty, 1 and 2 are the players' discs | writes_exactly_what_it_reads |
| 10, 57 | the last digit tells who is next, 1 or 2 | plays_for_the_last_digit |
| 16, 20, 41, 45, 65, 71, 79 | the command lines | command_lines_play |
| 71 | ./maxconnect4.py runs | is_started_by_its_own_name |
| 23, 49 | without the input file the board is empty | begins_with_an_empty_board_without_a_file |
| 25 | how many moves are looked ahead | looks_as_many_moves_ahead_as_it_is_told |
| 24, 29–33 | the computer moves, saves, prints, asks | computer_next_moves_prints_and_asks |
| 24, 29, 33–36 | the human moves, and so on till it is full | human_next_asks_saves_and_goes_on |
| 30, 33 | a full board ends it | full_board_ends_interactive, human_can_fill_it |
| 32, 33, 35, 52, 53 | what is saved before it is shown | saves_before_it_prints_but_in_one_move |
| 34 | 0 is the leftmost column, 6 the rightmost | column_0_is_the_leftmost_and_6_the_rightmost |
| 39, 45 | programs play through files | programs_play_each_other_through_files |
| 50, 52 | board and score, before and after the move | one_move_prints_board_and_score_twice |
| 50 | a full board ends one-move | one_move_ends_at_a_full_board |
| 53, 57 | files are in one format, in and out | writes_exactly_what_it_reads |

Contradictory or unclear:

- Columns are numbered 1 to 7 (line 5), but people type 0 to 6 (34): here 0 to 6. Rows 1 to 6 (5)
  are neither typed nor printed.
- A move is saved before the board is printed in interactive mode (32, 33; 35, 30), after it in
  one-move mode (52, 53). Here too.
- A full board ends one-move (50) before the output file is written (53): there is none.
- computer-next/human-next (16) are two words; one is typed. The file's last digit decides whose
  discs the computer has (10, 57).
- One-move reads its file as interactive mode does (49): without one it begins with an empty board.
  Who begins is not stated: player 1.
- The C++ source maxconnect4.cpp (73) is compiled as maxconnect.cpp (75). input1.txt, input2.txt and
  the first moves (Figure 1) are missing. The sample program (81) moves as Arena's `random` does.
"""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from arena.common.names import house_folder
from arena.interfaces.one_move import move_between
from arena.rules import Goal, Grid, Position, Ruleset
from seeds.boards import lines_of
from support.command_line import Typed

Capture = pytest.CaptureFixture[str]
Program = Callable[..., tuple[int, str, str]]
"""`program(word, …, typing=…)`: exit code, output and errors of a command line."""

ARENA, BOT = "arena", "maxconnect4.py"
EMPTY = ["0000000"] * 6
STRIPES = ["1212122", "1212121", "2121212", "2121212", "1212121", "1212121"]
"""A full board."""

LAST_TWO = ["1212020", *STRIPES[1:]]
"""Room for one disc in column 4 and one in column 6."""

LAST_ONE = ["1212120", *STRIPES[1:]]
"""Room for a disc in column 6."""


@pytest.fixture
def programs(
    typed: Typed,
    load_bot: Callable[[str], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> dict[str, Program]:
    def arena(*words: object, typing: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typing))
        code, out, err = typed(*words)
        assert isinstance(code, int)
        return code, out, err

    def bot(*words: object, typing: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typing))
        monkeypatch.chdir(tmp_path)
        why = ""
        try:
            load_bot("maxconnect4").main(list(map(str, words)))
        except SystemExit as ended:
            why = f"{ended.code}\n"
        said = capsys.readouterr()
        return int(bool(why)), said.out, said.err + why

    return {ARENA: arena, BOT: bot}


@pytest.fixture(params=[ARENA, BOT])
def program(request: pytest.FixtureRequest, programs: dict[str, Program]) -> Program:
    return programs[request.param]


def text(rows: list[str], player: int) -> str:
    return "".join(f"{line}\n" for line in [*rows, player])


def printed(rows: list[str], score: tuple[int, int]) -> str:
    """Return board and score as both programs print them."""
    drawn = ["| " + " ".join(row.replace("0", " ")) + " |" for row in rows]
    edge = "-" * 17
    points = f"Score: 1-player {score[0]}, 2-player {score[1]}"
    lines = ["  0 1 2 3 4 5 6", edge, *drawn, edge, points]
    if "0" not in "".join(rows):
        one, two = score
        who = "nobody" if one == two else "the 1-player" if one > two else "the 2-player"
        lines.append(f"The board is full: {who} wins.")
    return "".join(f"{line}\n" for line in lines)


def test_seed_004_is_won_by_the_most_points_after_42_moves() -> None:
    rng, results = random.Random(4), set()
    for _ in range(40):
        columns = [column for column in range(7) for _ in range(6)]
        rng.shuffle(columns)
        position, grid, movers = Position(Ruleset(goal=Goal.MOST)), Grid(), []
        for column in columns:
            assert not position.is_over and not grid.is_full
            movers.append(grid.to_move)
            position.play(column)
            grid = grid.play(column)
        assert position.is_over and grid.is_full
        assert movers == [0, 1] * 21
        assert (grid.rack, grid.score) == (position.rack(), position.lines_made)
        one, two = (lines_of(position.rules, grid.rows(), player) for player in (1, 2))
        assert position.winner == (0 if one > two else 1 if two > one else None)
        results.add(position.winner)
    assert results == {None, 0, 1}


def test_seed_004_gives_a_point_for_every_quadruple() -> None:
    rules = Ruleset(goal=Goal.MOST)
    assert lines_of(rules, ["0000000"] * 5 + ["1111100"], 1) == 2
    assert lines_of(rules, ["0000000"] * 5 + ["1111111"], 1) == 4
    assert lines_of(rules, ["1111111"] * 6, 1) == 69


SCORES = {
    "nothing": ([], (0, 0)),
    "across": (["0111102"], (1, 0)),
    "five across": (["1111122"], (2, 0)),
    "seven across": (["2222222"], (0, 4)),
    "up": (["0000002"] * 4, (0, 1)),
    "six up": (["1000000"] * 6, (3, 0)),
    "up and right": (["0001000", "0012000", "0122000", "1222000"], (1, 0)),
    "up and left": (["2000000", "1200000", "1120000", "1112000"], (0, 1)),
    "of both": (["2221000", "2212000", "2122000", "1222000"], (1, 1)),
    "not of four colours": (["0112111"], (0, 0)),
    "the whole board": (["1111111"] * 6, (69, 0)),
}


@pytest.mark.parametrize("case", SCORES)
def test_seed_004_scores(program: Program, tmp_path: Path, case: str) -> None:
    rows, score = SCORES[case]
    rows = [*EMPTY, *rows][-6:]
    (tmp_path / "in.txt").write_text(text(rows, 1))
    code, out, _ = program("interactive", "in.txt", "human-next", 1)
    assert code == 0
    assert out.startswith(printed(rows, score))


def test_seed_004_drops_a_disc_onto_the_lowest_free_cell(program: Program, tmp_path: Path) -> None:
    program("interactive", "none.txt", "human-next", 1, typing="6\n")
    assert (tmp_path / "human.txt").read_text() == text([*EMPTY[1:], "0000001"], 2)
    before = [*EMPTY[2:], "0000002", "0000001"]
    (tmp_path / "in.txt").write_text(text(before, 2))
    program("interactive", "in.txt", "human-next", 1, typing="6\n")
    assert (tmp_path / "human.txt").read_text() == text([*EMPTY[3:], "0000002", *before[4:]], 1)


def test_seed_004_asks_again_until_a_column_can_be_played(program: Program, tmp_path: Path) -> None:
    full = [row[:3] + "000" + row[6:] for row in STRIPES]
    (tmp_path / "in.txt").write_text(text(full, 1))
    typing = "0\n7\n-1\nfour\n\n3.0\n6\n 4 \n"
    code, out, _ = program("interactive", "in.txt", "human-next", 1, typing=typing)
    assert code == 0
    assert out.count("1-player, your column (0 to 6): ") == 8 + 1
    assert out.count("That cannot be played: column 0 is full.") == 1
    assert out.count("That is no column: expected a number from 0 (left) to 6 (right).") >= 3
    after = [*full[:5], full[5][:4] + "1" + full[5][5:]]
    assert (tmp_path / "human.txt").read_text() == text(after, 2)


@pytest.mark.parametrize(("column", "row"), [(0, "1000000"), (6, "0000001")])
def test_seed_004_column_0_is_the_leftmost_and_6_the_rightmost(
    program: Program, tmp_path: Path, column: int, row: str
) -> None:
    program("interactive", "none.txt", "human-next", 1, typing=f"{column}\n")
    assert (tmp_path / "human.txt").read_text() == text([*EMPTY[1:], row], 2)


def test_seed_004_writes_exactly_what_it_reads(program: Program, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_bytes(text(LAST_ONE, 2).encode())
    assert program("one-move", "in.txt", "out.txt", 3)[0] == 0
    after = ["1212122", *LAST_ONE[1:]]
    assert (tmp_path / "out.txt").read_bytes() == "\n".join([*after, "1", ""]).encode()
    assert (tmp_path / "in.txt").read_bytes() == text(LAST_ONE, 2).encode()


@pytest.mark.parametrize("player", [1, 2])
def test_seed_004_plays_for_the_last_digit(program: Program, tmp_path: Path, player: int) -> None:
    before = [*EMPTY[1:], "0010000"]
    (tmp_path / "in.txt").write_text(text(before, player))
    code, out, _ = program("one-move", "in.txt", "out.txt", 2)
    *after, following = (tmp_path / "out.txt").read_text().split()
    column = move_between(before, after, player - 1)
    assert (code, following) == (0, str(3 - player))
    assert f"The {player}-player plays column {column}." in out


@pytest.mark.parametrize(
    "words",
    [
        "one-move input1.txt output1.txt 10",
        "one-move red_next.txt green_next.txt 5",
        "interactive input1.txt computer-next 7",
    ],
)
def test_seed_004_command_lines_play(program: Program, tmp_path: Path, words: str) -> None:
    (tmp_path / "input1.txt").write_text(text(EMPTY, 1))
    (tmp_path / "red_next.txt").write_text(text(EMPTY, 1))
    assert program(*words.split())[0] == 0
    output = "computer.txt" if "interactive" in words else words.split()[2]
    *after, following = (tmp_path / output).read_text().split()
    assert move_between(EMPTY, after, 0) in range(7)
    assert following == "2"


def test_seed_004_is_started_by_its_own_name(tmp_path: Path) -> None:
    words = [house_folder() / BOT, "one-move", "input1.txt", "output1.txt", "3"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "no such file" in done.stderr) == (0, True)
    assert (tmp_path / "output1.txt").read_text().endswith("\n2\n")


@pytest.mark.parametrize(
    "words", ["one-move none.txt out.txt 1", "interactive none.txt human-next 1"]
)
def test_seed_004_begins_with_an_empty_board_without_a_file(program: Program, words: str) -> None:
    code, out, err = program(*words.split())
    assert code == 0
    assert out.startswith(printed(EMPTY, (0, 0)))
    assert "1-player" in out[len(printed(EMPTY, (0, 0))) :]
    assert err.startswith("none.txt: no such file, so the board is empty and player 1 begins\n")


def test_seed_004_looks_as_many_moves_ahead_as_it_is_told(program: Program, tmp_path: Path) -> None:
    """One move ahead it sees its own four, two ahead its opponent's."""
    (tmp_path / "in.txt").write_text(text([*EMPTY[1:], "2220111"], 1))
    program("one-move", "in.txt", "own.txt", 1)
    assert (tmp_path / "own.txt").read_text() == text([*EMPTY[1:], "2221111"], 2)
    (tmp_path / "in.txt").write_text(text([*EMPTY[1:], "2220011"], 1))
    program("one-move", "in.txt", "denied.txt", 2)
    assert (tmp_path / "denied.txt").read_text() == text([*EMPTY[1:], "2221011"], 2)


def test_seed_004_computer_next_moves_prints_and_asks(program: Program, tmp_path: Path) -> None:
    before = ["1212120", "1212120", *STRIPES[2:]]
    after = [before[0], *STRIPES[1:]]
    (tmp_path / "in.txt").write_text(text(before, 1))
    code, out, _ = program("interactive", "in.txt", "computer-next", 3)  # nobody types anything
    assert code == 0
    shown = [printed(rows, Grid.parse(text(rows, 1)).score) for rows in (before, after)]
    assert out.startswith(f"{shown[0]}\nThe 1-player plays column 6.\n\n{shown[1]}")
    assert out.count("2-player, your column (0 to 6): ") == 1
    assert (tmp_path / "computer.txt").read_text() == text(after, 2)
    assert not (tmp_path / "human.txt").exists()


def test_seed_004_human_next_asks_saves_and_goes_on(program: Program, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(text(LAST_TWO, 1))
    code, out, _ = program("interactive", "in.txt", "human-next", 3, typing="4\n")
    assert code == 0
    boards = [LAST_TWO, LAST_ONE, ["1212122", *LAST_ONE[1:]]]
    shown = [printed(rows, Grid.parse(text(rows, 1)).score) for rows in boards]
    asked, answered, ended = (out.index(board) for board in shown)
    assert asked < out.index("your column") < out.index("The 1-player plays column 4.") < answered
    assert answered < out.index("The 2-player plays column 6.") < ended
    assert out.endswith(shown[2])
    assert out.count("Score") == 3
    assert (tmp_path / "human.txt").read_text() == text(boards[1], 2)
    assert (tmp_path / "computer.txt").read_text() == text(boards[2], 1)


def test_seed_004_human_can_fill_it(program: Program, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(text(LAST_ONE, 2))
    code, out, _ = program("interactive", "in.txt", "human-next", 3, typing="6\n0\n")
    assert (code, out.count("Score"), out.count("your column")) == (0, 2, 1)
    assert re.search(r"The board is full: (the [12]-player|nobody) wins\.\n$", out)
    assert (tmp_path / "human.txt").read_text() == text(["1212122", *LAST_ONE[1:]], 1)
    assert not (tmp_path / "computer.txt").exists()


@pytest.mark.parametrize("turn", ["computer-next", "human-next"])
def test_seed_004_full_board_ends_interactive(program: Program, tmp_path: Path, turn: str) -> None:
    (tmp_path / "in.txt").write_text(text(STRIPES, 1))
    code, out, _ = program("interactive", "in.txt", turn, 3, typing="0\n")
    assert code == 0
    assert out == printed(STRIPES, Grid.parse(text(STRIPES, 1)).score)
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_seed_004_one_move_prints_board_and_score_twice(program: Program, tmp_path: Path) -> None:
    before, after = [*EMPTY[1:], "1110202"], [*EMPTY[1:], "1111202"]
    (tmp_path / "in.txt").write_text(text(before, 1))
    code, out, _ = program("one-move", "in.txt", "out.txt", 3)
    said = "\nThe 1-player plays column 3.\n\n"
    assert (code, out) == (0, printed(before, (0, 0)) + said + printed(after, (1, 0)))


def test_seed_004_one_move_ends_at_a_full_board(program: Program, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(text(STRIPES, 1))
    code, out, _ = program("one-move", "in.txt", "out.txt", 3)
    assert code == 0
    assert out == printed(STRIPES, Grid.parse(text(STRIPES, 1)).score)
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("words", "printed_before"),
    [
        ("interactive none.txt computer-next 1", 1),
        ("interactive none.txt human-next 1", 1),
        ("one-move none.txt out.txt 1", 2),
    ],
)
def test_seed_004_saves_before_it_prints_but_in_one_move(
    program: Program, tmp_path: Path, words: str, printed_before: int
) -> None:
    for name in ("computer.txt", "human.txt", "out.txt"):
        (tmp_path / name).mkdir()  # so that saving fails
    code, out, _ = program(*words.split(), typing="3\n")
    assert code != 0
    assert out.count("Score") == printed_before


@pytest.mark.parametrize(("red", "green"), [(BOT, BOT), (ARENA, BOT), (BOT, ARENA)])
def test_seed_004_programs_play_each_other_through_files(
    programs: dict[str, Program], tmp_path: Path, red: str, green: str
) -> None:
    files = ["red_next.txt", "green_next.txt"]
    (tmp_path / files[0]).write_text(text(EMPTY, 1))
    for ply in range(42):
        here, there = files[ply % 2], files[1 - ply % 2]
        assert programs[(red, green)[ply % 2]]("one-move", here, there, 2)[0] == 0
        before, after = (Grid.parse((tmp_path / name).read_text()) for name in (here, there))
        assert after == before.play(move_between(before.rows(), after.rows(), ply % 2))
    assert re.fullmatch(r"([12]{7}\n){6}1\n", (tmp_path / files[0]).read_text())
    played = "".join("".join(after.rows()))
    assert (played.count("1"), played.count("2")) == (21, 21)


def test_the_end_of_the_input_ends_a_game_politely(program: Program, tmp_path: Path) -> None:
    code, out, _ = program("interactive", "none.txt", "human-next", 1, typing="3\n")
    assert code == 0
    assert out.endswith("\nNo more moves to read. The game stands in computer.txt.\n")
    assert (tmp_path / "computer.txt").exists()
    code, out, _ = program("interactive", "none.txt", "human-next", 1)
    assert (code, out.splitlines()[-1].strip()) == (0, "No more moves to read.")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("one-move in.txt out.txt 0", "DEPTH"),
        ("one-move in.txt out.txt deep", "DEPTH"),
        ("one-move in.txt out.txt", "DEPTH"),
        ("interactive in.txt computer 3", "computer-next"),
        ("one-move bad.txt out.txt 3", "bad.txt: expected "),
        ("interactive air.txt human-next 3", "a disc in the air in column 6"),
        ("one-move latin.txt out.txt 3", "latin.txt: "),
        ("one-move . out.txt 3", ".: Is a directory"),
        ("one-move in.txt no/out.txt 1", "no/out.txt: "),
    ],
)
def test_wrong_words_get_one_line(
    programs: dict[str, Program], tmp_path: Path, words: str, why: str
) -> None:
    (tmp_path / "in.txt").write_text(text(LAST_ONE, 1))
    (tmp_path / "bad.txt").write_text("0000000\n1\n")
    (tmp_path / "air.txt").write_text(text(["0000001", *EMPTY[1:]], 1))
    (tmp_path / "latin.txt").write_bytes(b"\xff\xfe")
    files = set(tmp_path.iterdir())
    for name, code in ((ARENA, 2), (BOT, 1)):
        said = programs[name](*words.split())
        assert (said[0], why in said[2], said[2].count("\n")) == (code, True, 1), said
    assert set(tmp_path.iterdir()) == files
