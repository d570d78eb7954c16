"""What plays on macOS and Windows, as far as a Linux machine can tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from arena.common.home import NOT_CONFINED
from support.bots import FIRST_FREE
from support.lens import check, needs_lens, seen, systems, typed_there

TESTS = Path(__file__).parents[1]
pytestmark = [pytest.mark.slow, needs_lens]
BOARD = "0000000\n" * 6 + "1\n"

# Command lines in their order, each with what it reads, its exit code and a part of what it prints.
COMMANDS: Mapping[str, tuple[str, int, str]] = {
    "new mine.py": ("", 0, "arena check mine.py"),
    "check mine.py": ("", 0, "Its first moves were legal on"),
    "check höchst/bot.py": ("", 0, "It made a legal move"),
    "match mine.py quartets --openings 1": ("", 0, "(2 games)"),
    "match mine.py broken.py --openings 1": ("", 0, "raised IndexError: "),
    "ask mine.py 3 3 4": ("", 0, "plays column"),
    "play mine.py": ("3\nquit\n", 0, "moves: 3"),
    "run mine.py höchst --openings 1 --no-house --out results": ("", 0, "results: leaderboard.csv"),
    "resume results": ("", 0, "0 to play"),
    "replay results 1": ("", 0, "wins: "),
    "rank results": ("", 0, "played in home mode: bots were not confined; not for grading"),
    "maxconnect4 one-move board.txt out.txt 2": ("", 0, ""),
    "maxconnect4 interactive board.txt human-next 2": ("3\n3\n", 0, ""),
    "match mine.py nobody.py": ("", 2, "nobody.py: no such file or folder"),
    "run mine.py mine.py --cluster local:1": ("", 2, ""),
}


@systems
def test_every_command_that_plays(system: str, tmp_path: Path) -> None:
    folder = tmp_path / "a folder with spaces"
    (folder / "höchst").mkdir(parents=True)
    (folder / "höchst" / "bot.py").write_text(FIRST_FREE)
    (folder / "broken.py").write_text("def pick_move(rack):\n    return rack[9][0]\n")
    (folder / "board.txt").write_text(BOARD)
    lines = [(words.split(), typed) for words, (typed, _, _) in COMMANDS.items()]
    ended = typed_there(system, folder, lines)
    check({words: (code, part) for words, (_, code, part) in COMMANDS.items()}, ended)
    assert all(said.count(NOT_CONFINED) <= 1 for _, said in ended)
    assert sum(map(int, re.findall(r"\d", (folder / "out.txt").read_text()))) == 3


@systems
def test_demo_bots_and_bots_of_all_courses(system: str) -> None:
    chosen = ("-k", "demo_bot or course_ or one_move or lines", "-p", "no:cacheprovider", "-n", "0")
    code, said = seen(
        system, TESTS.parent, "-m", "pytest", "-q", *chosen, "tests/home/test_verdicts.py"
    )
    assert code == 0, said
