"""The openings of a contest, kept in its folder.

A later version of Arena may have other books, or judge openings otherwise. A contest goes on with
the openings it began with, so no game is played again for that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from csv import DictReader
from csv import Error as CsvError
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

from arena.common.errors import IllegalMoveError, InputError
from arena.common.files import write_file
from arena.contest.index import ScheduledGames
from arena.game.record import Bot, GameRecord
from arena.journal.mending import SetAside
from arena.openings import find_openings
from arena.rules import Position, parse_moves
from arena.settings.contest import Contest

GAMES = "games.csv"
"""The table beside the file."""

MISSING, GARBLED = "is missing", "is not as it was written"
OF_OTHERS = "has the openings of a contest with other rules or another seed"
OTHER_PLIES = "has openings of other lengths than the contest's"
"""What can be wrong with the file, a predicate."""

NO_PAIR = "put back the contest.toml or the openings.json of this contest: they do not fit"
"""What to do about a file of others if no game was played by this contest file."""

Openings = list[tuple[int, ...]]
"""Columns of each opening, from the empty board."""

GamesPlayed = Callable[[], Iterable[GameRecord]]
"""A function that returns the games that were played, for a folder without the file."""


def contest_openings(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> tuple[Openings, str]:
    """Return the openings to play a contest from, and a sentence if a file was set aside.

    There are at most as many as its schedule asks for. They come from the file `path`, or of a
    folder that has none yet from the games that were `played`. Only what is missing is looked for;
    then the file is written, if that is possible.
    """
    plan = contest.schedule
    asked, kept, wrong = _read(path, contest)
    if wrong and wrong != OTHER_PLIES:  # else the lengths were changed, and others are wanted
        kept = _recovered(path, contest, bots, played())
    if asked >= plan.openings:
        return kept[: plan.openings], ""
    missing = max(0, plan.openings - len(kept))
    found = find_openings(
        contest.rules, missing, plan.seed, plan.min_plies, plan.max_plies, besides=kept
    )
    kept += (opening.columns for opening in found)
    said = ""
    with suppress(OSError):  # a folder that cannot be written to goes without
        if wrong and wrong != MISSING:
            aside = SetAside(path.parent)
            aside.take(path)
            said = f"{path} {wrong}: it is now in {aside.path.name}/, and there is a new one"
        held = {**_terms(contest), "asked": plan.openings, "openings": kept}
        write_file(path, json.dumps(held) + "\n")
    return kept[: plan.openings], said


def read_openings(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> Openings:
    """Return the openings that a contest is played from, to show it. Writes and draws nothing.

    Raises InputError if the file is not that of the contest, or is missing and the games that were
    `played` do not have all openings.
    """
    openings, wrong = openings_at_hand(path, contest, bots, played)
    if not wrong or (wrong == MISSING and len(openings) == contest.schedule.openings):
        return openings
    folder = quote(str(path.parent))
    mends = f"this makes it again, from the games that were played: arena verify {folder} --repair"
    if wrong == MISSING and not openings:
        wrong, mends = f"{MISSING}, and no game has been played yet", f"arena resume {folder}"
    elif wrong == OF_OTHERS and not openings:
        mends = NO_PAIR
    elif wrong not in (MISSING, GARBLED, OF_OTHERS):
        mends = f"this draws others, and plays what is missing: arena resume {folder}"
    raise InputError(f"{path}: {wrong}; {mends}")


def openings_at_hand(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> tuple[Openings, str]:
    """Return the openings of a contest as far as they are known, and what is wrong with the file.

    The latter is a predicate, empty if nothing is. No openings are looked for, and nothing is
    written.
    """
    wanted = contest.schedule.openings
    asked, kept, wrong = _read(path, contest)
    if wrong:
        kept = _recovered(path, contest, bots, played())
    elif asked < wanted:
        wrong = f"has {len(kept)} of the {wanted} openings"
    return kept[:wanted], wrong


def seed_at_hand(path: Path) -> int | None:
    """Return the seed of the contest that a file of openings belongs to; None if it has none."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def strange_openings(
    games: Iterable[GameRecord], contest: Contest, bots: Mapping[str, Bot], kept: Openings
) -> Openings:
    """Return the openings of games of this contest's bots, by its terms, that are not kept."""
    other = [game for game in games if tuple(game.columns[: game.opening_plies]) not in set(kept)]
    return _played(other, contest, bots)


def _recovered(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: Iterable[GameRecord]
) -> Openings:
    """Return the openings of games that were played, in the order in which tables have them."""
    return _in_order(_played(played, contest, bots), path.with_name(GAMES))


def _terms(contest: Contest) -> dict[str, Any]:
    """Return the terms by which openings are drawn, as JSON reads them back."""
    plan = contest.schedule
    terms = {"seed": plan.seed, "min_plies": plan.min_plies, "max_plies": plan.max_plies}
    known: dict[str, Any] = json.loads(json.dumps({"rules": asdict(contest.rules), **terms}))
    return known


def _read(path: Path, contest: Contest) -> tuple[int, Openings, str]:
    """Return how many openings were asked for, those that were found, and what is wrong.

    The last is empty, or one of MISSING, GARBLED, OF_OTHERS and OTHER_PLIES, with no openings.
    """
    try:
        held, terms = json.loads(path.read_text(encoding="utf-8")), _terms(contest)
        other = {name for name in terms if held[name] != terms[name]}
        if other:
            return 0, [], OF_OTHERS if other & {"rules", "seed"} else OTHER_PLIES
        openings = [Position(contest.rules, columns).moves for columns in held["openings"]]
        return int(held["asked"]), openings, ""
    except FileNotFoundError:
        return 0, [], MISSING
    except (OSError, ValueError, TypeError, KeyError, RecursionError, IllegalMoveError):
        return 0, [], GARBLED


def _played(records: Iterable[GameRecord], contest: Contest, bots: Mapping[str, Bot]) -> Openings:
    """The openings of this contest's games among those played, which older folders have alone."""
    keys: set[str] = set()
    played: dict[tuple[int, ...], None] = {}
    for record in records:
        keys.add(record.key)
        played[tuple(record.columns[: record.opening_plies])] = None
    return [opening for opening in played if _is_of(contest, bots, opening, keys)]


def _in_order(openings: Openings, table: Path) -> Openings:
    """Return openings in the order of a table of games, by which people know their numbers.

    Those that are not in it, or all if there is no such table, keep their order at the end.
    """
    try:
        with table.open(encoding="utf-8", newline="") as file:
            texts = dict.fromkeys(row["opening"] for row in DictReader(file))
        places = {parse_moves(text): place for place, text in enumerate(texts)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, CsvError):
        return openings
    return sorted(openings, key=lambda opening: places.get(opening, len(places)))


def _is_of(
    contest: Contest, bots: Mapping[str, Bot], opening: tuple[int, ...], keys: Iterable[str]
) -> bool:
    """Return whether a game of the contest from that opening is among the keys."""
    try:
        games = ScheduledGames(contest, bots, [Position(contest.rules, opening).moves])
        return any(game.key.digest in keys for game in games)
    except IllegalMoveError:
        return False  # of a contest on another board
