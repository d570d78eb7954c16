"""What only reads, on macOS and Windows: a contest's folder that Linux made, and help."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from time import sleep
from urllib.request import urlopen

import pytest

from arena.api import run_contest
from arena.cli import COMMANDS, GROUPS
from support.bots import FIRST_FREE, LAST_FREE
from support.lens import LENS, check, needs_lens, systems, typed_there
from support.shared import contents, made_once

pytestmark = [pytest.mark.slow, needs_lens]

# Command lines in their order, each with its exit code and a part of what it prints.
READING: Mapping[str, tuple[int, str]] = {
    "rank 'a class'": (0, "Zoë"),
    "rank 'a class' --json": (0, '"rating_high"'),
    "report 'a class'": (0, "report.html"),
    "export 'a class' --to csv": (0, "Zoë"),
    "export 'a class' --games games.json": (0, "games.json"),
    "replay games.json 1": (0, "0 1 2 3 4 5 6 ----------------- |"),
    "export 'a class' --to canvas --out canvas.csv": (2, "canvas"),
    "export 'a class' --to markdown": (0, "Zoë"),
    "replay 'a class'": (0, "arena replay {class} 1"),
    "replay 'a class' 1": (0, "0 1 2 3 4 5 6 ----------------- |"),
    "replay 'a class' 1 --json": (0, '"verdict"'),
    "similar bots --results 'a class' --csv pairs.csv": (0, "no pair of 3 submissions is alike"),
    "analyse 'a class' --nodes 300": (0, "analysis.csv"),
    "exclude 'a class' ben": (0, "Zoë"),
    "exclude 'a class' ben --undo": (0, "ben"),
    "verify 'a class'": (0, "nothing is wrong"),
    "verify 'a class' --repair": (0, ""),
    "verify 'a class' --replay 2": (0, ""),
    "lab openings --openings 2": (0, "openings"),
    "lab solve 334": (0, "O to move"),
    "lab simulate --classes 2 --bots 8 --openings 1": (0, "within"),
    "lab bench --help": (0, "Lab bench needs the sandbox"),
    "new 'my bot.py'": (0, "arena check {bot}"),
    "doctor": (0, "This system has no sandbox, so bots play in home mode"),
    "doctor --json": (0, '"confines": false'),
    "--help": (0, "maxconnect4 interactive"),
    "--version": (0, "arena, version"),
}

# Wrong command lines, each with a part of the one line that they print.
WRONG: Mapping[str, str] = {
    "rnak 'a class'": "did you mean rank?",
    "rank nowhere": "nowhere: no contest in this folder",
    "rank": "Missing argument",
    "rank 'a class' 'a class'": "unexpected extra argument",
    "report nowhere": "nowhere",
    "export 'a class' --to moodel": "did you mean moodle?",
    "export nowhere --to csv": "nowhere",
    "export 'a class' --games g.json --bot nobody": "there is no bot of this name",
    "replay nowhere": "nowhere",
    "replay 'a class' 99999": "99999",
    "replay 'a class' --bot nobody": "nobody",
    "replay 'a class' --result win": "'win'",
    "analyse nowhere": "nowhere",
    "similar": "name PATHS",
    "similar nowhere": "nowhere",
    "exclude 'a class' nobody": "nobody",
    "exclude 'a class' ben --undo": "is not excluded",
    "verify nowhere": "nowhere",
    "verify notes.txt": "notes.txt",
    "lab openings --openings 0": "openings = 0: expected 1 to",
    "lab openings --rows 99": "99",
    "lab solve 9": "9",
    "lab solve 3x4": "3x4",
    "lab simulate --classes 0": "--classes",
    "lab bench --json": "needs the sandbox, which only Linux has",
    "lab scale": "needs the sandbox, which only Linux has",
    "new 'my bot.py'": "exists already",
    "new folder/deep.py": "folder",
    "new other.py --interface nothing": "nothing",
    "serve nowhere": "nowhere",
    "serve 'a class' --port 99999": "99999",
    "resume nowhere": "nowhere",
    "check nobody.py": "nobody.py",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished contest."""

    def play(folder: Path) -> None:
        bots = folder / "bots"
        bots.mkdir()
        (bots / "Zoë.py").write_text(FIRST_FREE)
        (bots / "ben.py").write_text(LAST_FREE)
        (bots / "cy.py").write_text(LAST_FREE.replace("rack", "board"))
        run_contest([bots], folder / "a class", openings=1, house=False)
        (folder / "notes.txt").write_text("notes")

    return made_once(tmp_path_factory, "reading", play)


def quoted(word: str, system: str) -> str:
    return f'"{word}"' if system == "windows" else f"'{word}'"


@systems
def test_every_command_that_reads(system: str, made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shutil.copytree(made, folder)
    before = contents(folder / "a class")
    ended = typed_there(system, folder, [(shlex.split(line), "") for line in READING])
    words = {"{class}": quoted("a class", system), "{bot}": quoted("my bot.py", system)}
    expected = {}
    for line, (code, part) in READING.items():
        for word, there in words.items():
            part = part.replace(word, there)
        expected[line] = code, part
    check(expected, ended)
    after = contents(folder / "a class")
    for name in ("crosstable.csv", "games.csv", "tallies.csv", "openings.csv"):
        assert after[name] == before[name], f"{name} is not as Linux makes it"


@systems
def test_help_is_there_for_every_command(system: str, tmp_path: Path) -> None:
    lines = [[*name.split(), "--help"] for name in (*COMMANDS, *GROUPS)]
    for words, (code, said) in zip(
        lines, typed_there(system, tmp_path, [(words, "") for words in lines]), strict=True
    ):
        assert code == 0 and said.startswith("Usage: arena "), f"{words}: {said}"


@systems
def test_a_wrong_command_line_ends_in_one_line(system: str, made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    shutil.copytree(made, folder)
    (folder / "my bot.py").write_text(FIRST_FREE)
    ended = typed_there(system, folder, [(shlex.split(line), "") for line in WRONG])
    check({line: (2, part) for line, part in WRONG.items()}, ended)
    for line, (_, said) in zip(WRONG, ended, strict=True):
        own = [each for each in said.splitlines() if not each.startswith("home mode: ")]
        assert len(own) == 1 and own[0].startswith("arena: "), f"{line}: {said}"


@systems
def test_a_contest_is_served(system: str, made: Path) -> None:
    command = [sys.executable, str(LENS), system, "-m", "arena", "serve", "a class", "--port", "0"]
    with subprocess.Popen(
        [*command, "--games", "0"],
        cwd=made,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[2]
        try:
            while "Zoë" not in urlopen(address).read().decode():
                sleep(0.1)
        finally:
            server.terminate()
            server.communicate()
        assert server.returncode == 0
