"""`arena replay`: steps at a terminal, lists, and games as lines."""

from __future__ import annotations

import json
import signal
import termios
from pathlib import Path

import pytest

from arena.game.record import GameRecord
from arena.rules import Position, Ruleset, draw
from support.command_line import Typed, refused, succeeded
from support.scripted import at_random, two_bots
from support.terminal import AtTerminal, at_terminal

RULES = Ruleset(rows=3, columns=5)
RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
LEFT_SCREEN = "\x1b[?1049l"


@pytest.fixture
def records(tmp_path: Path) -> list[GameRecord]:
    """The games of a contest `c` of two bots but the last; the second ended by a fault."""
    return at_random(two_bots(tmp_path / "c", RULES, openings=3), failing=2)


def board_of(screen: str) -> str:
    """Return the discs of the last drawn board by row, without colours."""
    text = ""
    for part in screen.rpartition("\x1b[H")[2].split("\x1b"):
        text += part.partition("m")[2] if part.startswith("[") else part
    rows = [line for line in text.splitlines() if set(line.strip()) <= set(" ·XO") and line.strip()]
    return "\n".join("".join(row.split()) for row in rows)


def drawn(columns: tuple[int, ...]) -> str:
    rows = [row.strip("|")[1::2] for row in draw(Position(RULES, columns)).splitlines()[2:-1]]
    return "\n".join(row[: RULES.columns].replace(" ", "·") for row in rows)


def step(person: AtTerminal, key: str, said: str) -> str:
    person.press(key)
    return person.see(said)


@pytest.mark.slow
def test_keys_step_through_a_game(tmp_path: Path, records: list[GameRecord]) -> None:
    record = records[0]
    begin, end = record.opening_plies, len(record.columns)
    with at_terminal("replay", "c", 1, cwd=tmp_path) as person:
        before = termios.tcgetattr(person._terminal)
        shown = person.see(f"after {begin} of {end} plies")
        assert board_of(shown) == drawn(record.columns[:begin])
        shown = step(person, RIGHT, f"after {begin + 1} of {end} plies")
        assert board_of(shown) == drawn(record.columns[: begin + 1])
        assert f"column {record.columns[begin]}  1.0 ms" in shown
        assert not termios.tcgetattr(person._terminal)[3] & termios.ECHO
        shown = step(person, HOME, f"after 0 of {end} plies")
        assert board_of(shown) == drawn(())
        step(person, LEFT + RIGHT, f"after 1 of {end} plies")
        shown = step(person, END, "so it went")
        assert board_of(shown) == drawn(record.columns)
        person.press("q")
        assert person.end() == 0
        assert person.seen.count(LEFT_SCREEN) == 1
        assert "so it went" in person.seen.rpartition(LEFT_SCREEN)[2]
        assert before[3] & termios.ECHO


@pytest.mark.slow
def test_ctrl_c_leaves_a_clean_terminal(tmp_path: Path, records: list[GameRecord]) -> None:
    with at_terminal("replay", "c", 3, cwd=tmp_path) as person:
        end = len(records[2].columns)
        person.see("q quits")
        step(person, END + LEFT, f"after {end - 1} of {end} plies")
        person.send(signal.SIGINT)
        assert person.end() == 130
        assert person.seen.count(LEFT_SCREEN) == 1
        assert person.seen.rpartition("\x1b[?25")[2].startswith("h")  # the cursor is there again


@pytest.mark.slow
def test_a_dumb_terminal_gets_lines(tmp_path: Path, records: list[GameRecord]) -> None:
    with at_terminal("replay", "c", 1, cwd=tmp_path, kind="dumb") as person:
        assert person.end() == 0
        assert "\x1b" not in person.seen
        assert person.seen.count("\r\n-------------\r\n|") == len(records[0].charged_ns) + 1


def test_without_a_terminal_every_board_is_printed(typed: Typed, records: list[GameRecord]) -> None:
    code, out, err = typed("replay", "c", 2)
    assert (code, err) == (0, "")
    assert "no move" in out and "raised KeyError [ERROR]" in out
    assert out.count("-------------\n|") == 1
    code, out, _ = typed("replay", "c", 1, "--boards")
    assert out.count("-------------\n|") == len(records[0].charged_ns) + 1
    assert draw(Position(RULES, records[0].columns)) in out


def test_games_are_listed_and_chosen(typed: Typed, records: list[GameRecord]) -> None:
    out = succeeded(typed("replay", "c"))
    assert sum(line.split()[:1] == [str(n)] for n in range(1, 6) for line in out.splitlines()) == 5
    assert "arena replay c 1" in out
    code, out, _ = typed("replay", "c", "--verdict", "error", "--json")
    (game,) = json.loads(out)
    assert (game["game"], game["reason"], game["forfeit"]) == (2, "raised KeyError", False)
    loser = ({game["first"], game["second"]} - {game["winner"]}).pop()
    code, out, _ = typed("replay", "c", "--bot", loser, "--result", "lost", "--json")
    assert game in json.loads(out)
    code, out, _ = typed("replay", "c", "--limit", 2)
    assert "and 3 more games: --limit 5 lists them all" in out
    code, out, _ = typed("replay", "c", "--bot", "ann", "--verdict", "CRASH")
    assert (code, out) == (0, "no such games\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bot", "anne"), "c: no game of 'anne'; did you mean ann?"),
        (("--result", "won"), "--result won: also name the bot, with --bot"),
        (("--verdict", "SLOW"), "Invalid value for '--verdict': 'SLOW' is not one of 'LINE'"),
        (("--boards",), "--boards: needs a game; add its number"),
        ((1, "--bot", "ann"), "game 1: --bot, --result, --verdict and --limit choose"),
        ((6,), "c: game 6 has not been played yet; arena resume c"),
        ((7,), "c: there is no game 7; games are numbered 1 to 6"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    words: tuple[object, ...], said: str, typed: Typed, records: list[GameRecord]
) -> None:
    assert refused(typed("replay", "c", *words)).startswith(f"arena: {said}")


def test_a_command_in_a_message_quotes_the_folders_name(tmp_path: Path, typed: Typed) -> None:
    two_bots(tmp_path / "my c", RULES).journal().close()
    for words in (("replay", "my c", 1), ("analyse", "my c"), ("verify", "my c", "--sample", 1)):
        assert refused(typed(*words)).rstrip().endswith("; arena resume 'my c'")
    (tmp_path / "my c" / "excluded.csv").write_text("when\n")
    assert refused(typed("rank", "my c")).rstrip().endswith(": arena rank 'my c'")
