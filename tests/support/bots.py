"""Bots that tests enter, and the keys of their games."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Any

from arena.game.bot_player import BotPlayer
from arena.game.limits import Limits
from arena.game.player import Fault
from arena.game.record import Bot, GameKey, GameRecord
from arena.game.verdict import Verdict
from arena.intake.house_players import house_player
from arena.intake.submission import Submission
from arena.interfaces import EntryPoint
from arena.rules import Ruleset

FIRST_FREE = "def pick_move(rack):\n    return [c[-1] for c in rack].index(0)\n"
LAST_FREE = (
    "def pick_move(rack):\n    return max(c for c in range(len(rack)) if rack[c][-1] == 0)\n"
)

CLASSIC = Ruleset()
MakeBot = Callable[..., Bot]
MakePlayer = Callable[..., BotPlayer]
MakeProgram = Callable[..., BotPlayer]
HandIn = Callable[..., Bot]
Against = Callable[..., GameRecord]


def key(first: Bot, second: Bot, **changes: object) -> GameKey:
    """Return a game key with the usual rules and the given changes."""
    values: dict[str, object] = {
        "rules": Ruleset(),
        "limits": Limits(),
        "opening": (),
        "first": first,
        "second": second,
        "seed": 1,
    }
    return GameKey(**(values | changes))  # type: ignore[arg-type]


def record(
    key: GameKey, columns: tuple[int, ...], verdict: Verdict, winner: int | None, **changes: Any
) -> GameRecord:
    """Return a game's record with usual values and the given changes."""
    asked = len(columns) - len(key.opening)
    values: dict[str, Any] = {
        "key": key.digest,
        "columns": columns,
        "opening_plies": len(key.opening),
        "charged_ns": (5,) * asked,
        "nodes": (-1,) * asked,
        "winner": winner,
        "verdict": verdict,
        "reason": "made up",
    }
    return GameRecord(**(values | changes))


def bots_in(folder: Path, **sources: str) -> Path:
    """Create a folder with a one-file bot for each name."""
    folder.mkdir(exist_ok=True)
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    return folder


def first_answer(
    player: BotPlayer,
    seat: int = 0,
    rules: Ruleset = CLASSIC,
    opening: tuple[int, ...] = (),
) -> tuple[int, int, int] | Fault:
    """Return a bot's first answer, (column, nanoseconds, nodes), or its fault."""
    return player.sit(seat, rules, opening, 5) or player.ask(-1)


def first_move(player: BotPlayer, *game: Any) -> tuple[int, int, int]:
    answer = first_answer(player, *game)
    assert not isinstance(answer, Fault), answer.reason
    return answer


def first_fault(player: BotPlayer, *game: Any) -> Fault:
    answer = first_answer(player, *game)
    assert isinstance(answer, Fault), answer
    return answer


def printed(player: BotPlayer, games: int = 1) -> list[str]:
    """Return what a bot prints in its last game, which ends with a ZeroDivisionError."""
    for _ in range(games):
        fault = first_fault(player)
        assert "ZeroDivisionError" in fault.reason, fault.reason
    return player.dismiss().split("Traceback")[0].splitlines()


def group(leader: int) -> list[int]:
    """The processes of a process group, its leader first."""
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with suppress(ProcessLookupError):
            if os.getpgid(pid) == leader:
                found.append(pid)
    return sorted(found, key=lambda pid: pid != leader)


def house_bot(name: str, **options: object) -> Bot:
    """Return a house player as a contest enters it, with options of a contest file."""
    player = house_player(name)
    return Bot(
        content_hash=player.content_hash,
        root=f"{_alone(name).name}/{name}",
        entry_point=replace(player.entry_point, options={**player.entry_point.options, **options}),
    )


@cache
def _alone(name: str) -> TemporaryDirectory[str]:
    """Return a folder with this house player only: each load copies all that is there."""
    folder = TemporaryDirectory()
    house_player(name).copy_to(Path(folder.name, name))
    return folder


def program(
    folder: Path, interface: str, files: str | dict[str, str | bytes], **options: object
) -> Bot:
    """Create a bot that is a program.

    `files` is the source of its `bot.py`, or files by name, the first of which runs.
    """
    folder.mkdir()
    files = {"bot.py": files} if isinstance(files, str) else files
    for name, text in files.items():
        data = text if isinstance(text, bytes) else dedent(text).encode()
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o755)
    return Bot(
        content_hash=folder.name,
        root=str(folder),
        entry_point=EntryPoint(
            file="" if "command" in options else next(iter(files)),
            interface=interface,
            name=interface,
            options=options,
        ),
    )


def as_entered(
    found: Submission, folder: Path, *, has_budget: bool = True, **settings: object
) -> Bot:
    """Return a submission in a folder as a bot with these settings."""
    return Bot(
        content_hash=found.content_hash,
        root=str(folder),
        entry_point=replace(found.entry_point, **settings),  # type: ignore[arg-type]
        problem=found.problem,
        has_budget=has_budget,
    )


def pick_move_in(file: str, **settings: object) -> EntryPoint:
    return EntryPoint(
        file=file,
        interface="pick_move",
        name="pick_move",
        **settings,  # type: ignore[arg-type]
    )
