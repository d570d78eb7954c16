"""The list of commands, and the imports for it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import click
import pytest

from arena.cli import SHOWN
from arena.cli import arena as commands

HELP = {"arena.cli", "arena.cli.streams", "arena.common", "arena.common.errors"}


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
        (["replay", "nowhere"], False),
        (["--help"], False),
    ],
)
def test_the_process_that_reads_submissions_is_started_for_who_needs_it(
    monkeypatch: pytest.MonkeyPatch, words: list[str], is_started: bool
) -> None:
    started: list[bool] = []
    monkeypatch.setattr("arena.intake.confined.start_fork_server", lambda: started.append(True))
    with suppress(Exception, SystemExit):
        commands.main(words, standalone_mode=False)
    assert bool(started) == is_started


def test_without_the_workshop_its_commands_say_so() -> None:
    script = "import sys\nsys.modules['arena_lab'] = None\nfrom arena.cli import main\n"
    script += "sys.argv = ['arena', 'lab', 'bench']\nmain()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "arena: this command needs arena_lab, which is not installed\n"
