"""Games that the tables in a contest's folder have, and new ones would not.

The tables may be all that is left of games: of a journal that was lost, damaged or exchanged, or of
an Arena with other rules. So what only shows a contest does not write tables with fewer games.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from arena.common.text import counted, listed, one_line
from arena.contest.folder import JOURNAL, ContestFolder
from arena.contest.kept_openings import GAMES
from arena.contest.retirement import Settled
from arena.machine.facts import MACHINES, read_machines

RETIRED = "retired after"
"""Stands in the reason of every game that was forfeited, in any version of Arena."""

VERDICT = 20
"""Characters of a verdict's name."""

TableRow = Mapping[str, str | None]


def shortfall(folder: Path, settled: Settled, journal: Collection[str]) -> Finding | None:
    """Return why tables made now would have fewer games than there are in the folder, or None.

    `settled` are the games as they count now, and `journal` the digests of all games in the
    journal. The finding ends with the command that gets the games back.
    """
    rows = _rows(folder / GAMES)
    resume = f"arena resume {quote(str(folder))}"
    due = {game.key.digest for game in settled.open}.difference(journal)
    lost = [row for row in rows if row.get("key") in due]
    if lost and all(RETIRED in (row.get("reason") or "") for row in lost):
        verdicts = sorted({one_line(row.get("verdict") or "", VERDICT) for row in lost})
        return Finding(
            GAMES,
            f"has {counted(len(lost), 'forfeit')} of bots that an earlier Arena, or other "
            f"settings, retired for {listed(verdicts)}; now they are not retired for that, so "
            "these games are missing",
            f"this plays them and writes new tables: {resume}",
        )
    if lost:
        missing = len({row.get("key") for row in lost})
        it = "it" if missing == 1 else "them"
        what = f"lacks {counted(missing, 'game')} that {GAMES} has"
        return Finding(JOURNAL, what, f"play {it} again: {resume}")
    if len(rows) <= len(settled.games):
        return None
    scheduled = {game.key.digest for game, _, _ in settled.games}
    scheduled.update(game.key.digest for game in settled.open)
    kept = {row.get("key") for row in rows}.intersection(journal) - scheduled
    if not kept and "key" in rows[0]:
        return None  # a table of strangers' games
    return Finding(
        "contest.toml",
        f"gives, with openings.json, {counted(len(settled.games), 'game')} that were played, and "
        f"{GAMES} has {len(rows):,}",
        "put these two files back from a backup; if bots or settings were changed, this plays "
        f"what is missing and writes new tables: {resume}",
    )


def foreign_journal(folder: Path, games: int) -> Finding:
    """Return what to say of a journal that has this number of games, none of them the contest's."""
    return Finding(
        JOURNAL,
        f"belongs to another contest: none of its {counted(games, 'game')} is one of these bots, "
        "with these rules, limits and seed",
        "put back the contest.toml and openings.json of this journal, or the journal of this "
        f"contest; arena resume {quote(str(folder))} plays all games again",
    )


def _rows(table: Path) -> list[TableRow]:
    """Return the rows of a table of games; none if there is no table that can be read."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error):
        return []


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a contest's folder that is not as it must be."""

    where: str
    """The file, relative to the folder, perhaps with a game or a row of it."""

    what: str
    """What is wrong there, a predicate."""

    repair: str | None = None
    """What to do, an imperative; None if nothing can be done."""


REPAIR = "--repair"
"""The option that repairs, as sentences name it."""


def small_files(folder: ContestFolder) -> Iterator[Finding]:
    """Yield which of the small files that a run writes again are not as they were written."""
    if folder.round.exists():
        try:
            held = json.loads(folder.round.read_text("utf-8"))["round"]
            is_whole = isinstance(held, list) and all(isinstance(key, str) for key in held)
        except (OSError, ValueError, TypeError, KeyError):
            is_whole = False
        if not is_whole:
            again = f"{REPAIR} sets it aside, and the next arena resume chooses a round"
            yield Finding(folder.round.name, "is not as it was written", again)
    if (folder.path / MACHINES).exists() and not read_machines(folder.path):
        again = f"{REPAIR} sets it aside; no result depends on it"
        yield Finding(MACHINES, "is not as it was written", again)
