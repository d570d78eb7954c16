"""Seed 003: the `make_move` course's board, players, heuristics and game.

The course modules are Arena's, of `bots/support/make_move`; the two players that the course
leaves to be finished are the demo bot `alphabeta`.

| lines | what is printed there | test_seed_003_… |
|---|---|---|
| 18–22 | four in a row on seven columns and six rows | the_usual_game |
| 26–27 | persons count columns from 1, see the board and advice | people_play_a_game |
| 28, 43–46 | turns, invalid moves, the last board, evaluation counts | a_game_goes_like_this |
| 47–49, 166–168 | what `winning` returns, and in which directions | winning_returns_this |
| 47, 85, 292 | both are compiled by their first call | two_functions_are_compiled |
| 50 | two persons, checked | the_usual_game |
| 54–57 | three ways to make a Board | a_board_is_made_in_three_ways |
| 58–63, 90–96, 129–135 | cells, copies, discs that fall, `get_new_board` | a_board_does_this |
| 64, 98–123, 138–162 | a board as an array and in print, twice | prints_this_board |
| 68 | what all players have | players_have_this |
| 69–71 | a person is asked until the column is valid | people_play_a_game |
| 72–76 | the scaffolds look one disc ahead | the_scaffolds_look_one_disc_ahead |
| 81, 240–273 | the best action, the utilities, evaluations | the_best_action_completes_the_row |
| 82, 187, 293 | evaluations are counted | boards_are_worth_this |
| 83 | `Heuristic.winning` is `app.winning` | winning_returns_this |
| 86, 175–181 | a win, a loss and a draw | the_end_is_worth_this |
| 86, 183, 190–238 | four boards in mid-game | boards_are_worth_this |
| 125 | when a column is valid | a_column_is_valid_while_its_top_cell_is_empty |
| 277–287 | a MinMaxPlayer that is finished, against a person | a_finished_player_is_swapped_in |

Contradictory or unclear:

- 86 and 177: a win is worth at most the longer side. Such a run is a win (unless `game_n` exceeds
  the board), so this is more than any other board.
- 127–162 repeat 88–123; both boards are the same.
- 170: by gravity, a full top row shows a full board. Lines do not rely on it: the discs in 233
  float.
- 185 and 265: a column is tested once and counted twice; 187 alone would mean once. Twice is
  stated.
- 242–252 count rows from the bottom, arrays from the top. By the discs it is player 2's turn, but
  the board is evaluated for player 1. No disc blocks anything at the arrow: `block` has no meaning.
- 260: all other moves score 3, as the row that exists does.
- 50 does not say whether the usual persons have a heuristic: here they have one, and get advice.
"""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.extending import is_jitted

from arena.host.meter import find_search
from arena.interfaces import INTERFACES
from support.course import Import, answers, imported, random_games

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
Array = np.ndarray[Any, Any]

PRINTED = """\
 ---  ---  ---  ---\x20
|   |   |   |   |
 ---  ---  ---  ---\x20
|   |   |   |   |
 ---  ---  ---  ---\x20
| X |   |   |   |
 ---  ---  ---  ---\x20
| X | O |   |   |
 ===  ===  ===  ===\x20
| 1 | 2 | 3 | 4 |"""

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@pytest.fixture(scope="module")
def make_move() -> Iterator[Import]:
    """Import the course's modules once: their functions are compiled once."""
    with pytest.MonkeyPatch.context() as patch:
        yield from imported(patch, "make_move")


@pytest.fixture(scope="module")
def finished(make_move: Import, load_bot: Callable[[str], ModuleType]) -> ModuleType:
    return load_bot("alphabeta")


def from_rows(*rows: str) -> Array:
    """Return `state[col, row]` from rows of digits and dots, top first."""
    return np.array([[int(c) for c in row.replace(".", "0").split()] for row in rows]).T


def runs(state: Array, player: int) -> set[int]:
    """Return the lengths of all runs of a player's discs."""
    width, height = state.shape
    cells = {(c, r) for c in range(width) for r in range(height) if state[c, r] == player}
    found = {0}
    for col, row in cells:
        for right, down in DIRECTIONS:
            length = 0
            while (col + length * right, row + length * down) in cells:
                length += 1
            found.add(length)
    return found


def random_states(states: int = 150) -> Iterator[tuple[Array, int]]:
    """Yield boards of all shapes with floating discs, and line lengths."""
    chance = np.random.default_rng(3)
    for _ in range(states):
        shape = chance.integers(1, 9, 2)
        density = chance.random()
        filled = chance.random(shape) < density
        yield filled * chance.integers(1, 3, shape), int(chance.integers(1, 10))


def test_seed_003_prints_this_board(make_move: Import) -> None:
    state = np.array([[0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert str(make_move("board").Board(state)) == PRINTED


def test_columns_of_two_digits_stand_below_their_cells(make_move: Import) -> None:
    lines = str(make_move("board").Board(11, 1)).splitlines()
    assert lines[-1].endswith("| 9 |10 |11 |")
    assert len(lines[-1]) == len(lines[1])


def test_seed_003_a_board_is_made_in_three_ways(make_move: Import) -> None:
    make = make_move("board").Board
    board = make(4, 3)
    assert (board.width, board.height, board.get_board_state().shape) == (4, 3, (4, 3))
    board.play(1, 1)
    copy, again = make(board), make(board.get_board_state())
    board.play(0, 1)
    for other in (copy, again):
        assert other.get_board_state().tolist() == [[0] * 3, [0, 0, 1], [0] * 3, [0] * 3]
    with pytest.raises(TypeError, match="width and a height"):
        make()


def test_seed_003_a_board_does_this(make_move: Import) -> None:
    board = make_move("board").Board(4, 3)
    assert [board.play(1, player) for player in (1, 2, 1, 2)] == [True, True, True, False]
    assert [board.get_value(1, row) for row in range(3)] == [1, 2, 1]
    child = board.get_new_board(3, 2)
    assert (child.get_value(3, 2), board.get_value(3, 2)) == (2, 0)
    assert child.get_board_state().tolist() == [[0] * 3, [1, 2, 1], [0] * 3, [0, 0, 2]]
    board.get_board_state()[2, 2] = 1
    assert board.get_board_state().tolist() == [[0] * 3, [1, 2, 1], [0] * 3, [0] * 3]


def test_seed_003_a_column_is_valid_while_its_top_cell_is_empty(make_move: Import) -> None:
    board = make_move("board").Board(from_rows(". 1", "2 1"))
    assert [bool(board.is_valid(col)) for col in (0, 1)] == [True, False]
    assert board.play(0, 1)
    assert not board.is_valid(0)


@pytest.mark.parametrize(
    ("rows", "game_n", "winner"),
    [
        ([". 1 .", ". 1 .", "2 1 2"], 3, 1),
        ([". . . .", "1 1 . .", "2 2 2 1"], 3, 2),
        ([". . 1", ". 1 2", "1 2 2"], 3, 1),
        (["2 . .", "1 2 .", "1 1 2"], 3, 2),
        (["1 2", "2 1"], 3, -1),
        ([". 2", "2 1"], 3, 0),
        ([". . . .", "1 1 1 ."], 4, 0),
        ([". . . .", "1 1 1 1"], 5, 0),
        (["1 1 1 1", "1 1 1 1"], 5, -1),
    ],
)
def test_seed_003_winning_returns_this(
    make_move: Import, rows: Sequence[str], game_n: int, winner: int
) -> None:
    state = from_rows(*rows).copy()
    found = make_move("app").winning(state, game_n)
    assert (type(found), found) == (int, winner)
    assert make_move("heuristics").Heuristic(game_n).winning(state, game_n) == winner


def test_winning_agrees_with_the_rules_on_any_shape(make_move: Import) -> None:
    board, app = make_move("board"), make_move("app")
    for position in random_games():
        made = board.Board(position.rules.columns, position.rules.rows)
        for ply, column in enumerate(position.moves):
            assert app.winning(made.get_board_state(), 4) == 0
            made.play(column, ply % 2 + 1)
        winner = -1 if position.winner is None else position.winner + 1
        assert app.winning(made.get_board_state(), 4) == winner


@pytest.mark.slow
def test_winning_finds_any_line_and_the_heuristic_the_longest_run(make_move: Import) -> None:
    winning = make_move("app").winning
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    for state, game_n in random_states():
        longest = {player: max(runs(state, player)) for player in (1, 2)}
        winners = {player for player in (1, 2) if longest[player] >= game_n}
        nobody = -1 if state[:, 0].all() else 0
        assert winning(state, game_n) in (winners or {nobody})
        for player in (1, 2):
            assert heuristic._evaluate(player, state, 0) == longest[player]


def test_winning_takes_unsigned_discs(make_move: Import) -> None:
    state = from_rows("2 . .", "2 1 1").astype(np.uint64)
    found = [make_move("app").winning(state, game_n) for game_n in (2, 3)]
    assert (found, [type(winner) for winner in found]) == ([2, 0], [int, int])


def test_seed_003_two_functions_are_compiled(make_move: Import) -> None:
    assert is_jitted(make_move("app").winning)
    assert is_jitted(make_move("heuristics").SimpleHeuristic._evaluate)


def test_a_course_without_numba_waits_for_no_compiler(monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    fresh = imported(monkeypatch, "make_move")
    course = next(fresh)
    assert course("board").Board(7, 6)
    assert course("players").HumanPlayer(1, 4)
    with pytest.raises(ImportError):
        course("app")
    fresh.close()


def test_the_course_plays_where_nothing_can_be_written(monkeypatch: Patch) -> None:
    def refused(**_: object) -> None:
        raise PermissionError

    fresh = imported(monkeypatch, "make_move")
    course = next(fresh)
    monkeypatch.setattr("tempfile.TemporaryFile", refused)
    assert is_jitted(course("app").winning)
    fresh.close()


@pytest.mark.parametrize(
    ("rows", "score"),
    [
        ([". . . . .", ". . . . .", ". . . . .", "1 1 1 . ."], 3),
        ([". . . .", ". . . .", "1 . . .", "1 . . .", "1 . . ."], 3),
        ([". . . .", ". . . .", ". . 1 .", ". 1 . .", "1 . . ."], 3),
        (["1 . . .", "2 1 . .", "2 2 1 ."], 3),
        ([". . . . .", "2 2 2 . .", ". . . . .", ". . . . ."], 0),
        (["1 . . .", "1 . 1 .", ". 1 . ."], 2),
    ],
)
def test_seed_003_boards_are_worth_this(make_move: Import, rows: Sequence[str], score: int) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    assert heuristic.evaluate_board(1, make_move("board").Board(from_rows(*rows))) == score
    assert (heuristic.eval_count, str(heuristic)) == (1, "Simple")


@pytest.mark.parametrize(
    ("rows", "game_n", "score"),
    [
        ([". . . . .", "2 2 . . .", "1 1 1 . ."], 3, 5),
        (["1 .", "1 .", "1 2", "2 2"], 3, 4),
        (["1 2", "2 1"], 3, 0),
    ],
)
def test_seed_003_the_end_is_worth_this(
    make_move: Import, rows: Sequence[str], game_n: int, score: int
) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(game_n)
    board = make_move("board").Board(from_rows(*rows))
    assert [heuristic.evaluate_board(player, board) for player in (1, 2)] == [score, -score]


def test_seed_003_the_best_action_completes_the_row(make_move: Import) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    rows = [". . . . . . ."] * 4 + ["2 . 2 . 1 . .", "1 1 1 . 2 . ."]
    board = make_move("board").Board(from_rows(*rows))
    utils = [heuristic.evaluate_board(1, board.get_new_board(col, 1)) for col in range(7)]
    assert utils == [3, 3, 3, 7, 3, 3, 3]
    heuristic.eval_count = 0
    assert heuristic.get_best_action(1, board) == 3
    assert heuristic.eval_count == 14
    assert heuristic.evaluate_board(2, board.get_new_board(3, 1)) == -7


def test_full_columns_are_not_tested(make_move: Import) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(3)
    assert heuristic.get_best_action(1, make_move("board").Board(from_rows("1 .", "2 ."))) == 1
    assert heuristic.eval_count == 2


def test_seed_003_players_have_this(make_move: Import) -> None:
    players = make_move("players")
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    heuristic.eval_count = 5
    cross, nought = players.HumanPlayer(1, 4), players.AlphaBetaPlayer(2, 4, 4, heuristic)
    assert (str(cross), str(nought)) == ("X", "O")
    assert (cross.get_eval_count(), nought.get_eval_count()) == (0, 5)
    with pytest.raises(NotImplementedError):
        players.PlayerController(1, 4, None).make_move(make_move("board").Board(7, 6))


def test_seed_003_people_play_a_game(
    make_move: Import, monkeypatch: Patch, capsys: Capture
) -> None:
    app = make_move("app")
    answers(monkeypatch, "1", "2", "x", "0", "8", "1", "2", "1", "2", "1")
    app.start_game(4, make_move("board").Board(7, 6), app.get_players(4))
    said = capsys.readouterr().out
    assert said.count("| 1 | 2 | 3 | 4 | 5 | 6 | 7 |") == 8  # before seven moves, and at the end
    assert "Heuristic Simple suggests column 1." in said
    assert said.count("That is no column with room.") == 3
    assert said.splitlines()[-3:] == [
        "Player X won!",
        "Player X evaluated a board 56 times.",
        "Player O evaluated a board 42 times.",
    ]


def test_seed_003_the_usual_game(make_move: Import, monkeypatch: Patch, capsys: Capture) -> None:
    app, person = make_move("app"), make_move("players").HumanPlayer
    players = app.get_players(4)
    assert [(type(p), p.player_id, p.game_n) for p in players] == [(person, 1, 4), (person, 2, 4)]

    def leave(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", leave)
    app.main()
    said = capsys.readouterr().out.splitlines()
    assert said.count("|   |   |   |   |   |   |   |") == 6
    assert said[-1] == "The game was left unfinished."


class Scripted:
    def __init__(self, player_id: int, *columns: int) -> None:
        self.player_id = player_id
        self.columns = list(columns)

    def __str__(self) -> str:
        return "XO"[self.player_id - 1]

    def get_eval_count(self) -> int:
        return 0

    def make_move(self, board: Any) -> int:
        return self.columns.pop(0)


def test_seed_003_a_game_goes_like_this(make_move: Import, capsys: Capture) -> None:
    players = [Scripted(1, 0, 0, 1), Scripted(2, 0, 0, 0, 1)]  # column 0 is full after two discs
    make_move("app").start_game(3, make_move("board").Board(2, 2), players)
    assert [player.columns for player in players] == [[], []]
    assert capsys.readouterr().out.splitlines() == [
        " ---  --- ",
        "| O | O |",
        " ---  --- ",
        "| X | X |",
        " ===  === ",
        "| 1 | 2 |",
        "The game is a draw!",
        "Player X evaluated a board 0 times.",
        "Player O evaluated a board 0 times.",
    ]


def test_seed_003_the_scaffolds_look_one_disc_ahead(make_move: Import) -> None:
    heuristic = make_move("heuristics").SimpleHeuristic(4)
    board = make_move("board").Board(from_rows("2 . . . .", "1 1 1 . ."))
    for name in ("MinMaxPlayer", "AlphaBetaPlayer"):
        heuristic.eval_count = 0
        player = getattr(make_move("players"), name)(1, 4, depth=4, heuristic=heuristic)
        assert player.make_move(board) == heuristic.get_best_action(1, board) == 3
        assert player.get_eval_count() == 4 + 2 * 4


def test_seed_003_a_finished_player_is_swapped_in(
    make_move: Import,
    finished: ModuleType,
    monkeypatch: Patch,
    capsys: Capture,
) -> None:
    simple = make_move("heuristics").SimpleHeuristic
    players = [
        finished.MinMaxPlayer(1, 4, depth=4, heuristic=simple(4)),
        make_move("players").HumanPlayer(2, 4, heuristic=simple(4)),
    ]
    answers(monkeypatch, *"1234567" * 6)
    app = make_move("app")
    monkeypatch.setattr(app, "get_players", lambda game_n: players)
    app.main()
    assert capsys.readouterr().out.splitlines()[-3] == "Player X won!"


def test_pruning_changes_no_move_but_saves_time(make_move: Import, finished: ModuleType) -> None:
    chance = random.Random(7)
    simple, board = make_move("heuristics").SimpleHeuristic, make_move("board").Board
    winning = make_move("app").winning
    evaluations = [0, 0]
    positions = 0
    while positions < 250:
        width, height = chance.choice([(7, 6), (8, 8), (4, 4), (5, 3), (3, 9), (6, 1), (1, 6)])
        game_n, depth, plies = chance.randint(2, 5), chance.randint(1, 3), chance.randrange(30)
        position = board(width, height)
        for ply in range(plies):
            position.play(chance.randrange(width), ply % 2 + 1)
        if winning(position.get_board_state(), game_n):
            continue
        positions += 1
        me = chance.randint(1, 2)
        plain = finished.MinMaxPlayer(me, game_n, depth, simple(game_n))
        pruned = finished.AlphaBetaPlayer(me, game_n, depth, simple(game_n))
        assert plain.make_move(position) == pruned.make_move(position)
        counts = plain.get_eval_count(), pruned.get_eval_count()
        assert counts[1] <= counts[0]
        evaluations = [total + count for total, count in zip(evaluations, counts, strict=True)]
    assert evaluations[1] < evaluations[0] / 2


@pytest.mark.parametrize(
    ("entry", "search"),
    [("AlphaBetaPlayer", "AlphaBetaPlayer.alphabeta"), ("MinMaxPlayer", "MinMaxPlayer.minmax")],
)
def test_calls_of_a_search_are_counted(finished: ModuleType, entry: str, search: str) -> None:
    file = str(finished.__file__)
    tree = ast.parse(Path(file).read_text("utf-8"))
    assert INTERFACES["make_move"].find(tree) == "AlphaBetaPlayer"
    assert str(find_search({file: tree}, file, entry, INTERFACES["make_move"].MOVES)) == search


@pytest.mark.parametrize("name", ["MinMaxPlayer", "AlphaBetaPlayer"])
def test_finished_players_win_at_once(make_move: Import, finished: ModuleType, name: str) -> None:
    board = make_move("board").Board

    def move(player_id: int, depth: int, *rows: str) -> object:
        heuristic = make_move("heuristics").SimpleHeuristic(4)
        player = getattr(finished, name)(player_id, 4, depth, heuristic)
        return player.make_move(board(from_rows(*rows)))

    upright = ["1 . . . . . .", "1 2 . . . . .", "1 2 . . 2 . ."]
    for depth in (1, 2, 3, 4):
        rows = [". . . . . . ."] * 3 + upright
        assert move(1, depth, *rows) == 0
        if depth > 1:
            assert move(2, depth, *rows) == 0
    # after any move one of the two columns can be completed, but it need not wait for that
    won = [". . . . . . ."] * 3 + ["1 . . . . . 1", "1 2 . . . 2 1", "1 2 2 . . 2 1"]
    assert [move(1, depth, *won) for depth in (1, 2, 3, 4)] == [0] * 4
    # player 2 wins by its column at once, or else by both ends of its row after one more disc
    lost = [". . . . . . ."] * 3 + ["2 . . . . . .", "2 1 . . . . .", "2 1 . 2 2 . ."]
    assert move(1, 4, *lost) == 0
