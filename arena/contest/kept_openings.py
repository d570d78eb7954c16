"""The openings of a contest, kept in its folder.

Another version of Arena may draw others. A contest keeps its own, so that no game is replayed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from csv import DictReader
from csv import Error as CsvError
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from arena.common.errors import IllegalMoveError, InputError
from arena.common.files import write_file
from arena.common.text import counted, quote
from arena.contest.index import ScheduledGames
from arena.game.record import Bot, GameRecord
from arena.journal.mending import SetAside
from arena.openings.drawing import find_openings
from arena.openings.pool import block_of, pool_size
from arena.rules import Position, parse_moves
from arena.settings.contest import Contest

GAMES = "games.csv"
MISSING, GARBLED = "is missing", "is not as it was written"
OF_OTHERS = "has the openings of a contest with other rules or another seed"
OTHER_PLIES = "has openings of other lengths than the contest's"
OTHERS_DRAWN = "is unusable, and this Arena draws other openings than those of the games"

# What to do if the file belongs to another contest and this contest has no games.
NO_PAIR = (
    "put back the contest.toml or the openings.json of this contest: they do not belong together"
)
Openings = list[tuple[int, ...]]  # Columns of each opening, from the empty board.

# Returns the played games; called only if the file cannot be used.
GamesPlayed = Callable[[], Iterable[GameRecord]]


class Pool(NamedTuple):
    openings: Openings
    block: int
    """Size of the blocks from which a pairing draws its openings, see `arena.openings.pool`."""


def contest_openings(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> tuple[Pool, str]:
    """Return a contest's openings, and a sentence if a damaged file was moved away.

    They are those of the file `path`, else of the games `played`; missing ones are drawn, and the
    file is written. Raises InputError if openings that were played cannot be found again.
    """
    (kept, block), wrong = openings_at_hand(path, contest, bots, played)
    if not wrong:
        return Pool(kept, block), ""
    if wrong == OTHERS_DRAWN:
        raise InputError(f"{path}: {wrong}; {NO_PAIR}")
    if wrong == OTHER_PLIES:  # openings of other lengths are no longer wanted
        kept = []
    wanted = _wanted(contest, block)
    kept = kept + _found(contest, wanted - len(kept), besides=kept)
    said = ""
    with suppress(OSError):  # the file is optional
        if wrong in (GARBLED, OF_OTHERS, OTHER_PLIES):
            aside = SetAside(path.parent)
            aside.take(path)
            said = f"{path} {wrong}: it is now in {aside.path.name}/, and there is a new one"
        held = {**_terms(contest), "asked": wanted, "block": block, "openings": kept}
        write_file(path, json.dumps(held) + "\n")
    return Pool(kept[:wanted], block), said


def read_openings(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> Pool:
    """Return the openings of a contest to show it. Writes nothing.

    Raises InputError for another contest's file, or if neither file nor games have all openings.
    """
    pool, wrong = openings_at_hand(path, contest, bots, played)
    openings = pool.openings
    are_all = bool(openings) and _draws_for_pairings(contest, pool.block)
    if not wrong or (wrong == MISSING and (are_all or len(openings) == contest.schedule.openings)):
        return pool
    folder = quote(str(path.parent))
    mends = f"this makes it again, from the games that were played: arena verify {folder} --repair"
    if wrong == MISSING and not openings:
        wrong, mends = f"{MISSING}, and no game has been played yet", f"arena resume {folder}"
    elif wrong == OTHERS_DRAWN or (wrong == OF_OTHERS and not openings):
        mends = NO_PAIR
    elif wrong not in (MISSING, GARBLED, OF_OTHERS):
        mends = f"this draws others, and plays what is missing: arena resume {folder}"
    raise InputError(f"{path}: {wrong}; {mends}")


def openings_at_hand(
    path: Path, contest: Contest, bots: Mapping[str, Bot], played: GamesPlayed
) -> tuple[Pool, str]:
    """Return the known openings, and the file's defect or "".

    The defect is the rest of a sentence. Writes nothing. Draws openings only if the file is
    unusable and pairings have separate openings, as games do not show the order of these.
    """
    asked, (kept, block), wrong = _read(path, contest)
    wanted = _wanted(contest, block)
    if wrong:
        kept = _in_order(_played(played(), contest, bots), path.with_name(GAMES))
        if kept and _draws_for_pairings(contest, block):
            again = _found(contest, wanted)
            if not set(kept) <= set(again):
                return Pool([], block), OTHERS_DRAWN
            kept = again
    elif asked < wanted:
        wrong = f"has {len(kept)} of {counted(wanted, 'opening')}"
    return Pool(kept[:wanted], block), wrong


def _wanted(contest: Contest, block: int) -> int:
    return pool_size(contest.schedule.openings, contest.schedule.shared_openings, block)


def _draws_for_pairings(contest: Contest, block: int) -> bool:
    return _wanted(contest, block) > contest.schedule.openings


def _found(contest: Contest, count: int, besides: Openings | None = None) -> Openings:
    plan, besides = contest.schedule, besides or []
    found = find_openings(
        contest.rules, max(0, count), plan.seed, plan.min_plies, plan.max_plies, besides
    )
    return [opening.columns for opening in found]


def seed_at_hand(path: Path) -> int | None:
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def strange_openings(
    games: Iterable[GameRecord], contest: Contest, bots: Mapping[str, Bot], kept: Openings
) -> Openings:
    other = [game for game in games if tuple(game.columns[: game.opening_plies]) not in set(kept)]
    return _played(other, contest, bots)


def _terms(contest: Contest) -> dict[str, Any]:
    """Return the settings that decide the openings, as JSON reads them back."""
    plan = contest.schedule
    terms = {"seed": plan.seed, "min_plies": plan.min_plies, "max_plies": plan.max_plies}
    known: dict[str, Any] = json.loads(json.dumps({"rules": asdict(contest.rules), **terms}))
    return known


def _read(path: Path, contest: Contest) -> tuple[int, Pool, str]:
    """Return how many openings were asked for, the openings, and the file's defect or ""."""
    plan = contest.schedule
    nothing = Pool([], block_of(contest.rules, plan.min_plies, plan.max_plies))
    try:
        held, terms = json.loads(path.read_text(encoding="utf-8")), _terms(contest)
        other = {name for name in terms if held[name] != terms[name]}
        if other:
            return 0, nothing, OF_OTHERS if other & {"rules", "seed"} else OTHER_PLIES
        openings = [Position(contest.rules, columns).moves for columns in held["openings"]]
        block = max(1, int(held.get("block", nothing.block)))
        return int(held["asked"]), Pool(openings, block), ""
    except FileNotFoundError:
        return 0, nothing, MISSING
    except (OSError, ValueError, TypeError, KeyError, RecursionError, IllegalMoveError):
        return 0, nothing, GARBLED


def _played(records: Iterable[GameRecord], contest: Contest, bots: Mapping[str, Bot]) -> Openings:
    keys: set[str] = set()
    played: dict[tuple[int, ...], None] = {}
    for record in records:
        keys.add(record.key)
        played[tuple(record.columns[: record.opening_plies])] = None
    return [opening for opening in played if _is_of(contest, bots, opening, keys)]


def _in_order(openings: Openings, table: Path) -> Openings:
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
    try:
        games = ScheduledGames(contest, bots, [Position(contest.rules, opening).moves])
        return any(game.key.digest in keys for game in games)
    except IllegalMoveError:
        return False  # a game of a contest on another board
