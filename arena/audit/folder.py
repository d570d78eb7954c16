"""Checking a contest's folder against the games and the rules, and repairing it.

A check changes and trusts nothing: it reads a copy of the journal, replays its games and hashes the
bots' files again. A repair deletes nothing: what it replaces goes into a folder `set-aside-1/`,
rows of the journal as lines of JSON.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.analysis.analysis import VERSION as ANALYSIS_VERSION
from arena.analysis.analysis import GameAnalysis
from arena.audit.row_check import analysis_contradiction, contradiction, implausible, unreadable
from arena.common.errors import ForeignJournalError, InputError, StorageError, UnreadableError
from arena.common.names import MAX_NAME, PLAYERS, plain_name
from arena.common.text import counted, one_line, quote, some_of
from arena.contest.entries import bots_by_name
from arena.contest.folder import JOURNAL, PUT_BACK, ContestFolder, no_gc
from arena.contest.history import HISTORY, ROUNDS, read_history
from arena.contest.index import ScheduledGames
from arena.contest.kept_openings import (
    NO_PAIR,
    OF_OTHERS,
    OTHERS_DRAWN,
    Openings,
    Pool,
    openings_at_hand,
    strange_openings,
)
from arena.contest.lost_games import REPAIR, Finding, foreign_journal, small_files
from arena.contest.people import EXCLUDED, read_rows, with_excluded
from arena.game.record import Bot, GameKey, GameRecord
from arena.intake.files import content_hash, folder_files
from arena.intake.house_players import house_player
from arena.intake.submission import Submission, read_submission
from arena.journal.database import FORMAT, Journal
from arena.journal.mending import SetAside, is_half_mended, journal_copy
from arena.journal.packed import games_of
from arena.journal.rows import JournalRow, analysis_of
from arena.machine.facts import MACHINES
from arena.settings.contest import BotEntry, Contest, ScheduledGame

NAMED = 3  # Bots or files named in a sentence; the others are counted.

# Yields the games that it gets, and may show progress.
Ticker = Callable[[list[GameRecord]], Iterable[GameRecord]]


@dataclass(kw_only=True)
class Checked:
    contest: Contest
    is_running: bool
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    games: list[ScheduledGame] = field(default_factory=list)
    records: dict[str, GameRecord] = field(default_factory=dict)
    analyses: dict[str, GameAnalysis] = field(default_factory=dict)
    wrong: dict[str, dict[Any, str]] = field(default_factory=dict)
    """By table of the journal: keys of impossible rows, each with its defect."""

    stale: list[str] = field(default_factory=list)
    is_damaged: bool = False
    has_games: bool = False
    has_tables: bool = False


def check(folder: ContestFolder, watch: Ticker) -> Checked:
    """Check a folder except its tables and pages.

    Raises InputError without a contest or for a newer Arena's journal, and StorageError.
    """
    try:
        contest = folder.read()
    except InputError as error:
        if not folder.has_journal:
            raise
        text = str(error).removeprefix(f"{folder.path}/")
        what, put_back, again = text.partition("; put it back")
        where = EXCLUDED if text.startswith(EXCLUDED) else folder.configuration.name
        what = f"cannot be read: {what}" if folder.is_contest else "is missing"
        unread = Finding(where, what, put_back.removeprefix("; ") + again or None)
        return Checked(contest=Contest(), is_running=folder.is_in_use, findings=[unread])
    checked = Checked(contest=contest, is_running=folder.is_in_use)
    checked.findings += (*_no_files(folder), *_no_names(contest))
    if checked.findings:
        return checked  # reading such files might block, or lead out of the folder
    checked.findings += snapshot_findings(folder.snapshots, contest)
    _check_roster(folder, checked)
    checked.findings += (*_history_findings(folder), *small_files(folder))
    path = folder.path / JOURNAL
    if not path.exists() or not path.stat().st_size:
        state = "is empty" if path.exists() else "is missing"
        checked.findings.append(Finding(JOURNAL, f"{state}, and with it every game", _lost(folder)))
        return checked
    if is_half_mended(path) and not checked.is_running:
        again = f"{REPAIR} finishes it"
        checked.findings.append(
            Finding(JOURNAL, "is damaged, and its repair was interrupted", again)
        )
        checked.is_damaged = True
    try:
        with journal_copy(path) as journal, no_gc():
            _check_journal(folder, journal, checked, watch)
    except ForeignJournalError:
        what = "is a database of another program"
        checked.findings.append(Finding(JOURNAL, what, f"move it away, {_lost(folder)}"))
    return checked


def _no_files(folder: ContestFolder) -> Iterator[Finding]:
    own = (folder.openings, folder.round, folder.roster, folder.pseudonym_key)
    for path in (*own, *(folder.path / name for name in (JOURNAL, MACHINES, HISTORY))):
        if path.exists() and not path.is_file():
            yield Finding(path.name, "is not a file", "remove it, or restore the file")


def _no_names(contest: Contest) -> Iterator[Finding]:
    """Yield findings for bots whose names are unsafe as file names: their pages would have them."""
    for name in contest.bots:
        if plain_name(name) != name:
            what = f"has a bot with the invalid name {one_line(name, MAX_NAME)!r}"
            yield Finding("contest.toml", what, "put the file back from a backup")


def _check_roster(folder: ContestFolder, checked: Checked) -> None:
    name = folder.roster.name
    if not folder.roster.exists():
        return
    try:
        folder.people(checked.contest)
        rows = read_rows(folder.roster)
    except InputError as error:
        what = f"cannot be read: {str(error).removeprefix(f'{folder.path}/')}"
        checked.findings.append(Finding(name, what, "correct that line by hand"))
        return
    bots = dict.fromkeys(row.cells.get("bot", "") for row in rows)
    if unknown := [bot for bot in bots if bot and bot not in checked.contest.bots]:
        checked.notes.append(
            f"{name} names bots that are not in this contest: {some_of(unknown, NAMED)}"
        )


def _history_findings(folder: ContestFolder) -> Iterator[Finding]:
    rounds = [path for path in (folder.path / ROUNDS).glob("*") if path.is_dir()]
    if len(rounds) > 1 and not (folder.path / HISTORY).exists():
        what = f"is missing, and {ROUNDS}/ has {len(rounds)} rounds"
        yield Finding(HISTORY, what, f"{PUT_BACK}, or move {ROUNDS}/ away to begin a new history")
    try:
        read_history(folder.path)
    except InputError as error:
        what, _, again = str(error).removeprefix(f"{folder.path}/").rpartition("; ")
        yield Finding(HISTORY, f"cannot be read: {what}", again)


def _check_journal(
    folder: ContestFolder, journal: Journal, checked: Checked, watch: Ticker
) -> None:
    if journal.mended:
        what = journal.mended.removeprefix(f"{folder.path / JOURNAL} ")
        checked.is_damaged = True
        again = f"{REPAIR} puts these in a new journal, and keeps the damaged one"
        again = again if journal.keys() else _lost(folder)
        checked.findings.append(Finding(JOURNAL, what, again))
    if journal.format < FORMAT:
        checked.notes.append(
            f"{JOURNAL} has format {journal.format}, of an earlier Arena; the next command that "
            f"writes converts it to format {FORMAT}"
        )
    contest = checked.contest
    bots = bots_by_name(contest, folder.snapshots)
    checked.records = _readable(journal, checked)
    played = checked.records.values()
    pool, wrong = openings_at_hand(folder.openings, contest, bots, lambda: played)
    if wrong and (played or folder.openings.exists()):
        again = f"{REPAIR} completes it from the games, or draws what is missing"
        if wrong == OTHERS_DRAWN or (wrong == OF_OTHERS and not pool.openings):
            again = NO_PAIR
        checked.findings.append(Finding(folder.openings.name, wrong, again))
    checked.games = list(ScheduledGames(contest, bots, *pool))
    keys = {game.key.digest: game for game in checked.games}
    checked.has_games = not checked.records.keys().isdisjoint(keys)
    excluded = _keys_of_excluded(contest, bots, pool)
    if of_excluded := len(checked.records.keys() & excluded.keys() - keys.keys()):
        checked.notes.append(
            f"kept, without counting: {counted(of_excluded, 'game')} of bots in {EXCLUDED}"
        )
    known = excluded.keys() | keys.keys()
    strays = [record for key, record in checked.records.items() if key not in known]
    if strays and checked.has_games:
        checked.notes.append(
            f"kept, without counting: {counted(len(strays), 'game')} of bots or settings that the "
            "contest had before; their rules are not known, so only their numbers were checked"
        )
        strange = strange_openings(strays, contest, bots, pool.openings)
        _check_openings(folder, checked, strange)
    if strays and not checked.has_games:
        checked.findings.append(foreign_journal(folder.path, len(strays)))
    for record in watch(list(played)):
        game = keys.get(record.key)
        key = game.key if game else excluded.get(record.key)
        why = contradiction(record, key) if key else implausible(record)
        if why:
            _set_wrong(checked, "games", record.key, why, game)
    _check_analyses(journal, checked)
    if retakes := sum(len(record.retakes) for record in checked.records.values()):
        shown = f"arena verify {quote(str(folder.path))} shows why"
        checked.notes.append(f"bots had {counted(retakes, 'retry')} of games or moves; {shown}")


def _keys_of_excluded(contest: Contest, bots: Mapping[str, Bot], pool: Pool) -> dict[str, GameKey]:
    if all(bot.excluded is None for bot in contest.bots.values()):
        return {}
    games = ScheduledGames(with_excluded(contest, ()), bots, *pool)
    return {game.key.digest: game.key for game in games}


def _readable(journal: Journal, checked: Checked) -> dict[str, GameRecord]:
    def rows() -> Iterator[JournalRow]:
        for row in journal.rows("games"):
            if why := unreadable(row):
                _set_wrong(checked, "games", row[0], why, None)
            else:
                yield row

    return {record.key: record for record in journal.with_retakes(games_of(rows()))}


def _check_openings(folder: ContestFolder, checked: Checked, strange: Openings) -> None:
    """Check that the kept openings are those of the played games.

    Games with former settings have other openings too; but then each kept opening that every
    pairing plays has a game.
    """
    played = {game.key.opening for game in checked.games if game.key.digest in checked.records}
    met = Counter(game.key.opening for game in checked.games)
    kept = {opening for opening, games in met.items() if games == max(met.values())}
    if strange and kept - played:
        checked.findings.append(
            Finding(
                folder.openings.name,
                f"lacks {counted(len(strange), 'opening')} that these bots played from, and has "
                f"{len(kept - played)} without a game",
                f"put it back from a backup; {REPAIR} makes it of those that were played",
            )
        )


def _check_analyses(journal: Journal, checked: Checked) -> None:
    rules = checked.contest.rules
    scheduled = {game.key.digest for game in checked.games}
    wrong = checked.wrong.get("games", {})
    for row in journal.rows("analyses"):
        key, version, nodes, *_ = row
        record = checked.records.get(key)
        why = ""
        if record is None and key not in wrong:
            why = "is of a game that the journal does not have"
        elif record is not None and key in scheduled and version == ANALYSIS_VERSION:
            why = "" if key in wrong else analysis_contradiction(row, record, rules)
        if why:
            _set_wrong(checked, "analyses", key, why, None)
        elif key in scheduled and key not in wrong and version == ANALYSIS_VERSION:
            best = checked.analyses.get(key)
            if best is None or best.nodes < nodes:
                checked.analyses[key] = analysis_of(row)
    for key in wrong:
        checked.records.pop(key, None)
    for key in checked.wrong.get("analyses", ()):
        checked.analyses.pop(key, None)


def _set_wrong(
    checked: Checked, table: str, key: object, why: str, game: ScheduledGame | None
) -> None:
    checked.wrong.setdefault(table, {})[key] = why
    what = "game" if table == "games" else "analysis of game"
    called = f"{what} {one_line(str(key), 40)}"
    if game is not None:
        called = f"{what} {game.number} ({game.first} – {game.second})"
    moved = f"{REPAIR} sets it aside"
    again = f"{moved}; arena resume then plays it again" if game is not None else moved
    checked.findings.append(Finding(f"{JOURNAL}, {called}", why, again))


def _lost(folder: ContestFolder) -> str:
    resume = f"arena resume {quote(str(folder.path))}"
    return f"put it back from a backup, or play the games again: {resume}"


FOLDER = re.compile(r"[0-9a-f]{16}")  # A snapshot's folder: its hash.
STRANGE = "contains foreign files"


def snapshot_findings(snapshots: Path, contest: Contest) -> Iterator[Finding]:
    names: dict[str, list[str]] = {}
    for name, entry in contest.bots.items():
        names.setdefault(entry.content_hash or "", []).append(name)
    there = {path.name for path in snapshots.iterdir()} if snapshots.is_dir() else set()
    for digest in sorted(names.keys() | {name for name in there if FOLDER.fullmatch(name)}):
        bots = names.get(digest, [])
        whose = f"the files of {some_of(bots, NAMED)}" if bots else "files of a bot that left"
        if not FOLDER.fullmatch(digest):
            what = f"gives {some_of(bots, NAMED)} no hash of files"
            yield Finding("contest.toml", what, "put the file back from a backup")
        elif wrong := _wrong(snapshots / digest, is_there=digest in there):
            again = f"{REPAIR} sets it aside"
            if bots and not wrong.startswith(STRANGE):
                again = _put_back(contest.bots[bots[0]], snapshots.parent)
            yield Finding(f"{snapshots.name}/{digest}", f"{wrong} ({whose})", again)


def original(name: str, entry: BotEntry) -> Submission | None:
    source = Path(entry.source or "")
    try:
        if entry.house:
            found = house_player(name) if name in PLAYERS else None
        else:
            point = entry.entry_point
            own = {point.interface: point.description} if point.description else {}
            found = read_submission(source, entry.overrides, own) if source.exists() else None
    except (OSError, UnreadableError):
        return None
    return found if found is not None and found.content_hash == entry.content_hash else None


def strange_names(folder: Path) -> list[str]:
    """Return foreign files in a snapshot; none if the bot's own files have changed."""
    files = folder_files(folder)
    return _strange(folder, set(files.names)) if content_hash(files) == folder.name else []


def _put_back(entry: BotEntry, folder: Path) -> str:
    if entry.house:
        return f"{REPAIR} puts back the house player, if this Arena has the same"
    source = entry.source or "its source"
    return (
        f"{REPAIR} copies it from {quote(source)}, if that is unchanged; else put it back from a "
        f"backup, or enter the bot as it is now: arena run … --out {quote(str(folder))}"
    )


def _wrong(folder: Path, *, is_there: bool) -> str:
    if not is_there:
        return "is missing"
    if folder.is_symlink() or not folder.is_dir():
        return "is not a folder"
    try:
        files = folder_files(folder)
        found = content_hash(files)
        strange = _strange(folder, set(files.names))
    except (OSError, UnreadableError) as error:
        return f"cannot be read: {error}"
    if found != folder.name:
        return "has other files than those that played: their hash is " + found
    return f"{STRANGE}: {some_of(strange, NAMED)}" if strange else ""


def _strange(folder: Path, known: set[str]) -> list[str]:
    strange = []
    for path, folders, files in os.walk(folder, onerror=_raise):
        for name in (*folders, *files):
            relative = Path(path, name).relative_to(folder).as_posix()
            is_folder = name in folders and not os.path.islink(os.path.join(path, name))
            has_known = any(each.startswith(f"{relative}/") for each in known)
            if relative not in known and not (is_folder and has_known):
                strange.append(relative)
    return sorted(strange)


def _raise(error: OSError) -> None:
    raise error


ROWS = "rows.jsonl"  # File with removed rows, one a line: table, reason and values.


def repair(folder: ContestFolder, checked: Checked, aside: SetAside) -> None:
    """Repair a `locked` folder except its tables and pages; may draw openings.

    Raises InputError, StorageError.
    """
    try:
        _repair_journal(folder, checked, aside)
        wrong = {finding.where for finding in checked.findings}
        for path in (folder.round, folder.path / MACHINES):
            if path.name in wrong:
                aside.take(path)
        if folder.openings.name in wrong and (checked.has_games or not checked.records):
            aside.take(folder.openings)
            folder.games(checked.contest)
        _repair_snapshots(folder, checked, wrong, aside)
    except OSError as error:
        raise StorageError(f"{folder.path}: cannot be written to ({error.strerror})") from None
    except UnreadableError as error:
        raise StorageError(f"{folder.path}: {error}") from None


def _repair_journal(folder: ContestFolder, checked: Checked, aside: SetAside) -> None:
    if not checked.records and not checked.wrong:
        return  # the journal is lost; a new one would hide that
    journal = folder.journal()
    try:
        if not checked.wrong:
            return
        # the analysis of a removed game is wrong too
        gone = dict.fromkeys(checked.wrong.get("games", {}), "is of a game that was set aside")
        wrong = {**checked.wrong, "analyses": gone | checked.wrong.get("analyses", {})}
        lines = [
            json.dumps({"table": table, "why": why[row[0]], "row": row}, default=bytes.hex)
            for table, why in wrong.items()
            for row in journal.rows(table)
            if row[0] in why
        ]
        aside.write(ROWS, "".join(f"{line}\n" for line in lines))
        journal.remove(wrong)
    finally:
        journal.close()


def _repair_snapshots(
    folder: ContestFolder, checked: Checked, wrong: Iterable[str], aside: SetAside
) -> None:
    wanted = {entry.content_hash: (name, entry) for name, entry in checked.contest.bots.items()}
    for where in wrong:
        parent, _, digest = where.partition("/")
        if parent != folder.snapshots.name or not digest:
            continue
        path = folder.snapshots / digest
        if path.is_dir() and not path.is_symlink() and (strange := strange_names(path)):
            for name in strange:
                aside.take(path / name)
            continue
        found = original(*wanted[digest]) if digest in wanted else None
        if digest not in wanted or found is not None:
            aside.take(path)
        if found is not None:
            folder.keep([found])
