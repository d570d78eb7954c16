"""From the paths on a command line to the roster of a contest."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from shlex import quote

from arena.errors import InputError
from arena.intake.archive import is_archive, is_foreign, names_in, stem
from arena.intake.exports.guess import guess_system
from arena.intake.files import IGNORED, is_text, walk
from arena.intake.house import HOUSE, PLAYERS, demo_bots, house_player, house_submissions
from arena.intake.programs import HEAD_BYTES, is_program
from arena.intake.source import Unreadable, imported_names
from arena.intake.submission import Submission, is_one_bot, read_submission
from arena.interfaces import find_entry
from arena.quoting import one_line

A_BOT = "a .py file, a notebook, an archive (.zip, .tar.gz), or a folder with one"
"""What a path may be, for people."""

MIN_CLASS = 3
"""Folders of an archive, each with a bot, that are no longer one person's."""

NO_BOT = "a folder without a bot"

NOT_BOTS = ("*.md", "*.txt", "*.toml", "*.csv", "*.json", "*.pdf", "LICENSE*")
"""Files beside bots that nobody expects to play."""

COLLECTED = ".arena-collect.json"
"""What a folder that submissions were collected into has, and no other."""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who plays, and what lay beside them."""

    submissions: tuple[Submission, ...]
    """In the order found, each with a name of its own."""

    ignored: tuple[str, ...]
    """Files that are no bots of a kind that is read, as `path (why)`."""

    house: tuple[Submission, ...] = ()
    """The house players that were named."""


def find_submission(word: str) -> Submission:
    """One bot from a path, or the name of one that comes with Arena. Raises InputError."""
    if word in PLAYERS and not os.path.lexists(word):
        return house_player(word)
    return _or_house(_read(_there(Path(word))))


def find_roster(paths: Iterable[Path], known: Mapping[str, str] | None = None) -> Roster:
    """Every bot at the paths, each a bot, a folder of bots or the name of one of Arena's.

    Raises InputError. `known` are names that sources have already, which they keep. A folder that
    was collected from an export is a submission whatever it holds: somebody handed it in.
    """
    found: dict[Path, Submission] = {}
    house: dict[str, Submission] = {}
    ignored: list[str] = []
    for path in paths:
        if str(path) in PLAYERS and not os.path.lexists(path):
            house[str(path)] = house_player(str(path))
            continue
        path = _there(path)
        if path.is_file() and not _is_bot_file(path.name):
            raise InputError(f"{path}: not a bot; a bot is {A_BOT}")
        collected = _collected(path)
        if not collected:
            _refuse_export(path)
        if not collected and (path.is_file() or is_one_bot(path) or _is_one_program(path)):
            found.setdefault(path.resolve(), _read(path))
            continue
        for child in sorted(path.iterdir()):
            why = _why_not(child)
            if why is None or (why == NO_BOT and child.name in collected):
                found.setdefault(child.resolve(), _read(child))
            elif why:
                ignored.append(one_line(f"{child} ({why})"))
    submissions = _named(found.values(), known or {})
    return Roster(tuple(map(_or_house, submissions)), tuple(ignored), tuple(house.values()))


def _there(path: Path) -> Path:
    """The path, or where a demo bot lies that is called so. Raises InputError."""
    if os.path.exists(path):
        if not (path.is_file() or path.is_dir()):
            raise InputError(f"{path}: neither a file nor a folder")
        if not is_text(path.name):
            raise InputError(f"{path}: its name is not valid UTF-8; rename it")
        return path if path.name else path.resolve()
    demos = demo_bots()
    if str(path) not in demos:
        house = f"house players: {', '.join(PLAYERS)}; demo bots: {', '.join(demos)}"
        raise InputError(f"{path}: no such file or folder ({house})")
    return demos[str(path)]


def plain_name(text: str) -> str:
    """The text as a name that is harmless in a table, a file name and a CSV cell; maybe empty."""
    return re.sub(r"[^\w .()+-]", "_", text).strip(" .")[:60].lstrip("+-")


def _refuse_export(path: Path) -> None:
    """Raise InputError for what holds the submissions of a whole class, as it was downloaded."""
    if path.is_dir():
        names = [f"{child.name}/" if child.is_dir() else child.name for child in path.iterdir()]
        system, is_class = guess_system(names), False
    elif is_archive(path.name):
        system = guess_system(names_in(path), stem(path.name))
        is_class = system is None and _is_class(_read(path))
    else:
        return
    if system is not None or is_class:
        what = f"an export of {system}" if system else "the submissions of a whole class"
        first = f"arena collect {quote(str(path))} --into DIR"
        raise InputError(f"{path} looks like {what}; first: {first}")


def _is_class(archive: Submission) -> bool:
    """Whether the bots in an archive are several people's: in folders that share nothing."""
    names = archive.files
    while len(tops := {name.split("/")[0] for name in names}) == 1 and "/" in names[0]:
        names = tuple(name.partition("/")[2] for name in names)
    below = len(archive.files[0]) - len(names[0]) if names else 0
    bots = {file[below:]: tree for file, tree in archive.trees().items() if find_entry(tree)}
    stems = tops | {PurePosixPath(name).stem for name in bots}
    apart = all("/" in name and not imported_names(bots[name]) & stems
                - {PurePosixPath(name).stem} for name in bots)  # fmt: skip
    return apart and len({name.split("/")[0] for name in bots}) >= MIN_CLASS


def _collected(folder: Path) -> set[str]:
    """Names of the folders in it that were collected from an export."""
    try:
        lines = (folder / COLLECTED).read_text(encoding="utf-8").splitlines()
        return {entry["path"] for entry in map(json.loads, lines) if entry.get("path")}
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return set()  # nothing was, or nobody can tell


def _why_not(path: Path) -> str | None:
    """Why something in a folder of bots is none: empty if it goes without saying."""
    if path.name.startswith("._") or path.name in (*IGNORED, "__init__.py"):
        return ""
    if path.name.startswith("."):
        return "hidden" if path.suffix == ".py" else ""
    if not is_text(path.name):
        return "its name is not valid UTF-8"
    if path.is_symlink():
        return "a symbolic link"
    if path.is_dir():
        return None if _holds_source(path) else NO_BOT
    if _is_bot_file(path.name):
        return None if path.is_file() else "not a regular file"
    return "" if any(path.match(pattern) for pattern in NOT_BOTS) else "not a bot"


def _is_bot_file(name: str) -> bool:
    """Whether a file of that name can be a bot."""
    return name.endswith((".py", ".ipynb")) or is_archive(name) or is_foreign(name)


def _holds_source(folder: Path) -> bool:
    """Whether there is a bot's file in it, or no telling: then reading it says why."""
    try:
        return any(_is_bot_file(name) or _is_program(folder / name) for name in walk(folder))
    except (Unreadable, OSError):
        return True


def _is_one_program(folder: Path) -> bool:
    """Whether a folder is one program with its files, and not a folder of bots."""
    children = sorted(folder.iterdir())
    if any(_why_not(child) is None for child in children):
        return False
    files = (child for child in children if child.is_file() and not child.is_symlink())
    return any(os.access(path, os.R_OK) and _is_program(path) for path in files)


def _is_program(path: Path) -> bool:
    """Whether a file is a program or the source of one. Raises OSError."""
    with path.open("rb") as file:
        return is_program(path.name, file.read(HEAD_BYTES))


def _read(path: Path) -> Submission:
    try:
        return read_submission(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _or_house(submission: Submission) -> Submission:
    """The house player that a submission is, if it is its file and goes by its name."""
    if submission.name in HOUSE:
        player = house_player(submission.name)
        if player.content_hash == submission.content_hash:
            return player
    return submission


def _named(submissions: Iterable[Submission], known: Mapping[str, str]) -> tuple[Submission, ...]:
    """The same with names that are unique and harmless in a table, a file name or a CSV cell.

    Names that differ only in case count as the same. Those of house players are taken, but for the
    files of those that enter every contest.
    """
    submissions = list(submissions)
    house = {player.name: player.content_hash for player in house_submissions()}
    levels = set(PLAYERS) - house.keys()
    known = {source: name for source, name in known.items() if name.casefold() not in levels}
    taken = {known[str(s.source)].casefold() for s in submissions if str(s.source) in known}
    taken |= levels
    named = []
    for submission in submissions:
        name = known.get(str(submission.source), "")
        if not name:
            plain = plain_name(submission.name)
            name, number = plain or "bot", 2
            while name.casefold() in taken or (
                house.get(name.casefold(), submission.content_hash) != submission.content_hash
            ):
                name, number = f"{plain or 'bot'}-{number}", number + 1
        taken.add(name.casefold())
        named.append(replace(submission, name=name))
    return tuple(named)
