"""`arena play` at a terminal and with moves from a file."""

from __future__ import annotations

import io
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.interfaces.contract import starter
from support.bots import FIRST_FREE
from support.command_line import refused, succeeded
from support.reports import chunks_of
from support.terminal import END_OF_INPUT, at_terminal

# A disc of a complete line on a terminal of 256 colours.
WIN_LINE = re.compile(r"\x1b\[1;(4;)?30;107m X ")
CLEARED = "\x1b[2J"
Scripted = Callable[..., tuple[object, str, str]]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "left.py").write_text(FIRST_FREE)
    return tmp_path


@pytest.fixture
def scripted(typed: Scripted, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    """`scripted(input, word, …)`: exit code, output and errors of `arena play`."""

    def run(text: str, *words: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return typed("play", *words)

    return run


@pytest.mark.slow
def test_a_person_wins_after_an_illegal_move_and_one_taken_back(bot: Path) -> None:
    with at_terminal("play", "left.py", cwd=bot) as person:
        assert "left.py" not in person.see("X's move: ")
        person.type("7")
        assert "column 7 does not exist: columns are 0 to 6" in person.see("X's move: ")
        person.type("3")
        shown = person.see("X's move: ")
        assert "left: column 0, " in shown
        assert " ms" in shown
        assert CLEARED in shown
        person.type("undo")
        assert " X " not in person.see("X's move: ").rpartition(CLEARED)[2]
        for _ in range(3):
            person.type("3")
            assert not WIN_LINE.search(person.see("X's move: "))
        person.type("3")
        shown = person.see("Enter to leave: ")
        assert len(WIN_LINE.findall(shown.rpartition(CLEARED)[2])) == 4
        assert "Win for X! You made a line with column 3." in shown
        person.type("")
        assert person.end() == 0


@pytest.mark.slow
def test_a_person_loses_against_a_bot_that_begins_and_takes_it_back(bot: Path) -> None:
    with at_terminal("play", "left.py", "--second", cwd=bot) as person:
        for column in (6, 5, 6):
            person.see("O's move: ")
            person.type(str(column))
        shown = person.see("Enter to leave: ")
        assert "Win for X! left made a line with column 0." in shown
        person.type("5")
        shown = person.see("Enter to leave: ").rpartition(CLEARED)[2]
        assert "X: left, O: You; 6 rows × 7 columns, connect 4; ? for help" in shown
        assert "Win for X! left made a line with column 0." in shown
        assert "the game is over" in shown
        person.type("undo")
        person.see("O's move: ")
        person.type("0")
        assert "left: column 0, " in person.see("O's move: ")
        person.type("quit")
        assert person.end() == 0
        assert "moves: 0 6 0 5 0 0 0" in person.seen


@pytest.mark.slow
def test_a_draw_on_a_small_board(bot: Path) -> None:
    board = ("--rows", 2, "--columns", 3, "--connect", 3)
    with at_terminal("play", "left.py", *board, cwd=bot) as person:
        for column in (1, 1, 2):
            person.see("X's move: ")
            person.type(str(column))
        assert "Tie game!" in person.see("Enter to leave: ")
        person.press(END_OF_INPUT)
        assert person.end() == 0


def test_two_persons_play_until_the_input_ends(tmp_path: Path) -> None:
    with at_terminal("play", "--goal", "most", cwd=tmp_path) as persons:
        for column in range(5):
            persons.see(f"{'XO'[column % 2]}'s move: ")
            persons.type(str(column))
        assert "lines: X 0, O 0" in persons.see("O's move: ")
        persons.press(END_OF_INPUT)
        assert persons.end() == 0
        assert "moves: 0 1 2 3 4" in persons.seen


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "a polite kill"])
def test_whoever_stops_it_leaves_the_moves_behind_and_no_file(
    number: int, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    with at_terminal("play", "left.py", cwd=bot) as person:
        person.see("X's move: ")
        person.type("3")
        person.see("X's move: ")
        person.send(number)
        assert person.end() == 130
        assert "moves: 3 0\r\n" in person.seen
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_script_sees_plain_boards_and_what_it_typed(scripted: Scripted) -> None:
    out = succeeded(scripted("3\n3\n8\n\nhello\n4\n5\n", "--preset", "cs4100"))
    assert "\x1b" not in out
    assert out.count("-------------------") == 2 * 5
    assert out.startswith("8 rows × 8 columns, connect 4; ? for help\n\n  0 1 2 3 4 5 6 7\n")
    assert "X's move: 8\ncolumn 8 does not exist: columns are 0 to 7\nX's move: \n" in out
    assert "'hello' is neither a column nor a command; ? for help\nX's move: 4\n" in out
    assert out.endswith("-\n\nX's move: \nmoves: 3 3 4 5\n")


def test_a_game_of_the_report_goes_on(scripted: Scripted, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text("game 5 4 3 first\nmoves 0 1 0\n")
    out = succeeded(scripted("1\n0\nundo\n0\n\n", "--load", "game.txt"))
    assert out.count("Win for X! Made a line with column 0.") == 2
    assert refused(scripted("", "--load", "game.txt", "--rows", 6)) == (
        "arena: game.txt: a game on 5 rows × 4 columns, connect 3; leave out the options about "
        "the board\n"
    )


def test_a_game_is_saved_as_a_page(scripted: Scripted, bot: Path) -> None:
    board = ("--rows", 2, "--columns", 3, "--connect", 3)
    (bot / "thesis.html").write_text("years of work")
    moves = "0\n0\nundo\nundo\n1\nsave left.html\n1\n2\nsave won.html\nsave thesis.html\n"
    _, out, _ = scripted(f"{moves}save no/won.html\nsave won.txt\nquit\n", "left.py", *board)
    assert "saved in left.html\n" in out and "saved in won.html\n" in out
    assert "thesis.html: exists, and is no such file of Arena's; not overwritten\n" in out
    assert "no/won.html: there is no folder no\n" in out
    assert "won.txt: the name must end in .html, .json or .pgn\n" in out
    page = chunks_of((bot / "left.html").read_text("utf-8"))
    assert [each["name"] for each in page["overview"]["bots"]] == ["person", "left"]
    (left,) = page["games-0"]
    # moves taken back are no part of the game, those before are
    assert (left["m"], left["p"], len(left["t"]), left["v"]) == ([1, 0], 0, 2, None)
    (won,) = chunks_of((bot / "won.html").read_text("utf-8"))["games-0"]
    assert len(won["t"]) == len(won["m"]) == len(won["x"])
    assert won["v"] in ("LINE", "BOARD_FULL")


def test_a_finished_game_can_be_loaded_and_taken_back(scripted: Scripted, tmp_path: Path) -> None:
    (tmp_path / "won.txt").write_text("game 6 7 4 first\nmoves 3 2 3 2 3 2 3\n")
    _, out, _ = scripted("3\nundo\nquit\n", "--load", "won.txt")
    assert "Win for X!\nundo, save FILE, or Enter to leave: 3\nthe game is over\n" in out
    assert out.endswith("moves: 3 2 3 2 3 2\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected `game ROWS COLUMNS CONNECT first` (or most)"),
        ("game 6 7 four first\nmoves\n", "line 1: expected `game ROWS COLUMNS CONNECT first`"),
        ("game 6 777 4 first\nmoves\n", "line 1: columns = 777: expected 1 to 64"),
        ("game 6 7 4 first\n3 3\n", "line 2: expected `moves` and the columns played"),
        ("game 6 7 4 first\nmoves 3 x\n", "line 2: 'x' is not a column number"),
        ("game 6 7 4 first\nmoves 3 3 9\n", "line 2: move 3: column 9 does not exist"),
        ("game 2 7 4 first\nmoves 3 3 3\n", "line 2: move 3: column 3 is full"),
    ],
)
def test_a_file_that_is_no_game_is_refused_with_the_line(
    scripted: Scripted, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "game.txt").write_text(text)
    errors = refused(scripted("", "--load", "game.txt"))
    assert errors.startswith(f"arena: game.txt: not a saved game: {said}")


def test_a_closed_input_is_its_end(typed: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    out = succeeded(typed("play"))
    assert out.endswith("X's move: \n")


@pytest.mark.slow
def test_undo_with_nothing_to_take_back_asks_the_bot_nothing(scripted: Scripted, bot: Path) -> None:
    _, out, _ = scripted("undo\nundo\nquit\n", "left.py", "--second")
    assert out.count("there is no move of yours to take back") == 2
    assert out.count("left: column 0, ") == 1


def test_a_hint_is_the_engines(scripted: Scripted) -> None:
    _, out, _ = scripted("3\n2\n3\n2\n3\nhint\n2\nhint\n3\nhint\nundo\nhint\n?\n")
    hints = re.findall(r"hint: .*|the game is over", out)
    assert hints[:3] == ["hint: column 3", "hint: column 3, which wins", "the game is over"]
    assert "take your last move back" in out


@pytest.mark.slow
def test_what_cannot_be_played_is_said_before_the_game(scripted: Scripted, tmp_path: Path) -> None:
    code, _, err = scripted("", "nobody")
    assert (code, err[:41]) == (2, "arena: nobody: no such file or folder (ho")
    assert scripted("", "--second")[0] == 2
    assert "Is a directory" in scripted("", "--load", ".")[2]
    assert scripted("", "--load", "/dev/zero")[2] == "arena: /dev/zero: not a file\n"
    assert "No such file" in scripted("", "--load", "missing.txt")[2]
    (tmp_path / "program.py").write_text(starter("one-move"))
    assert "the one-move file format holds a 6×7 board only" in refused(
        scripted("", "program.py", "--preset", "cs4100")
    )
    (tmp_path / "big.txt").write_text("game 8 8 4 first\nmoves 0\n")
    assert "program cannot play on 8 rows × 8 columns, connect 4: the one-move" in refused(
        scripted("", "program.py", "--load", "big.txt")
    )


@pytest.mark.slow
def test_a_bots_fault_wins_the_game_and_shows_what_it_printed(
    scripted: Scripted, tmp_path: Path
) -> None:
    (tmp_path / "odd.py").write_text("def pick_move(rack):\n    print('hm')\n    return 99\n")
    code, out, _ = scripted("3\n\n", "odd.py")
    assert code == 0
    assert "Win for X! odd returned column 99; the board has columns 0 to 6, at ply 2.\n" in out
    assert "The end of its output, or its place in the code:\nhm\n" in out
    (tmp_path / "broken.py").write_text("import nowhere\ndef pick_move(rack):\n    return 0\n")
    code, out, _ = scripted("undo\n", "broken.py")
    assert code == 1
    assert "Win for X! broken could not be loaded: ModuleNotFoundError: No module named" in out
    assert "there is no move of yours to take back" in out
