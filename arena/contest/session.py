"""A session with a contest, from settings and paths to results.

The steps are open, enter, snapshot, refuse, run and settle; each has a method. A rehearsal does
everything except the games, in a temporary folder.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from arena.analysis.analysis import GameAnalysis
from arena.common.errors import InputError, LostClusterError, LostJournalError, StorageError
from arena.common.names import HOUSE
from arena.common.text import listed, one_line, quote
from arena.contest import entries
from arena.contest.estimate import Forecast, Plan, to_play
from arena.contest.folder import ContestFolder, no_gc
from arena.contest.history import is_ladder
from arena.contest.index import ScheduledGames
from arena.contest.lost_games import foreign_journal, shortfall, small_files
from arena.contest.people import NOBODY_LATE, Lateness, find_rosters, lateness, unknown_lateness
from arena.contest.retirement import Settled, settle
from arena.contest.rounds import Rounds
from arena.contest.run import Analyser, Run, unanalysed
from arena.contest.settled import SettledGames
from arena.courses.export import Person
from arena.engine.machine_code import is_compiled
from arena.game.record import Bot, GameRecord
from arena.intake.submission import Submission
from arena.machine.facts import record_machine
from arena.playing.batches import require_files
from arena.playing.driver import LaneExecutor
from arena.settings.contest import Contest, ScheduledGame, pairings
from arena.trials.pace import Pace, refuses

log = logging.getLogger("arena.contest")


class ContestResults(NamedTuple):
    settled: Settled

    records: Mapping[str, GameRecord]
    """All games of the journal by key digest, also those that do not count."""

    analyses: Mapping[str, GameAnalysis]

    @property
    def played(self) -> list[GameRecord]:
        return [record for _, record, is_forfeit in self.settled.games if not is_forfeit]


class Session:
    def __init__(
        self,
        folder: ContestFolder,
        contest: Contest,
        submissions: Mapping[str, Submission] | None = None,
        before: Contest | None = None,
    ) -> None:
        """Use `open`, `read`, `enter` or `throwaway` instead."""
        self.folder = folder
        self.contest = contest
        self.before = before
        self.submissions: Mapping[str, Submission] = submissions or {}
        self.remarks: list[str] = []
        """Sentences about how paths, names and settings were understood."""
        self.name_remarks: list[str] = []
        """The remarks about files left out and renamed bots."""
        self.rosters: Sequence[Path] = ()
        self._games: ScheduledGames | None = None
        self.timed: dict[str, Pace] = {}

    # open

    @classmethod
    def open(cls, path: Path, roster: Path | None = None, *, only_read: bool = False) -> Session:
        folder = ContestFolder(path, roster, only_read=only_read)
        contest = folder.read()
        return cls(folder, contest, before=contest)

    @classmethod
    def read(cls, path: Path, roster: Path | None = None) -> Session:
        """Open a contest to show it. Damage is not repaired, but raises InputError."""
        return cls.open(path, roster, only_read=True)

    # enter

    @classmethod
    def enter(
        cls,
        path: Path | ContestFolder,
        bots: Sequence[Path],
        configure: Callable[[Contest], Contest],
        *,
        house: bool = True,
        one_bot: bool = False,
        ladder: bool = False,
    ) -> Session:
        """Enter the bots at these paths in the contest of a folder, or in a new one.

        `configure` gets the folder's contest, or a default one with a new seed, and returns the
        wanted contest. No file is written. `house` adds the house players of every contest. In
        a `ladder` the paths are folders of bots, bots are identified by name, and may come, leave
        or change. Raises InputError.
        """
        folder = path if isinstance(path, ContestFolder) else ContestFolder(path)
        before = folder.read() if folder.is_contest else None
        if not ladder and is_ladder(folder.path):
            following = f"arena ladder {quote(str(folder.path))} --submissions DIR"
            raise InputError(
                f"{folder.path}: holds a ladder; play its next round with {following}; for a "
                "contest name another folder"
            )
        contest, submissions, roster, absent = entries.find_field(
            bots, before, configure, house=house, one_bot=one_bot, ladder=ladder
        )
        contest = entries.as_played_here(folder.with_excluded(contest))
        if before:
            entries.require_same_field(before, folder.path, roster, bots, by_name=ladder)
        session = cls(folder, contest, submissions, before)
        session.name_remarks += entries.remarks_on_names(roster, submissions)
        session.remarks += (*session.name_remarks, *entries.remarks_on(roster, submissions))
        session._note_absent(absent)
        session.remarks += entries.changes(folder.path, before, contest)
        rosters, remarks = find_rosters(bots, roster.submissions, contest.bots)
        session.rosters = rosters
        session.remarks += remarks
        return session

    @classmethod
    @contextmanager
    def throwaway(cls, contest: Contest, submissions: Sequence[Submission]) -> Iterator[Session]:
        names = [submission.name for submission in submissions]
        wanted, absent = entries.without_absent(entries.as_played_here(contest), names)
        entered, chosen = entries.enter(wanted, submissions, ())
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            session = cls(ContestFolder(Path(scratch), is_scratch=True), entered, chosen)
            session._note_absent(absent)
            session.folder.create()
            session.folder.write(entered, chosen.values())
            yield session

    def play_until(self, until: datetime | None) -> None:
        plan = replace(self.contest.schedule, until=until)
        self._set_contest(replace(self.contest, schedule=plan))
        self.folder.write(self.contest, ())

    def bring_up_to_date(self) -> None:
        """Adopt this process's mode, this Arena's engine, and missing house players."""
        here = entries.as_played_here(self.contest)
        if here != self.contest:
            self.remarks += entries.changes(self.folder.path, self.contest, here)
            self._set_contest(here)
            self.folder.write(here, ())
        contest, changed = entries.with_current_engine(self.contest)
        if changed:
            self.folder.write(contest, changed.values())
            self._set_contest(contest)
            said = "are of another version of Arena, so their games are played again"
            self.remarks.append(f"{', '.join(changed)}: these {said}")
        if lacking := self.contest.lacking:
            contest, self.submissions = entries.with_house_players(self.contest, lacking)
            self._set_contest(contest)
            rule = contest.grade_rule.value
            self.remarks.append(
                f"[grades] {rule}: {listed(lacking)} will take part, as this rule requires"
            )

    # snapshot

    def snapshot(self) -> None:
        self.folder.create()
        self.folder.keep(self.submissions.values())
        try:
            require_files({name: self.bots[name] for name in self.contest.playing})
        except StorageError as error:
            raise InputError(str(error)) from None

    @property
    def bots(self) -> dict[str, Bot]:
        return entries.bots_by_name(self.contest, self.folder.snapshots)

    # refuse

    def to_look_at(self) -> Mapping[str, Bot]:
        known = entries.known_findings(self.contest, self.before, self.folder.snapshots)
        return entries.untried(self.contest, known, self.folder.snapshots)

    def is_as_before(self) -> bool:
        if self.before is None or self.to_look_at():
            return False
        known = entries.known_findings(self.contest, self.before, self.folder.snapshots)
        self._set_contest(entries.with_findings(self.contest, known, self.folder.snapshots))
        return self.contest == self.before

    def refuse(self, executor: LaneExecutor) -> Iterator[tuple[str, str]]:
        """Try the bots, refuse those that cannot play, and write the contest.

        Yields (name, why or ""). Raises InputError if fewer than two bots remain.
        """
        contest, snapshots = self.contest, self.folder.snapshots
        found = entries.known_findings(contest, self.before, snapshots)
        bots = self.to_look_at()
        for name, finding in entries.look_at(bots, contest, executor):
            found[bots[name].identity] = finding
            yield name, finding.refused
        self.timed = {key: each.pace for key, each in found.items() if each.pace is not None}
        self._set_contest(entries.with_findings(contest, found, snapshots))
        for remark in self.name_remarks:
            log.info("%s", remark)
        for name, bot in self.submissions.items():
            log.info("%s", entries.account(name, bot, self.contest.bots[name]))
        entries.require_players(self.contest)
        self.folder.write(self.contest, self.submissions.values())
        self.copy_rosters()

    def copy_rosters(self) -> None:
        if self.rosters:
            self.folder.copy_rosters(self.rosters, self.contest)

    def require_boards(self) -> None:
        for name, bot in self.bots.items():
            if (why := refuses(bot, self.contest.rules)) is not None:
                raise InputError(f"{name} {why}")

    @property
    def paces(self) -> dict[str, Pace]:
        bots = self.bots.items()
        return {name: self.timed[bot.identity] for name, bot in bots if bot.identity in self.timed}

    # run

    def uncompiled(self) -> list[str]:
        """Return the bots that wait for Arena's engine, which is still being compiled."""
        return [] if is_compiled(self.contest.engine) else self.contest.with_engine

    @contextmanager
    def executing(
        self,
        opening: AbstractContextManager[LaneExecutor],
        *handlers: logging.Handler,
        log_json: bool = False,
    ) -> Iterator[LaneExecutor]:
        with self.folder.logged(*handlers, as_json=log_json), opening as executor:
            yield executor

    @property
    def games(self) -> ScheduledGames:
        """The contest's games. The first access may search for openings."""
        if self._games is None:
            self._games = self.folder.games(self.contest)
        return self._games

    @contextmanager
    def run(
        self, executor: LaneExecutor, *, whole: bool = False, listens: bool = False
    ) -> Iterator[Run]:
        """Open the journal and yield a run of the missing games.

        With `whole` no bot is retired; with `listens` the records have what bots printed. Raises
        InputError, StorageError.
        """
        games = self.games
        with closing(self.folder.journal()) as journal:
            with suppress(OSError):  # storing the games reports a disk error
                for finding in small_files(self.folder):
                    self.folder.set_aside(self.folder.path / finding.where, finding.what)
            for repair in self.folder.repairs:
                log.info("%s", repair)
            retire_after = 0 if whole else self.contest.schedule.retire_after
            late = self.lateness.late
            rounds = None if whole else Rounds.of(self.contest, games, self.folder.round, late)
            left = self.contest.schedule.seconds_left(datetime.now(UTC))
            run = Run(
                games,
                journal,
                executor,
                retire_after,
                rounds,
                left,
                listens=listens,
                last=self.uncompiled,
            )
            log.info("playing %d games on %d lanes", run.missing, executor.lanes)
            if run.missing:
                for machine in executor.machines():
                    record_machine(self.folder.path, machine)
            yield run
            log.info("done")

    # rehearse

    @contextmanager
    def rehearsal(self) -> Iterator[tuple[Session, list[GameRecord]]]:
        """Yield a copy of the session in a temporary folder, and the played games.

        Raises InputError and StorageError.
        """
        self.folder.require_usable()
        records = self.folder.copied_records()
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
            folder = ContestFolder(Path(scratch), is_scratch=True)
            folder.create()
            folder.write(self.contest, self.submissions.values())
            for file in (self.folder.openings, self.folder.round, self.folder.roster):
                if file.exists():
                    shutil.copyfile(file, folder.path / file.name)
            yield Session(folder, self.contest, self.submissions, self.before), records

    def plan(self, records: Sequence[GameRecord], lanes: int) -> Plan:
        if not records:
            openings = self.contest.schedule.openings
            games = Counter(dict.fromkeys(pairings(self.contest), 2 * openings))
            return Plan(self.contest, games, self.paces, {}, lanes)
        by_key = {record.key: record for record in records}
        settled = self.count(self.games, by_key, {}).settled
        played = {game.key.digest: game for game, _, is_forfeit in settled.games if not is_forfeit}
        forecast = Forecast(lanes)
        for digest, game in played.items():
            forecast.add(game.names, by_key[digest])
        games = to_play([] if settled.is_final else settled.open)
        return Plan(self.contest, games, self.paces, forecast.known, lanes)

    # settle

    @no_gc()
    def settle(self, *, graded: bool = True, writes: bool = False) -> ContestResults:
        """Return the results in the journal. Raises InputError, StorageError.

        Without `graded` nobody is late. If the folder is only read, tables with more games raise
        InputError, unless another process plays there and the caller `writes` no tables.
        """
        with self.folder.read_journal() as journal:
            records = journal.packed()
            analyses = journal.analyses()
        results = self.count(self.games, records, analyses, graded=graded)
        if self.folder.only_read and (writes or not self.folder.is_in_use):
            self._require_no_less(results)
        return results

    def _require_no_less(self, results: ContestResults) -> None:
        path, records = self.folder.path, results.records
        wrong = shortfall(path, self.games, results.settled, records.keys())
        is_forfeit = SettledGames.of(results.settled.games).is_forfeit
        if records and results.settled.open and is_forfeit.all():
            wrong = foreign_journal(path, len(records))
        if wrong is not None:
            raise InputError(f"{path / wrong.where}: {wrong.what}; {wrong.repair}")

    def count(
        self,
        games: Sequence[ScheduledGame],
        records: Mapping[str, GameRecord],
        analyses: Mapping[str, GameAnalysis],
        *,
        graded: bool = True,
    ) -> ContestResults:
        plan = self.contest.schedule
        known = self.lateness if graded else NOBODY_LATE
        freeze = self.contest.grades.freeze
        settled = settle(games, records, plan.retire_after, known, freeze=freeze)
        if rounds := Rounds.of(self.contest, games, self.folder.round, known.late):
            settled = rounds.planned(settled, records)
        return ContestResults(settled, records, analyses)

    @property
    def people(self) -> tuple[Person, ...]:
        return self.folder.people(self.contest)

    @property
    def lateness(self) -> Lateness:
        return lateness(self.people, self.contest.grades.late_penalty)

    @property
    def unknown_lateness(self) -> str:
        return unknown_lateness(self.folder.path, self.contest.grades, self.people)

    @contextmanager
    def analysis(
        self, executor: LaneExecutor, nodes: int, results: ContestResults
    ) -> Iterator[Analyser]:
        missing = unanalysed(results.played, results.analyses, nodes)
        with closing(self.folder.journal()) as journal:
            yield Analyser(self.contest.rules, missing, journal, executor, nodes)

    @contextmanager
    def continuable(self, command: str = "resume") -> Iterator[None]:
        """Add to storage errors in a block how to continue: with this arena command."""
        path = self.folder.path
        try:
            yield
        except BrokenPipeError:
            raise
        except (StorageError, LostClusterError, InputError, OSError) as error:
            again = "type the same command again"
            if not path.is_dir():
                raise StorageError(
                    f"{path}: the folder was removed, with its games; restore it, or start again"
                ) from None
            if isinstance(error, InputError | LostJournalError):
                raise
            if self.folder.is_contest:
                again = f"continue with: arena {command} {quote(str(path))}"
            what = str(error)
            if isinstance(error, OSError):
                what = f"{error.filename or path}: {error.strerror}"
            raise StorageError(
                f"{what}; finished games are stored. After fixing this, {again}"
            ) from None

    def _note_absent(self, names: Iterable[str]) -> None:
        if absent := [name for name in names if name not in HOUSE]:
            said = f"in the contest file but missing: {', '.join(absent)}"
            self.remarks.append(one_line(said))

    def _set_contest(self, contest: Contest) -> None:
        self.contest, self._games = contest, None
