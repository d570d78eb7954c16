"""Games that exist in a folder's tables but would be missing from new ones.

After damage to a journal the tables may be all that is left of the games. So commands that only
show a contest do not replace them by tables with fewer games.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.common.text import counted, listed, one_line, quote
from arena.contest.folder import JOURNAL, ContestFolder
from arena.contest.index import index_of
from arena.contest.kept_openings import GAMES
from arena.contest.retirement import Settled
from arena.contest.settled import SettledGames
from arena.machine.facts import MACHINES, read_machines
from arena.settings.contest import ScheduledGame

RETIRED = "retired after"  # In the reason of every forfeit, in any version of Arena.
VERDICT = 20  # Characters of a verdict's name.


def shortfall(
    folder: Path, games: Sequence[ScheduledGame], settled: Settled, journal: Collection[str]
) -> Finding | None:
    """Return why new tables would lack games of the folder's tables, or None.

    `settled` are those of `games` that count now; `journal` has the digests of all its games.
    """
    resume = f"arena resume {quote(str(folder))}"
    counted_now = SettledGames.of(settled.games).digests
    index = index_of(games)
    in_table, lost, has_keys, has_others = 0, [], False, False
    try:
        with (folder / GAMES).open(encoding="utf-8", newline="") as table:
            rows = csv.reader(table)  # DictReader takes three times as long
            names = next(rows, [])
            for values in filter(None, rows):
                row = dict(zip(names, values, strict=False))
                in_table, digest = in_table + 1, row.get("key") or ""
                has_keys |= "key" in row
                if digest in counted_now:
                    continue
                if digest in journal:
                    has_others |= index.key(digest) is None
                elif index.key(digest) is not None:
                    lost.append(row)
    except (OSError, ValueError, csv.Error):
        return None
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
    if in_table <= len(settled.games):
        return None
    if has_keys and not has_others:
        return None  # the table is of other games
    return Finding(
        "contest.toml",
        f"gives, with openings.json, {counted(len(settled.games), 'game')} that were played, and "
        f"{GAMES} has {in_table:,}",
        "put these two files back from a backup; if bots or settings were changed, this plays "
        f"what is missing and writes new tables: {resume}",
    )


def foreign_journal(folder: Path, games: int) -> Finding:
    return Finding(
        JOURNAL,
        f"belongs to another contest: none of its {counted(games, 'game')} is one of these bots, "
        "with these rules, limits and seed",
        "put back the contest.toml and openings.json of this journal, or the journal of this "
        f"contest; arena resume {quote(str(folder))} plays all games again",
    )


@dataclass(frozen=True, slots=True)
class Finding:
    where: str
    """Path in the folder; a game or row may follow."""

    what: str
    """The rest of a sentence about `where`."""

    repair: str | None = None


REPAIR = "--repair"


def small_files(folder: ContestFolder) -> Iterator[Finding]:
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
