"""`arena ask`; `--debug` and `--profile`; what bots print in a match."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from arena.game.record import Bot
from arena.game.verdict import Verdict
from arena.interfaces.contract import starter
from arena.report.game_file import game_file, terms_of
from arena.report.replay import OwnSeat, ShownGame
from arena.rules import Position, Ruleset, draw
from arena.settings.contest import BotEntry, Contest
from support.bots import FIRST_FREE, key, record
from support.command_line import (
    PATIENCE_SECONDS,
    Typed,
    arena,
    refused,
    started,
    succeeded,
)
from support.scripted import at_random, two_bots
from support.served import Served, alive
from support.terminal import at_terminal

PRINTS = "def pick_move(rack):\n    print('discs', sum(map(bool, sum(rack, ()))))\n    return 2\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    (tmp_path / "left.py").write_text(FIRST_FREE)
    (tmp_path / "prints.py").write_text(PRINTS)
    (tmp_path / "broken.py").write_text("def pick_move(rack):\n    return 1 // sum(rack[0])\n")
    return tmp_path


@pytest.mark.parametrize("words", [(3, 3, 4), ("334",), ("3,3 4",)])
def test_a_position_its_move_its_output_and_what_columns_are_worth(
    words: tuple[object, ...], bot: Path, typed: Typed
) -> None:
    out = succeeded(typed("ask", "prints.py", *words))
    assert out.startswith(f"{draw(Position(Ruleset(), (3, 3, 4)))}\n\nprints (O) plays column 2: ")
    assert "ms, nodes not counted\nIt printed:\n  discs 3\n\n" in out
    assert (
        "\ncolumn  2  wins at ply 40      best, prints's move\ncolumn  3  loses at ply 7\n" in out
    )


def test_a_position_from_a_file_and_from_standard_input(
    bot: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bot / "game.txt").write_text("game 5 4 3 first\nmoves 0 1 0\n")
    out = succeeded(typed("ask", "prints.py", "--load", "game.txt"))
    assert out.startswith(draw(Position(Ruleset(5, 4, 3), (0, 1, 0))))
    assert "prints (O) plays column 2: " in out
    monkeypatch.setattr(sys, "stdin", io.StringIO(draw(Position(Ruleset(), (6, 5)))))
    assert "  discs 2\n" in succeeded(typed("ask", "prints.py", "--load", "-"))


def test_the_answer_as_json(bot: Path, typed: Typed) -> None:
    answer = json.loads(succeeded(typed("ask", "prints.py", "334", "--json")))
    assert (answer["moves"], answer["to_move"], answer["column"]) == ([3, 3, 4], 2, 2)
    assert answer["columns"][2] > 0 > answer["columns"][3]
    assert (answer["output"], answer["nodes"], answer["fault"]) == (["discs 3"], None, None)
    assert 2 in answer["best"]


def test_a_fault_is_a_sentence_and_exit_code_1(bot: Path, typed: Typed) -> None:
    code, out, _ = typed("ask", "broken.py")
    assert code == 1
    assert "broken (X) raised ZeroDivisionError: " in out
    assert "(broken.py, line 2)\n" in out
    (bot / "alone.py").write_text(f"import nowhere\n{FIRST_FREE}")
    code, out, _ = typed("ask", "alone.py")
    assert code == 1
    assert " could not be loaded: ModuleNotFoundError: No module named 'nowhere'" in out
    assert "column  0" not in out
    code, out, _ = typed("ask", "left.py", "--rows", 4, *"0000")
    assert code == 0
    assert "left (X) plays column 1: " in out
    assert "column  0  full\n" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("left.py", 3, 9), "there is no column 9: columns are 0 to 6"),
        (("left.py", *"0101010"), "the game is over after move 7: X has won"),
        (("left.py", "--ply", 3), "--ply: needs --game"),
        (("left.py", 3, "--game", "x", 1), "MOVES, --load FILE or --game GAMES NUMBER: only"),
        (("left.py", "--load", "left.py"), "left.py: line 1: expected 7 cells"),
        (("left.py", "--load", "game.txt", "--rows", 4), "game.txt: a game on 5 rows × 4 columns"),
        (("left.py", "--game", "x", 1), "x: no contest"),
        (("left.py", "--json", "--debug"), "--json: leave out --debug and --profile"),
        (("reference", "--debug"), "--debug and --profile: reference is Arena's engine; name a"),
        (("program.py", "--profile"), "--debug and --profile: program is a program, which runs"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(
    words: tuple[object, ...], said: str, bot: Path, typed: Typed
) -> None:
    (bot / "program.py").write_text(starter("one-move"))
    (bot / "game.txt").write_text("game 5 4 3 first\nmoves 0 1\n")
    assert refused(typed("ask", *words)).startswith(f"arena: {said}")


def test_a_game_by_its_moves_shows_where_it_was_lost(bot: Path, typed: Typed) -> None:
    out = succeeded(typed("ask", "left.py", *"36362606", "--all-plies"))
    assert out.startswith("left is X in this game.\nply  game   now ")
    rows = [line.split()[:3] for line in out.splitlines()[2:6]]
    assert rows == [["1", "3", "0"], ["3", "3", "0"], ["5", "2", "0"], ["7", "0", "0"]]
    assert "loses at ply 8: a blunder; column 6 wins at ply 19" in out
    assert (
        "\nO wins: made a line with column 6\nleft lost it at ply 7: column 0 loses at ply 8, but "
        in out
    )
    assert out.endswith(" It still plays it.\n")
    answers = json.loads(succeeded(typed("ask", "left.py", *"36362606", "--all-plies", "--json")))
    assert [each["ply"] for each in answers["plies"]] == [1, 3, 5, 7]
    assert answers["lost_at"] == 7
    out = succeeded(typed("ask", "left.py", *"36362606", "--all-plies", "--side", "O"))
    assert "left is O in this game." in out
    assert out.endswith("left did not lose it.\n")
    out = succeeded(typed("ask", "left.py", *"3636", "--all-plies"))
    assert "\n  5     -     0  " in out
    assert out.endswith("The game is not over.\n")


def test_a_bot_plays_on_in_its_game_as_long_as_it_repeats_it(bot: Path, typed: Typed) -> None:
    (bot / "counts.py").write_text(
        "calls = 0\ndef pick_move(rack):\n    global calls\n    calls += 1\n    return calls\n"
    )
    words = ("ask", "counts.py", *"1525455", "--all-plies", "--side", "X", "--json")
    plies = json.loads(succeeded(typed(*words)))["plies"]
    # repeated twice, then another move, then loaded again
    assert [(each["recorded"], each["column"]) for each in plies] == [
        (1, 1),
        (2, 2),
        (4, 3),
        (5, 1),
    ]


def test_a_students_file_of_games_has_side_seed_and_limits(bot: Path, typed: Typed) -> None:
    (bot / "dice.py").write_text(
        "import random\ndef pick_move(rack):\n    return random.randrange(6)\n"
    )
    seed = 7
    alone = json.loads(succeeded(typed("ask", "dice.py", "--seed", seed, "33", "--json")))["column"]
    nobody = Bot(content_hash="", root="")
    begun = key(nobody, nobody, opening=(3, 3))
    played = record(begun, (3, 3, alone, 0), Verdict.ERROR, 1)
    shown = ShownGame(
        number=27,
        opening=1,
        names=("dora", "greedy"),
        rules=Ruleset(),
        record=played,
        own=OwnSeat(0, seed),
    )
    contest = Contest(bots={"dora": BotEntry()})
    (bot / "dora.json").write_text(game_file("hw4", "", [shown], terms_of(contest, "dora")))
    out = succeeded(typed("ask", "dice.py", "--game", "dora.json", 27))
    assert f"\n  3     {alone}     {alone}  " in out
    out = succeeded(typed("ask", "dice.py", "--game", "dora.json", 27, "--ply", 3))
    assert f"dice (X) plays column {alone}: " in out
    said = refused(typed("ask", "dice.py", "--game", "dora.json", 27, "--ply", 9))
    assert said == "arena: --ply 9: the game has plies 1 to 5\n"


def test_a_game_of_a_contest_is_asked_by_the_bots_name(bot: Path, typed: Typed) -> None:
    records = at_random(two_bots(bot / "c", Ruleset(rows=3, columns=5), openings=1))
    name = "ann"
    (bot / f"{name}.py").write_text(FIRST_FREE)
    own = records[0].columns[records[0].opening_plies :]
    out = succeeded(typed("ask", f"{name}.py", "--game", "c", 1))
    assert f"{name} is X in this game." in out
    assert out.count("\n") >= len(own) // 2
    said = refused(typed("ask", "left.py", "--game", "c", 1))
    assert said.startswith("arena: left: which side is it? ann is X and ")
    assert "leave out the options about the board" in refused(
        typed("ask", f"{name}.py", "--game", "c", 1, "--rows", 4)
    )


STOPS = """\
def pick_move(rack):
    secret = 40
    breakpoint()
    secret += 2
    return 3 if secret == 42 else 0
"""


@pytest.mark.parametrize("more", [(), ("--debug",)])
def test_at_home_the_same_is_said(bot: Path, more: tuple[str, ...]) -> None:
    words = ("ask", "prints.py", 3, 3, 4, *more)
    here, home = arena(*words, cwd=bot), arena(*words, "--home", cwd=bot)
    assert home.returncode == 0
    assert re.sub(r"column 2: .*,", "", home.stdout) == re.sub(r"column 2: .*,", "", here.stdout)
    assert "discs 3\n" in home.stdout


def test_a_breakpoint_stops_in_the_students_file(bot: Path) -> None:
    (bot / "my bot ü.py").write_text(STOPS)
    with at_terminal("ask", "my bot ü.py", 3, 3, "--debug", cwd=bot) as person:
        shown = person.see("(Pdb) ")
        assert f"> {bot}/my bot ü.py(4)pick_move()" in shown
        assert "-> secret += 2" in shown
        person.type("p secret, rack[3][:2]")
        assert "(40, (1, 2))" in person.see("(Pdb) ")
        person.type("n")
        assert "-> return 3 if" in person.see("(Pdb) ")
        person.type("secret = 0")
        person.see("(Pdb) ")
        person.type("c")
        assert "(X) plays column 0: " in person.see("column  6")
        assert person.end() == 0


def test_leaving_the_debugger_ends_the_command(bot: Path) -> None:
    (bot / "stops.py").write_text(STOPS)
    with at_terminal("match", "stops.py", "random", "--debug", cwd=bot) as person:
        person.see("(Pdb) ")
        person.type("q")
        assert person.end() == 130
        assert "stopped; a match keeps nothing" in person.seen
        assert "Traceback" not in person.seen


def test_a_breakpoint_that_an_editor_sets_stops_there(bot: Path) -> None:
    """Editors set breakpoints by file and line before they start the module, as pdb can."""
    file = bot / "prints.py"
    commands = ("-c", f"break {file}:3", "-c", "continue", "-m", "arena", "ask", file, 3, "--debug")
    done = subprocess.run(
        [sys.executable, "-m", "pdb", *map(str, commands)],
        input="p sum(rack[3])\nclear 1\nc\nq\n",
        cwd=bot,
        capture_output=True,
        text=True,
    )
    assert f"> {file}(3)pick_move()\n-> return 2\n(Pdb) 1\n" in done.stdout, done.stderr
    assert "prints (O) plays column 2: " in done.stdout


def test_ctrl_c_shows_where_a_bot_hangs(bot: Path) -> None:
    (bot / "hangs.py").write_text(
        "def pick_move(rack):\n    print('now')\n    while True:\n        x = 1\n"
    )
    with at_terminal("ask", "hangs.py", "--debug", cwd=bot) as person:
        person.see("now")
        os.kill(person.pid, signal.SIGINT)
        assert person.end() == 130
        assert 'hangs.py", line' in person.seen
        assert person.seen.count("File ") == 1


def test_ctrl_c_ends_it_in_one_line_and_leaves_no_process(bot: Path) -> None:
    (bot / "hangs.py").write_text("def pick_move(rack):\n    while True:\n        pass\n")
    with started("ask", "hangs.py", cwd=bot) as asking:
        server = Served(asking, 0)
        while not any(busy(pid) for pid, _ in server.family() if pid != asking.pid):
            assert asking.poll() is None
            time.sleep(0.05)
        family = server.family()
        os.killpg(asking.pid, signal.SIGINT)
        _, errors = asking.communicate(timeout=PATIENCE_SECONDS)
    assert asking.returncode == 130
    assert errors.rstrip("\n") == "stopped; the same command asks again"
    assert not alive(family)


def busy(pid: int) -> bool:
    """Return whether a process has computed for a second, as none does that only starts."""
    with suppress(psutil.Error):
        return psutil.Process(pid).cpu_times().user > 1
    return False


def test_a_match_in_this_process_shows_prints_and_tracebacks(bot: Path) -> None:
    (bot / "helper.py").write_text("def free(rack):\n    return 1 // (3 - sum(rack[2]))\n")
    source = "import helper\nprint('loaded')\ndef pick_move(rack):\n"
    (bot / "mine").mkdir()
    (bot / "helper.py").rename(bot / "mine" / "helper.py")
    (bot / "mine" / "my_bot.py").write_text(f"{source}    helper.free(rack)\n    return 2\n")
    words = ("match", "random", "mine", "--openings", 1, "--max-plies", 0, "--min-plies", 0)
    plain = arena(*words, "--rows", 4, cwd=bot)
    shown = arena(*words, "--rows", 4, "--debug", cwd=bot)
    results = [line.partition(": ")[0] for line in plain.stdout.splitlines() if "game" in line]
    assert len(results) == 3
    assert all(result in shown.stdout for result in results)
    assert shown.stdout.count("loaded\n") == 2
    if "[ERROR]" in shown.stdout:
        assert f'  File "{bot}/mine/helper.py", line 2, in free\n' in shown.stdout
        assert shown.stdout.count("ZeroDivisionError: ") >= 2


def test_a_profile_says_where_the_time_goes(bot: Path) -> None:
    (bot / "deep.py").write_text(
        "def search(n):\n    return n and search(n - 1) + search(n - 1)\n"
        "def pick_move(rack):\n    return max(search(8), 0)\n"
    )
    shown = arena("ask", "deep.py", "--profile", cwd=bot).stdout
    own = [line.split() for line in shown.splitlines() if "deep.py:" in line]
    assert [(row[-2], row[-1], row[-3]) for row in own] == [
        ("search", "deep.py:1", "511"),
        ("pick_move", "deep.py:3", "1"),
    ]
    assert "(most in builtins.max)\n" in shown
    assert "deep (X) plays column 0: " in shown


def test_a_match_shows_what_bots_print_and_a_contest_does_not(bot: Path) -> None:
    (bot / "chats.py").write_text(FIRST_FREE.replace("    return", "    print('hm ü')\n    return"))
    words = ("--openings", 1, "--rows", 4)
    out = arena("match", "chats.py", "random", *words, cwd=bot).stdout
    assert all(game.count(" chats: hm ü\n") >= 3 for game in out.split("game   2"))
    many = arena("match", "chats.py", "chats.py", "--openings", 15, "--rows", 4, cwd=bot).stdout
    assert many.count(": hm ü\n") == 200
    assert many.count("more that bots printed is left out; --openings 1 shows all\n") == 1
    assert many.count("\ngame  ") == 29
    run = arena("run", "chats.py", "left.py", "--no-house", *words, "--out", "c", cwd=bot)
    assert "hm" not in run.stdout
