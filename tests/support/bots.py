"""Bots that tests enter, and the keys of their games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

from arena.intake import house_folder, house_player
from arena.referee import Bot, GameKey, GameRecord, Limits
from arena.referee.bot_player import BotPlayer
from arena.rules import Ruleset

FIRST_FREE = "def pick_move(rack):\n    return [c[-1] for c in rack].index(0)\n"
LAST_FREE = (
    "def pick_move(rack):\n    return max(c for c in range(len(rack)) if rack[c][-1] == 0)\n"
)

MakeBot = Callable[..., Bot]
MakePlayer = Callable[..., BotPlayer]
MakeProgram = Callable[..., BotPlayer]
HandIn = Callable[..., Bot]
Against = Callable[..., GameRecord]


def key(first: Bot, second: Bot, **changes: object) -> GameKey:
    """A game key with the usual rules, but for what is named."""
    values: dict[str, object] = {
        "rules": Ruleset(),
        "limits": Limits(),
        "opening": (),
        "first": first,
        "second": second,
        "seed": 1,
    }
    return GameKey(**(values | changes))  # type: ignore[arg-type]


def house_bot(name: str, **options: object) -> Bot:
    """A house player as a contest seats it, with these options of a contest file."""
    player = house_player(name)
    return Bot(
        content_hash=player.content_hash,
        root=str(player.source if player.source.is_dir() else house_folder()),
        file=player.file,
        interface=player.interface,
        entry=player.entry,
        options={**player.options, **options},
        engine=player.engine,
    )


def program(
    folder: Path, interface: str, files: str | dict[str, str | bytes], **options: object
) -> Bot:
    """A bot that is a program: the source of its `bot.py`, or files by name, the first one run."""
    folder.mkdir()
    files = {"bot.py": files} if isinstance(files, str) else files
    for name, text in files.items():
        data = text if isinstance(text, bytes) else dedent(text).encode()
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755)
    return Bot(
        content_hash=folder.name,
        root=str(folder),
        file="" if "command" in options else next(iter(files)),
        interface=interface,
        entry=interface,
        options=options,
        profile="program",
    )
