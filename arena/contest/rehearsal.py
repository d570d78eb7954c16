"""Steps before a contest's games: timing its bots, and a rehearsal.

A rehearsal does everything except the games, in a temporary folder.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from arena.contest.entries import look_at
from arena.contest.estimate import Forecast, Plan, expected, plan_of, to_play
from arena.contest.folder import ContestFolder
from arena.contest.run import Run
from arena.contest.session import Session
from arena.game.record import Bot, GameRecord
from arena.playing.driver import LaneExecutor
from arena.settings.contest import pairings

# Timing a bot takes as long as a game. It pays if there are more games per bot than this.
WORTH_TIMING = 10


def untimed(session: Session, run: Run) -> Mapping[str, Bot]:
    """Return playing bots of unknown pace by identity; none if the run is short."""
    names, bots = session.contest.playing.keys() - run.retired.keys(), session.bots
    found = {bots[name].identity: bots[name] for name in sorted(names)}
    new = {identity: bot for identity, bot in found.items() if identity not in session.timed}
    return new if run.missing > WORTH_TIMING * len(new) else {}


def time_bots(session: Session, run: Run, executor: LaneExecutor) -> Iterator[str]:
    """Time the `untimed` bots, then order the run's games. Yields identities."""
    new = untimed(session, run)
    for identity, (_, pace, _) in look_at(new, session.contest, executor, new.keys()):
        if pace is not None:
            session.timed[identity] = pace
        yield identity
    run.expect(*expected(session.contest, session.paces))


@contextmanager
def rehearsal(session: Session) -> Iterator[tuple[Session, list[GameRecord]]]:
    """Yield a copy of the session in a temporary folder, and the played games.

    The session's own folder is not changed. Raises InputError and StorageError.
    """
    session.folder.require_usable()
    records = session.folder.copied_records()
    with tempfile.TemporaryDirectory() as scratch:
        folder = ContestFolder(Path(scratch), is_scratch=True)
        folder.create()
        folder.write(session.contest, session.submissions.values())
        for file in (session.folder.openings, session.folder.round, session.folder.roster):
            if file.exists():
                shutil.copyfile(file, folder.path / file.name)
        yield Session(folder, session.contest, session.submissions, session.before), records


def rehearsed_plan(session: Session, records: list[GameRecord], lanes: int) -> Plan:
    """Return the plan of the remaining games; `records` are the played ones."""
    contest = session.contest
    if not records:
        games = Counter(dict.fromkeys(pairings(contest), 2 * contest.schedule.openings))
        return plan_of(contest, games, session.paces, {}, lanes)
    settled = session.count(session.games, {record.key: record for record in records}, {}).settled
    forecast = Forecast(lanes)
    played = {game.key.digest: (game, record) for game, record, lost in settled.games if not lost}
    for game, record in played.values():
        forecast.add(game.names, record)
    games = to_play([] if settled.is_final else settled.open)
    return plan_of(contest, games, session.paces, forecast.known, lanes)
