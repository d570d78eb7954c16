"""What a bot can find out about others and other games, from real processes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from arena.game.bot_process import Zygote
from arena.host.protocol import BotSpec
from support.bots import MakeBot, MakePlayer, printed

FINDS = """
import ctypes, re
def finds(word):
    # a pattern that does not match itself, made of a word that is never in memory whole
    pattern = re.compile("".join(f"[{c}]" for c in word.split(".")).encode())
    for line in open("/proc/self/maps"):
        where, mode = line.split()[:2]
        if mode.startswith("rw"):
            first, last = (int(end, 16) for end in where.split("-"))
            if pattern.search((ctypes.c_char * (last - first)).from_address(first)):
                return True
    return False
mine = "".join(["wei", "denka", "tzchen"])
def pick_move(rack):
    words = open("words.txt").read().split()
    print("found", [finds(word) for word in words], finds(".".join(mine)))
    return 1 // 0
"""


def test_nothing_of_its_opponent_is_in_its_memory(
    zygote: Zygote, make_bot: MakeBot, make_player: MakePlayer
) -> None:
    other = make_bot()
    spec = BotSpec(
        root=other.root,
        entry_point=replace(
            other.entry_point, options={str(number): "zaubermarke" for number in range(300)}
        ),
    )
    ended = zygote.start(spec)
    zygote.end(ended)
    opponent = zygote.start(spec)
    secrets = "zaubermarke", other.root, Path(opponent.root).name
    player = make_player(FINDS)
    (Path(player._bot.root) / "words.txt").write_text(" ".join(map(".".join, secrets)))
    assert printed(player) == ["found [False, False, False] True"]
    zygote.end(opponent)


LOOKS = """
import os
def pick_move(rack):
    about = os.stat(__file__)
    print(about.st_ino, about.st_mtime_ns, about.st_nlink)
    return 1 // 0
"""


def test_its_files_are_its_own_and_tell_no_time(make_player: MakePlayer) -> None:
    player = make_player(LOOKS)
    original = Path(player._bot.root) / "bot.py"
    os.utime(original, (0, 1))  # so that to read it would make it new
    number, changed, names = printed(player)[0].split()
    assert (number != str(original.stat().st_ino), changed, names) == (True, "0", "1")
    assert original.stat().st_atime_ns == 0


CHANGES = """
import os
table = os.path.join(os.path.dirname(__file__), "data", "table.txt")
def pick_move(rack):
    with open("results.txt", "a") as bare, open(table, "a") as own:
        print(bare.tell(), own.tell(), sorted(os.listdir()), os.listdir("data"))
        bare.write("another game\\n")
        own.write("more")
    {change}
    return 1 // 0
"""

CHANGED = (
    "pass",
    "os.remove('bot.py')",
    "os.rename('data', 'moved')",
    "open('data/new.txt', 'w').close()",
    "os.remove('results.txt'); os.symlink('bot.py', 'results.txt')",
    "os.remove('bot.py'); os.mkdir('bot.py'); os.makedirs('a/b'); open('a/b/c', 'w').close()",
)


def test_it_may_change_what_it_brought_along_and_finds_it_as_it_was_in_the_next_game(
    make_player: MakePlayer,
) -> None:
    for change in CHANGED:
        player = make_player(dedent(CHANGES).format(change=change))
        root = Path(player._bot.root)
        (root / "data").mkdir()
        (root / "results.txt").write_text("from home\n")
        (root / "data/table.txt").write_text("0123")
        lines = printed(player, games=2)
        assert lines == ["10 4 ['bot.py', 'data', 'results.txt'] ['table.txt']"], change
        assert (root / "results.txt").read_text() == "from home\n"
