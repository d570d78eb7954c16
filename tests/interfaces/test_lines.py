"""The protocol of lines: a program's input, its answers, and the bot in C."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arena.game.limits import Limits
from arena.game.play import play
from arena.game.player import Fault
from arena.game.verdict import Verdict
from arena.interfaces.contract import starter
from arena.rules import Goal, Ruleset
from support.bots import LAST_FREE, MakeBot, MakePlayer, MakeProgram, first_fault, first_move, key

SHOWN = Path(__file__).parents[2] / "docs" / "reference" / "bot.c"


def test_the_bot_in_c_that_the_documents_show_plays_a_whole_game(
    make_program: MakeProgram, make_player: MakePlayer, make_bot: MakeBot, tmp_path: Path
) -> None:
    program = tmp_path / "bot"
    subprocess.run(["gcc", "-Wall", "-Werror", "-o", program, SHOWN], check=True)
    bot = make_program("lines", {"bot": program.read_bytes()}, command="./bot")
    record = play(
        key(make_bot(), make_bot(), rules=Ruleset(goal=Goal.MOST), opening=(3, 3)),
        bot,
        make_player(LAST_FREE),
    )
    assert not record.verdict.is_fault, record.reason
    assert len(record.columns) == 42
    assert record.columns[2:12:2] == (0, 0, 0, 0, 0)


def test_its_starter_plays_on_any_board(
    make_program: MakeProgram, make_player: MakePlayer, make_bot: MakeBot
) -> None:
    bot, opponent = make_program("lines", starter("lines")), make_player(LAST_FREE)
    for rules in (Ruleset(rows=8, columns=8), Ruleset(rows=1, columns=30, connect=20)):
        record = play(key(make_bot(), make_bot(), rules=rules), opponent, bot)
        assert not record.verdict.is_fault, record.reason


ECHOES = """
import sys
for line in sys.stdin:
    print(line.rstrip(), file=sys.stderr)
    if line.startswith("move"):
        print("\\n" + sys.argv[-1])
"""


def test_every_turn_tells_the_whole_game(make_program: MakeProgram) -> None:
    player = make_program("lines", ECHOES, command="python3 bot.py +4")
    assert player.sit(1, Ruleset(8, 9, 5, Goal.MOST), (3, 3, 0), 1) is None
    assert [player.ask(seen)[0] for seen in (-1, 7)] == [4, 4]  # type: ignore[index]
    assert player.dismiss().splitlines() == ["game 8 9 5 most 2", "move 3 3 0", "move 3 3 0 4 7"]


def answering(line: str) -> str:
    """Return a program that prints `line` at its first turn and then waits."""
    return f"import sys\ninput(); input()\nsys.stdout.write({line!r})\nsys.stdout.flush()\ninput()"


NO_COLUMN = ", which is no column number; only answers belong on standard output"
ANSWERS = {
    "thinking...\n3\n": f"answered 'thinking...'{NO_COLUMN}",
    "3.0\n": f"answered '3.0'{NO_COLUMN}",
    "\0\x1b[2J\n": f"answered '[2J'{NO_COLUMN}",
    "3" * 5000: f"answered '{'3' * 39}…' without ending the line",
}
FAULTS = {answering(line): (Verdict.ILLEGAL_MOVE, why) for line, why in ANSWERS.items()} | {
    source: (Verdict.CRASH, why)
    for source, why in (
        (
            "import sys; sys.exit('lost')",
            "ended with exit status 1 (it printed last: 'lost')",
        ),
        ("import os; input(); input(); os.kill(os.getpid(), 9)", "was killed (signal SIGKILL)"),
        ("import os, time; input(); input(); os.close(1); input()", "closed its standard output"),
    )
}
FAULTS["input(); input(); input()"] = Verdict.TIMEOUT, "took more than 0.5 s for its move"


@pytest.mark.parametrize("source", FAULTS, ids=range(len(FAULTS)))
def test_a_program_loses_with_a_true_sentence(source: str, make_program: MakeProgram) -> None:
    verdict, _ = FAULTS[source]
    limits = Limits(move_seconds=0.5 if verdict is Verdict.TIMEOUT else 10, first_move_seconds=0)
    fault = first_fault(make_program("lines", source, limits))
    assert (fault.verdict, fault.reason) == FAULTS[source]


def test_an_answer_to_no_question_is_not_taken_for_the_next_one(make_program: MakeProgram) -> None:
    player = make_program("lines", answering("3\n5\n"))
    assert first_move(player)[0] == 3
    fault = player.ask(3)
    assert isinstance(fault, Fault)
    assert fault.reason == "answered '5' before it was asked for its move"


def test_a_program_that_cannot_be_started_could_not_be_loaded(make_program: MakeProgram) -> None:
    player = make_program("lines", {"bot": b"\x7fELF and no more"}, command="./bot")
    fault = first_fault(player)
    assert fault.verdict is Verdict.LOAD_ERROR
    assert fault.reason == "could not be loaded: cannot be started: Exec format error (./bot)"
