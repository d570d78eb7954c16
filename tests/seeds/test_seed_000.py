"""Seed 000: CS 4100's homework on an 8×8 board, as `bots/minmax.ipynb` solves it.

The notebook's cells are run in their order, once, with answers for `input` and draws for `randint`;
what they print is compared with what the seed prints and with what is stored in the notebook. The
boards, wins and evaluations are tested by Arena's own rules too: the tests of that follow last.

| lines | what is printed there | test_seed_000_… |
|---|---|---|
| 92–104 | an empty board; an error in place of one | the_utility_cell_prints_this |
| 75 | boards may be indented | boards_are_indented_by_tabs |
| 114–190, 599–629 | dropPiece: out of range, boards, no room | drop_piece_prints_this |
| 119–125 | dropPiece changes the very board, or returns ERROR | drop_piece_moves_in_place |
| 199–201 | checkWin returns the player, else 0 | check_win_tells_who_wins |
| 209–257 | 13, 13 and 5 boards; 1111111111111, 2222222222222, 00000 | check_win_prints_this |
| 279 | "Tie game!" when the board is full | a_full_board_ends_in_a_tie |
| 285 | the random player makes no illegal move | the_random_player_draws_again |
| 305–315, 818–850 | no such column | a_move_out_of_range_ends_the_game |
| 335–336, 352, 401–413 | the ten values of eval | eval_prints_this, eval_is_for_o |
| 439–440, 468 | above 10,000 nodes: (0, None) | above_the_limit_there_is_no_move |
| 442–450 | moves are undone | min_max_undoes_its_moves |
| 500–517, 935–987 | the four results of minMax | min_max_prints_this |
| 527–538, 990–1207 | a game: moves, nodes, time | the_trace_is_played_move_for_move |
| 549–571, 583–585 | the contest cell works alone | the_contest_cell_works_alone |
| 551–554 | 10,000 nodes | the_contest_cell_limits_nodes |
| 551–552 | 10,000 nodes, 30 seconds a move | the_contest_has_these_limits |
| 556–557 | openings with evaluation 0 | a_book_holds_500_…, in tests/openings/test_openings.py |
| 560–566 | grades of a contest | grades_by_the_rule_of_seed_000, in tests/scoring |
| 632–735 | a game that X wins | a_game_that_x_wins |
| 738–815 | a game that O wins | a_game_that_o_wins |
| 853–918 | a column that is full | a_move_to_a_full_column_ends_the_game |
| 603–625 | the two boards, as Arena draws them | prints_this_… |
| 209–257 | the boards, by Arena's line table | these_win_on_its_boards |
| 401–413 | the values, by Arena's evaluation | evaluates_…, sees_both_players_win |

Contradictory or unclear:

- Boards have a space before each line in cell [2] and most of the appendix, but not in its Problem
  One nor before one header in Problem Two. `printBoard` of cell [2] decides.
- The appendix calls the tests of Problem One A "Problem 1 B".
- Cells [8] and [17] show output of the unfinished template; the comments and the appendix show the
  intended output.
- 153 tests the truth of `dropPiece`'s result, which a board has not; 64 allows only `isError`. The
  notebook does that, and needs no words for a range test that did not work (156).
- The loop over 64 moves ends in a tie if its variable is 64, which `range(64)` never reaches: the
  loop's `else` prints the tie.
- A full column is reported with a space at the end of the line, and an error of `dropPiece` always
  as an overflow: kept.
- The text's label is "Time elapsed:", the trace's "Elapsed time:". The trace's is used, as all its
  lines are compared, except times and spaces after its first count.
- Its 10,000 nodes are those examined: calls above the limit return at once and do not count.
- Two games leave "many moves" out: the moves here lead to the printed boards.
- The text lacks the pictures of evaluated boards.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from arena.intake.submission import read_submission
from arena.rules import Goal, Position, Ruleset, draw, fifty_ten, line_table
from arena.settings.contest import PRESETS
from seeds.boards import EIGHT, NO_WINS, O_WINS, X_WINS, cells_of, lines_of

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
NOTEBOOK = Path(__file__).parents[2] / "bots" / "minmax.ipynb"
MAXSIZE = 9223372036854775807

EVALUATIONS = [
    ([3, 0, 4, 2, 5, 2, 4], -80),
    ([6, 5, 1], 0),
    ([0, 2, 6, 1, 2, 1], 20),
    ([2, 6, 6, 1, 4, 0, 3, 3, 3, 2], -20),
    ([4, 3, 2, 6, 5, 3, 7, 5, 4, 4, 1, 2], 90),
    ([3, 5, 6, 2, 2, 5, 7, 3, 6, 6, 5, 4, 6, 4, 4], -10),
    (
        [5, 1, 7, 0, 3, 6, 1, 4, 2, 2, 5, 0, 4, 5, 4, 2, 3, 6]
        + [6, 1, 1, 2, 2, 7, 6, 7, 2, 0, 0, 5, 4, 7, 7, 4, 2],
        -30,
    ),
]
"""Moves, and what the board is worth to O."""

O_WON = [7, 1, 1, 5, 6, 1, 7, 6, 1, 3, 1, 2, 6, 0, 6]
X_WON = [7, 7, 7, 4, 0, 0, 7, 6, 7, 2, 6, 6, 7, 6, 1]
A, B = "21212121", "12121212"
DEAD = [A, B, B, A, B, B, A, B]


# --- the notebook


@dataclass
class Homework:
    """The notebook's code cells, by id, and their results."""

    sources: dict[str, str] = field(default_factory=dict)

    stored: dict[str, str] = field(default_factory=dict)
    """What is printed below each in the notebook."""

    printed: dict[str, str] = field(default_factory=dict)
    """What each printed here."""

    names: dict[str, Any] = field(default_factory=dict)
    """What all but the contest's define."""

    def run(
        self,
        cell: str,
        names: dict[str, Any] | None = None,
        *,
        typed: Iterable[int] = (),
        draws: Iterable[int] = (),
    ) -> str:
        answers, numbers = iter(typed), iter(draws)

        def ask(prompt: str) -> str:
            answer = str(next(answers))
            print(prompt + answer)
            return answer

        output = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
            patch.setattr("builtins.input", ask)
            patch.setattr("numpy.random.randint", lambda _: next(numbers))
            exec(self.sources[cell], dict(self.names) if names is None else names)
        return output.getvalue()

    def make(self, moves: list[int]) -> Any:
        return self.names["makeExample"](moves)


@pytest.fixture(scope="module")
def homework() -> Homework:
    """Run all cells in order, the contest's separately."""
    homework = Homework()
    typed = {"random-game": [3, 3, 3, 3], "player-game": [3, 4, 4, 2, 3, 3, 2]}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            homework.sources[cell.id] = cell.source
            homework.stored[cell.id] = "".join(output.text for output in cell.outputs)
            names = {} if cell.id == "contest" else homework.names
            types = typed.get(cell.id, ())
            homework.printed[cell.id] = homework.run(cell.id, names, typed=types, draws=[2, 2, 4])
    return homework


def timeless(text: str) -> str:
    return re.sub(r"(?<=Elapsed time: )\d+\.\d+", "0.0", text)


def board(*rows: str) -> str:
    """Return a board as the course prints it, from its lowest rows; dots are empty."""
    full = ["." * 8] * (8 - len(rows)) + list(rows)
    edge = " -------------------\n"
    middle = "".join(" | " + " ".join(row.replace(".", " ")) + " |\n" for row in full)
    return "   0 1 2 3 4 5 6 7\n" + edge + middle + edge


def moves(text: str) -> str:
    """Return a game's output for moves like `O 7 ...X...O`, with node counts for some."""
    told = ""
    for line in text.split("\n"):
        move, _, nodes = line.partition(" nodes ")
        player, column, *rows = move.split()
        told += f"{player}'s move: {column}\n\n{board(*rows)}"
        if nodes:
            told += f"Number of nodes examined: {nodes}\nElapsed time: 0.0 secs.\n"
        told += "\n"
    return told


@pytest.mark.slow
def test_the_notebook_shows_what_its_cells_print(homework: Homework) -> None:
    for cell, printed in homework.printed.items():
        assert timeless(homework.stored[cell]) == timeless(printed), cell


def test_the_notebook_is_a_whole_one_with_nothing_of_the_machine_in_it() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert not any(cell.metadata for cell in notebook.cells)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.slow
def test_seed_000_the_utility_cell_prints_this(homework: Homework) -> None:
    assert homework.printed["utility"] == board() + "\n ERROR: Overflow in column.\n"


def test_seed_000_boards_are_indented_by_tabs(homework: Homework, capsys: Capture) -> None:
    show = homework.names["printBoard"]
    show(homework.make([3]), 2)
    indented = ["\t\t" + line for line in board("...X....").splitlines()]
    assert capsys.readouterr().out.splitlines() == indented
    show(-1, 1)
    assert capsys.readouterr().out == "\t ERROR: Overflow in column.\n"


def test_seed_000_drop_piece_prints_this(homework: Homework) -> None:
    assert homework.printed["drop-piece-tests"] == (
        "Move outside range 0..7!\n\n"
        + board(".....X..", "...OXO..", "X..XOX.O")
        + "\n"
        + board(*["OXOXOXOX", "XOXOXOXO"] * 4)
        + "\nNo room in column 4: True \n\n ERROR: Overflow in column.\n"
    )


def test_seed_000_drop_piece_moves_in_place(homework: Homework) -> None:
    drop, wrong = homework.names["dropPiece"], homework.names["isError"]
    empty = homework.names["getEmptyBoard"]()
    assert drop(1, 7, empty) is empty
    assert empty[7, 7] == 1
    assert not wrong(empty)
    for move in (-1, 8, 100):
        assert wrong(drop(1, move, empty))
    assert np.count_nonzero(empty) == 1
    assert wrong(homework.make([0] * 9))


def test_seed_000_check_win_prints_this(homework: Homework) -> None:
    assert homework.printed["check-win-tests"] == "1" * 13 + "\n" + "2" * 13 + "\n00000\n"
    for name, boards in (("XWins", X_WINS), ("OWins", O_WINS), ("NoWins", NO_WINS)):
        found = ["".join(map(str, b.flat)) for b in homework.names[name]]
        assert found == [board.replace(" ", "") for board in boards]


def test_seed_000_check_win_tells_who_wins(homework: Homework) -> None:
    check, names = homework.names["checkWin"], homework.names
    assert [check(1, b) for b in names["OWins"] + names["NoWins"]] == [0] * 18
    assert [check(2, b) for b in names["XWins"] + names["NoWins"]] == [0] * 18


def test_seed_000_a_game_that_x_wins(homework: Homework) -> None:
    won = moves(
        """X 3 ...X....
O 2 ..OX....
X 3 ...X.... ..OX....
O 2 ..OX.... ..OX....
X 3 ...X.... ..OX.... ..OX....
O 4 ...X.... ..OX.... ..OXO...
X 3 ...X.... ...X.... ..OX.... ..OXO..."""
    )
    assert homework.printed["random-game"] == won + "Win for X!\nBye!\n"


def test_seed_000_a_game_that_o_wins(homework: Homework) -> None:
    x = [3, 3, 2, 5, 4, 6, 4, 7, 0, 1, 2, 2, 0]
    o = [2, 0, 7, 6, 4, 4, 2, 7, 6, 7, 1, 3, 1]
    told = homework.run("random-game", typed=x, draws=o)
    assert told.startswith(moves("X 3 ...X....\nO 2 ..OX...."))
    end = moves(
        """O 3 ..X..... ..X.X..O ..OOO.OO XOXXO.XX OXOXXXOO
X 0 ..X..... ..X.X..O X.OOO.OO XOXXO.XX OXOXXXOO
O 1 ..X..... ..X.X..O XOOOO.OO XOXXO.XX OXOXXXOO"""
    )
    assert told.endswith(end + "Win for O!\nBye!\n")


def test_seed_000_a_move_out_of_range_ends_the_game(homework: Homework) -> None:
    told = homework.run("random-game", typed=[3, 10], draws=[7])
    start = moves("X 3 ...X....\nO 7 ...X...O")
    assert told == start + "X's move: 10\nIllegal move: not in range 0..7.\nBye!\n"


def test_seed_000_a_move_to_a_full_column_ends_the_game(homework: Homework) -> None:
    x, o = [4, 3, 2, 4, 2, 3, 3, 4, 3, 3, 2, 3], [3, 6, 5, 1, 1, 3, 7, 5, 7, 0, 3]
    told = homework.run("random-game", typed=x, draws=o)
    assert told.startswith(moves("X 4 ....X...\nO 3 ...OX..."))
    lower = "...X.... ...X.... ...X.... ...O.... ..XXX... .OXXXO.O OOXOXOOO"
    end = moves(f"X 2 {lower}\nO 3 ...O.... {lower}")
    refusal = "X's move: 3\nIllegal move: column 3 is already full. \nBye!\n"
    assert told.endswith(end + refusal)


@pytest.mark.parametrize("cell", ["random-game", "player-game"])
def test_seed_000_a_full_board_ends_in_a_tie(homework: Homework, cell: str) -> None:
    x = map(int, "13736375423216707070455421660022")
    o = list(map(int, "34355735434126117751520641066024"))
    answers = iter(o)
    names = homework.names | {"player": lambda _: next(answers)}
    told = homework.run(cell, names, typed=x, draws=o)
    assert told.count("move:") == 64
    assert told.endswith("\n\nTie game!\nBye!\n")


def test_seed_000_the_random_player_draws_again(homework: Homework, monkeypatch: Patch) -> None:
    numbers = iter([4, 4, 6])
    monkeypatch.setitem(homework.names, "randint", lambda _: next(numbers))
    assert homework.names["randomPlayer"](homework.make([4] * 8)) == 6


@pytest.mark.parametrize(("moves", "value"), [*EVALUATIONS, (O_WON, MAXSIZE), (X_WON, -MAXSIZE)])
def test_seed_000_eval_is_for_o(homework: Homework, moves: list[int], value: int) -> None:
    assert homework.names["eval"](homework.make(moves)) == value


def test_seed_000_eval_prints_this(homework: Homework) -> None:
    values = re.findall(r"\n -+\n\neval\(B\) = (-?\d+)\n\n", homework.printed["eval-tests"])
    first = [value for _, value in EVALUATIONS]
    assert list(map(int, values)) == [*first, 0, MAXSIZE, -MAXSIZE]
    dead = np.array([list(map(int, row)) for row in DEAD])
    assert homework.names["eval"](dead) == 0


def test_seed_000_min_max_prints_this(homework: Homework) -> None:
    two = board("..X.....", "..X.....", "O.XXOO..")
    assert homework.printed["min-max-tests"] == (
        "\n"
        + board("..X.....", "..X.....", "..XXOOO.")
        + "minMax: (9223372036854775807, 7)\n\n"
        + two
        + "minMax: (10, 2)\n\n"
        + two
        + "minMax: (-50, 2)\n\n"
        + board("....O...", "...XO...", "O..XXX..")
        + "minMax: (-9223372036854775807, 7)\n"
    )


def test_seed_000_above_the_limit_there_is_no_move(homework: Homework, monkeypatch: Patch) -> None:
    root = (homework.make([3]), 2, 0, -MAXSIZE, MAXSIZE)
    monkeypatch.setitem(homework.names, "countNodes", 9_999)
    score, move = homework.names["minMax"](*root)
    assert (score, move) == (0, 7)  # its children are above the limit
    assert homework.names["minMax"](*root) == (0, None)


def test_seed_000_min_max_undoes_its_moves(homework: Homework) -> None:
    board = homework.make([3, 3, 4])
    before = board.copy()
    homework.names["minMax"](board, 2, 3, -MAXSIZE, MAXSIZE)
    assert (board == before).all()


def test_seed_000_the_trace_is_played_move_for_move(homework: Homework) -> None:
    trace = moves(
        """X 3 ...X....
O 7 ...X...O nodes 10000
X 4 ...XX..O
O 5 ...XXO.O nodes 9111
X 4 ....X... ...XXO.O
O 4 ....O... ....X... ...XXO.O nodes 9050
X 2 ....O... ....X... ..XXXO.O
O 1 ....O... ....X... .OXXXO.O nodes 2899
X 3 ....O... ...XX... .OXXXO.O
O 5 ....O... ...XXO.. .OXXXO.O nodes 6609
X 3 ...XO... ...XXO.. .OXXXO.O
O 3 ...O.... ...XO... ...XXO.. .OXXXO.O nodes 6912
X 2 ...O.... ...XO... ..XXXO.. .OXXXO.O
O 6 ...O.... ...XO... ..XXXO.. .OXXXOOO nodes 3953"""
    )
    assert timeless(homework.printed["player-game"]) == trace + "Win for O!\nBye!\n"


# --- the contest cell


@pytest.fixture
def contest(homework: Homework) -> dict[str, Any]:
    names: dict[str, Any] = {}
    assert homework.run("contest", names) == ""
    return names


def test_seed_000_the_contest_cell_works_alone(homework: Homework) -> None:
    first, second = homework.sources["contest"].split("\n")[:2]
    assert first == "# Solution for Problem Three"
    assert second.startswith("# Your name: ")
    assert list(homework.sources)[-1] == "contest"
    bot = read_submission(NOTEBOOK)
    assert bot.problem is None
    assert (bot.entry_point.interface, bot.entry_point.name) == ("player", "player")
    assert any(note.endswith(": the contest cell (cell 21)") for note in bot.notes)


@pytest.mark.parametrize("shape", [(6, 7), (8, 8), (3, 5)])
def test_seed_000_the_contest_cell_limits_nodes(
    contest: dict[str, Any], shape: tuple[int, int]
) -> None:
    board = np.zeros(shape).astype(int)
    move = contest["player"](board)
    assert move == shape[1] // 2 - (shape[1] % 2 == 0)
    assert not board.any()
    assert 1 < contest["countNodes"] < 10_000


def test_the_contest_cell_wins_at_once(homework: Homework, contest: dict[str, Any]) -> None:
    player = contest["player"]
    assert player(homework.make([7, 2, 7, 3, 0, 4, 0])) == 5
    assert player(homework.make([0, 7, 0, 6, 0, 7, 3, 6, 4])) == 0


def test_the_contest_cell_moves_on_a_won_board(homework: Homework, contest: dict[str, Any]) -> None:
    assert contest["player"](homework.make([0, 7, 0, 7, 0, 6, 0])) in range(8)


# --- Arena's rules


def test_seed_000_these_win_on_its_boards() -> None:
    assert (len(X_WINS), len(O_WINS), len(NO_WINS)) == (13, 13, 5)
    for boards, won in ((X_WINS, [True, False]), (O_WINS, [False, True]), (NO_WINS, [False] * 2)):
        for board in boards:
            assert [lines_of(EIGHT, board.split(), disc) > 0 for disc in (1, 2)] == won


def test_seed_000_prints_this_board_after_nine_moves() -> None:
    position = Position(EIGHT, [3, 4, 0, 7, 5, 3, 4, 5, 5])
    rows = ["|           X     |", "|       O X O     |", "| X     X O X   O |"]
    edge = "-" * 19
    above = ["  0 1 2 3 4 5 6 7", edge, *[f"|{' ' * 17}|"] * 5]
    assert draw(position).splitlines() == [*above, *rows, edge]


def test_seed_000_prints_this_full_board() -> None:
    across = list(range(8))
    position = Position(Ruleset(rows=8, columns=8, goal=Goal.MOST), (across + across[::-1]) * 4)
    rows = draw(position).splitlines()[2:-1]
    assert rows == ["| O X O X O X O X |", "| X O X O X O X O |"] * 4
    assert position.is_full


@pytest.mark.parametrize(("moves", "value"), EVALUATIONS)
def test_seed_000_evaluates_for_o_with_50_and_10(moves: list[int], value: int) -> None:
    assert -Position(EIGHT, moves).evaluate(fifty_ten(4)) == value


def test_seed_000_evaluates_a_dead_board_as_zero() -> None:
    table = line_table(EIGHT)
    holds = table.holds(cells_of(DEAD))
    assert sum(table.values(fifty_ten(4))[hold] for hold in holds) == 0


def test_seed_000_sees_both_players_win() -> None:
    on = Ruleset(rows=8, columns=8, goal=Goal.MOST)
    o_won = Position(on, O_WON).lines_made
    x_won = Position(on, X_WON).lines_made
    assert (o_won[0], x_won[1]) == (0, 0)
    assert min(o_won[1], x_won[0]) > 0


def test_seed_000_the_contest_has_these_limits() -> None:
    contest = PRESETS["cs4100"]
    assert (contest.rules.rows, contest.rules.columns) == (8, 8)
    assert (contest.limits.nodes, contest.limits.move_seconds) == (10_000, 30)
