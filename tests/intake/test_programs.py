"""Submissions that are programs: what is run of them, and what a contest file must say."""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from arena.common.errors import InputError
from arena.contest.entries import bots_by_name, enter
from arena.courses.roster import find_roster
from arena.intake.submission import read_submission
from arena.interfaces import Overrides
from arena.interfaces.contract import starter
from arena.interfaces.program import FOLDERS
from arena.settings.contest import BotEntry, Contest
from arena.settings.file import read_contest_file
from support.handed_in import Tree, written, zipped

ELF = b"\x7fELF and so on"
PYTHON_2 = "import sys\nif sys.argv[1] != 'one-move': print 'usage'\n"

SAYS: dict[str, tuple[Tree, str, str, str]] = {
    "java": (
        {"maxconnect4.java": 'args[0].equals("one-move")', "Board.java": "class Board {}"},
        "maxconnect4.java), which must be compiled first;", "one-move", "java maxconnect4",
    ),
    "java and compiled": (
        {"Bot.java": "void main(String[] args)", "Bot.class": b"\xca\xfe", "B.class": b"\xca"},
        "Bot.java);", "lines", "java Bot",
    ),
    "c": (
        {"search.c": "int search() {}", "bot.c": "int main() {}", "bot.h": ""},
        "bot.c), which must be compiled first;", "lines", "./bot",
    ),
    "c and compiled": (
        {"bot.c": "int main() {}", "bot": ELF, "other": ELF}, "bot.c);", "lines", "./bot",
    ),
    "c and compiled as the compiler likes": (
        {"bot.c": "int main() {}", "a.out": ELF, "bot.o": ELF}, "bot.c);", "lines", "./a.out",
    ),
    "javascript": ({"bot.js": "console.log(3)"}, "bot.js);", "lines", "node bot.js"),
    "binary": (
        {"maxconnect4": ELF + b"one-move", "notes.txt": "one-move"},
        "maxconnect4);", "one-move", "./maxconnect4",
    ),
}  # fmt: skip


def settings_in(problem: str | None) -> str:
    """Return the contest file's lines that a bot's problem asks for."""
    heading, _, pieces = (problem or "").partition("below ")[2].partition(" write ")
    return "\n".join([heading, *pieces.split(" and ")])


@pytest.mark.parametrize("language", SAYS)
def test_an_unstated_program_is_told_the_settings(language: str, tmp_path: Path) -> None:
    files, start, interface, command = SAYS[language]
    problem = (
        f"it is a program ({start} the contest file must state how to run it: below "
        f'[bots."alice"] write interface = "{interface}" and '
        f'options = {{ command = "{command}" }}'
    )
    written(tmp_path / "all" / "alice", files)
    written(tmp_path / "all" / "docs", {"report.pdf": b"%PDF", "README": "how it works"})
    written(tmp_path / "all" / "bob", {"bot.py": "def pick_move(rack): return 3"})
    roster = find_roster([tmp_path / "all"])
    assert {s.name: s.problem for s in roster.submissions} == {"alice": problem, "bob": None}
    assert [line.rpartition("/")[2] for line in roster.ignored] == ["docs (a folder without a bot)"]


@pytest.mark.parametrize("name", ["Quinn Fox", 'Al "Bo" C', "D\\E"])
def test_what_a_contest_file_must_say_can_be_pasted_into_it(name: str, tmp_path: Path) -> None:
    either: Tree = dict.fromkeys(("one.py", "two.py"), "def player(b): return 3")
    for number, (tree, settings) in enumerate((
        ({"bot.c": "int main() {}"}, {"interface": "lines", "options": {"command": "./bot"}}),
        (either, {"file": "one.py"}),
    )):  # fmt: skip
        bot = read_submission(written(tmp_path / f"{number}" / name, tree))
        assert tomllib.loads(settings_in(bot.problem)) == {"bots": {name: settings}}


FOR_PYTHON_2 = {
    "one file": ({"a.py": PYTHON_2}, "one-move"),
    "the file that fails is another": ({"Game.py": "print 1", "main.py": PYTHON_2}, "one-move"),
    "lines": ({"a.py": "import sys\nprint 'game', 'move'\nsys.stdin"}, "lines"),
}


@pytest.mark.parametrize("what", FOR_PYTHON_2)
def test_a_python_2_program_is_told_working_settings(what: str, tmp_path: Path) -> None:
    files, interface = FOR_PYTHON_2[what]
    bot = read_submission(written(tmp_path / "alice", files))
    text = settings_in(bot.problem)
    if shutil.which("python2", path=FOLDERS) is None:
        (tmp_path / "contest.toml").write_text(text)
        wished = read_contest_file(tmp_path / "contest.toml", Contest())
        with pytest.raises(InputError, match=r'"python2": there is no such .*; give its full path'):
            enter(wished, (bot,), ())
        text = text.replace("python2", sys.executable)
    (tmp_path / "contest.toml").write_text(text)
    wished = read_contest_file(tmp_path / "contest.toml", Contest())
    contest, chosen = enter(wished, (bot,), ())
    assert (chosen["alice"].problem, chosen["alice"].entry_point.interface) == (None, interface)
    assert contest.bots["alice"].overrides.options.keys() == {"interpreter"}
    plain = read_submission(written(tmp_path / "bob", {"bot.py": "print 1"}))
    assert (plain.problem or "").endswith("bots run under Python 3, where it is print(...)")


def test_a_folder_of_one_programs_files_is_one_bot(tmp_path: Path) -> None:
    alice = written(tmp_path / "alice", {"Bot.java": "", "Board.java": "", "README": ""})
    assert [s.name for s in find_roster([alice]).submissions] == ["alice"]
    written(alice / "game", {"Main.java": ""})
    assert [s.name for s in find_roster([alice]).submissions] == ["alice"]
    written(tmp_path / "bob", {"bot.c": ""})
    assert [s.name for s in find_roster([tmp_path]).submissions] == ["alice", "bob"]


def test_a_contest_file_enters_a_program_that_has_no_python_file(tmp_path: Path) -> None:
    submission = read_submission(written(tmp_path / "alice", {"maxconnect4.class": b"\xca\xfe"}))
    options = {"command": "sh maxconnect4"}
    wish = BotEntry(overrides=Overrides(interface="one-move", options=options))
    contest, chosen = enter(Contest(bots={"alice": wish}), (submission,), ())
    bot = bots_by_name(contest, tmp_path)["alice"]
    assert bot.problem is None
    assert (bot.entry_point.file, bot.entry_point.interface) == ("", "one-move")
    assert chosen["alice"].problem is None


LINES, ONE_MOVE = "lines", "one-move"
CHOICES = [
    ({"bot": ELF, "data.txt": "x"}, LINES, {}, "bot"),
    ({"bot.py": "x = 1", "rules.py": "x = 1"}, LINES, {}, "bot.py"),
    ({"a.py": "'one-move'", "b.py": ""}, ONE_MOVE, {}, "a.py"),
    ({"a.py": "print 1"}, LINES, {"interpreter": sys.executable}, "a.py"),
    ({"a.py": PYTHON_2, "b.py": "print 1"}, None, {"interpreter": sys.executable}, "a.py"),
    ({"a.py": starter("one-move")}, None, {"depth": 5}, "a.py"),
]


@pytest.mark.parametrize(("files", "interface", "options", "file"), CHOICES)
def test_the_file_to_run_is_the_one_that_can_be_it(
    files: Tree, interface: str | None, options: dict[str, object], file: str,
    tmp_path: Path,
) -> None:  # fmt: skip
    submission = read_submission(written(tmp_path / "alice", files))
    wish = BotEntry(overrides=Overrides(interface=interface, options=options))
    _, chosen = enter(Contest(bots={"alice": wish}), (submission,), ())
    assert chosen["alice"].problem is None
    point = chosen["alice"].entry_point
    assert (point.file, point.interface) == (file, interface or "one-move")


PROBLEMS: list[tuple[Tree, str]] = [
    (
        {"a.py": "", "b.py": ""},
        "several of its files could be the program (a.py, b.py); the contest file can say which: "
        'below [bots."alice"] write file = "a.py"',
    ),
    ({"a.txt": ""}, "none of its files can be run directly; the contest file must state how"),
    (
        {"a.py": PYTHON_2},
        "a.py is written for Python 2 (print statement, line 2); the contest file can name one "
        'that runs it: below [bots."alice"] write options = { interpreter = "python2" }',
    ),
]


@pytest.mark.parametrize(("files", "problem"), PROBLEMS)
def test_an_unclear_program_has_a_problem(files: Tree, problem: str, tmp_path: Path) -> None:
    lines = Overrides(interface="lines")
    found = read_submission(written(tmp_path / "alice", files), lines).problem or ""
    assert found.startswith(problem)


def test_a_program_is_executable_in_a_contest_even_if_its_archive_forgot(tmp_path: Path) -> None:
    tree: Tree = {"bot": ELF, "run.sh": "#!/bin/sh\n", "data.txt": "x"}
    (tmp_path / "alice.zip").write_bytes(zipped(tree))
    lines = Overrides(interface="lines", file="bot")
    submission = read_submission(tmp_path / "alice.zip", lines)
    submission.copy_to(tmp_path / "copy")
    modes = {path.name: path.stat().st_mode & 0o111 for path in (tmp_path / "copy").iterdir()}
    assert modes == {"bot": 0o111, "run.sh": 0o111, "data.txt": 0}
