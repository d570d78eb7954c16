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
from typing import Any

from arena.contest.config import Contest
from arena.contest.scheduled_games import ScheduledGames
from arena.errors import IllegalMoveError
from arena.openings import find_openings
from arena.referee import Bot, GameRecord
from arena.rules import Position, parse_moves
from arena.writing import write_file

GAMES = "games.csv"
"""The table beside the file."""

Openings = list[tuple[int, ...]]
"""Columns of each opening, from the empty board."""


def contest_openings(
    path: Path,
    contest: Contest,
    bots: Mapping[str, Bot],
    played: Callable[[], Iterable[GameRecord]],
) -> Openings:
    """Return the openings of a contest, at most as many as its schedule asks for.

    They come from the file `path`, or of a folder that has none yet from the games that were
    `played`. Only what is missing is looked for; then the file is written, if that is possible.
    """
    plan = contest.schedule
    asked, kept = _read(path, contest) or (0, _recovered(path, contest, bots, played()))
    if asked < plan.openings:
        missing = max(0, plan.openings - len(kept))
        found = find_openings(
            contest.rules, missing, plan.seed, plan.min_plies, plan.max_plies, besides=kept
        )
        kept += (opening.columns for opening in found)
        _write(path, contest, kept)
    return kept[: plan.openings]


def openings_at_hand(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: Iterable[GameRecord]
) -> tuple[Openings, str]:
    """Return the openings of a contest as far as they are known, and what is wrong with the file.

    The latter is a predicate, empty if nothing is. No openings are looked for, and nothing is
    written.
    """
    read, wanted = _read(path, contest), contest.schedule.openings
    if read is None:
        wrong = "is not as it was written" if path.exists() else "is missing"
        return _recovered(path, contest, bots, played)[:wanted], wrong
    asked, kept = read
    if not asked:
        return [], "has the openings of a contest with other rules, seed or plies"
    short = asked < wanted
    wrong = f"has {len(kept)} of the {wanted} openings" if short else ""
    return kept[:wanted], wrong


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


def _read(path: Path, contest: Contest) -> tuple[int, Openings] | None:
    """Return how many openings were asked for, and those that were found.

    (0, []) if the file has those of a contest on other terms; None if there is no file as Arena
    wrote it.
    """
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        if {name: held[name] for name in _terms(contest)} != _terms(contest):
            return 0, []
        openings = [Position(contest.rules, columns).moves for columns in held["openings"]]
        return int(held["asked"]), openings
    except (OSError, ValueError, TypeError, KeyError, IllegalMoveError):
        return None


def _write(path: Path, contest: Contest, openings: Openings) -> None:
    """Write the file whole or not at all; a folder that cannot be written to goes without."""
    held = {**_terms(contest), "asked": contest.schedule.openings, "openings": openings}
    with suppress(OSError):
        write_file(path, json.dumps(held) + "\n")


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
