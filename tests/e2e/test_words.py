"""The words of a command line: the list of commands, and mistyped ones."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import click
import pytest

from arena import play
from arena.cli import SHOWN
from arena.cli import arena as commands
from arena.common.errors import InputError
from arena.common.home import HOME
from arena.rules import Position, Ruleset
from arena.settings.contest import Contest, with_preset
from support.command_line import Typed, refused

HELP = {
    "arena.cli",
    "arena.cli.streams",
    "arena.common",
    "arena.common.errors",
    "arena.common.home",
    "arena.common.system",
}


def test_the_list_of_commands_imports_none_of_them() -> None:
    shown = "import sys, arena.cli as cli\n"
    shown += "cli.arena.main(['--help'], standalone_mode=False)\n"
    shown += "print(*(name for name in sys.modules if name.startswith('arena.')))"
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    *page, modules = done.stdout.splitlines()
    assert all(any(line.startswith(f"  {name} ") for line in page) for name in SHOWN)
    assert set(modules.split()) <= HELP


def test_a_command_that_is_not_there_is_no_command() -> None:
    assert commands.get_command(click.Context(commands), "no-such") is None


@pytest.mark.parametrize(
    ("words", "is_started"),
    [
        (["check", "nowhere.py"], True),
        (["gradescope", "grade", "nowhere.py"], True),
        (["gradescope", "grade", "--help"], False),
        (["check", "nowhere.py", "--help"], False),
        (["check", "-h"], False),
        (["check", "nowhere.py", "--home"], False),
        (["replay", "nowhere"], False),
        (["--help"], False),
    ],
)
def test_the_process_that_reads_submissions_is_started_for_who_needs_it(
    monkeypatch: pytest.MonkeyPatch, words: list[str], is_started: bool
) -> None:
    started: list[bool] = []
    monkeypatch.setenv(HOME, "")  # `--home` sets it
    monkeypatch.setattr("arena.intake.confined.start_reader", lambda: started.append(True))
    with suppress(Exception, SystemExit):
        commands.main(words, standalone_mode=False)
    assert bool(started) == is_started


def test_without_the_workshop_its_commands_say_so() -> None:
    script = "import sys\nsys.modules['arena_lab'] = None\nfrom arena.cli import main\n"
    script += "sys.argv = ['arena', 'lab', 'bench']\nmain()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "arena: this command needs arena_lab, which is not installed\n"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("chekc", "bots"), "check"),
        (("run", "bots", "--preset", "clasic"), "classic"),
        (("run", "bots", "--format", "guantlet"), "gauntlet"),
        (("export", "contest", "--to", "canvsa"), "canvas"),
        (("match", "bots/ann.py", "refrence"), "reference"),
        (("match", "bots/ann.py", "quartest"), "quartets"),
        (("match", "bots/anne.py", "random"), "bots/ann.py"),
        (("rank", "contets"), "contest"),
        (("replay", "contets"), "contest"),
        (("rank", "resluts/hw"), "results/hw"),
        (("new", "x.py", "--interface", "pick_mov"), "pick_move"),
        (("run", "bots", "--config", "rule.toml"), "seed"),
        (("run", "bots", "--config", "tie_break.toml"), "direct"),
        (("run", "bots", "--config", "interface.toml"), "pick_move"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_likest(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], meant: str
) -> None:
    for folder in ("bots", "contest", "results/hw"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bots" / "ann.py").write_text("def pick_move(rack):\n    return 0\n")
    (tmp_path / "rule.toml").write_text('[grades]\nrule = "sed"\n')
    (tmp_path / "tie_break.toml").write_text('[ranking]\ntie_breaks = ["dirct"]\n')
    (tmp_path / "interface.toml").write_text('[bots."ann"]\ninterface = "pick_mov"\n')
    assert f"did you mean {meant}?" in refused(typed(*words))


EMPTY = 'an argument is empty (""), maybe because a variable is not set'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "ann.py", "--against", "--home"), "--against needs a value, and --home is"),
        (("run", "ann.py", "--out", "--lanes", "2"), "--out needs a value, and --lanes is another"),
        (("match", "ann.py", "--against", "-h"), "--against needs a value, and -h is another"),
        (("match", "ann.py", "--against"), "Option '--against' requires an argument."),
        (("check", ""), EMPTY),
        (("lab", "solve", ""), EMPTY),
        (("match", "ann.py", "--against", ""), EMPTY),
        (("rank", "--", "--json"), "--json: no contest in this folder"),
    ],
)
def test_a_value_that_is_missing_is_named_and_nothing_is_read_in_its_place(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "ann.py").write_text("def pick_move(rack):\n    return 0\n")
    assert said in refused(typed(*words))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "ann.py", "random", "--connect", "9"), "2 to 7, as the board has 6 rows × 7"),
        (("play", "--connect", "8"), "2 to 7"),
        (("solve", "0", "--rows", "3", "--columns", "3", "--connect", "4"), "2 to 3"),
        (("openings", "--rows", "3", "--columns", "3", "--connect", "4"), "2 to 3"),
        (("check", "ann.py", "--preset", "cs4100", "--connect", "9"), "2 to 8"),
        (("run", "ann.py", "--config", "nine.toml"), "2 to 7"),
        (("run", "ann.py", "--config", "nine.toml", "--columns", "8"), "2 to 8"),
    ],
)
def test_a_line_that_fits_on_no_board_is_refused(
    tmp_path: Path, typed: Typed, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "ann.py").write_text("def pick_move(rack):\n    return 0\n")
    (tmp_path / "nine.toml").write_text("[rules]\nconnect = 9\n")
    assert said in refused(typed(*words))


def test_python_refuses_such_a_line_and_rules_of_their_own_do_not() -> None:
    nine = Ruleset(connect=9)
    with pytest.raises(InputError, match="connect = 9: expected 2 to 7"):
        play("random", "random", rules=nine)
    for small in (Ruleset(1, 1), Ruleset(1, 1, 2), Ruleset(2, 2)):
        assert Position(small).legal()


def test_python_has_hints_too() -> None:
    with pytest.raises(InputError, match=r"did you mean cs4100\?"):
        with_preset("cs4010", Contest())
