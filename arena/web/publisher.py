"""The process that reads a contest's journal and publishes its data as files.

The server runs `python -m arena.web.publisher FOLDER TARGET BOARDS`. The process prints news for
readers as lines of JSON: what is cheap to update game by game. Everything else, such as grades, is
in *editions*: folders in TARGET named 1, 2, …, each with a page and all its chunks at one moment,
gzipped. A fork, which has all games in memory, writes each edition (without the sandbox the process
itself); the longer that takes, the longer is the pause before the next.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from time import monotonic, process_time, sleep, strftime
from typing import Any, NoReturn

import numpy as np

from arena.common.errors import ArenaError
from arena.common.home import has_sandbox
from arena.contest.index import index_of
from arena.contest.retirement import KINDS, retirements
from arena.game.record import GameRecord
from arena.report.facts import facts_of
from arena.report.html.overview import contest_overview
from arena.report.html.report import contest_chunks
from arena.report.html.shell import as_json, page
from arena.report.published import PublicSession
from arena.report.tally import Scoreboard
from arena.settings.contest import Contest, ScheduledGame
from arena.web.hub import JournalWatch
from arena.web.processes import READERS, end_with_server, lower_priority, send

SINCE_SECONDS = 300.0  # Age of the ranks with which today's are compared.
PACE_SECONDS = 60.0  # Seconds over which the pace is measured.
UPSET = 200.0  # Least rating points that an upset's loser was ahead: the weaker bot scores 1/4.
KNOWN_GAMES = 8  # Games that a bot must have played before its rating is used.
SHOWN = 6  # Number of upsets shown, and of faults.
MOMENT_SECONDS = 25.0  # Seconds for which a game is the game to watch.
FINAL_GAMES = 40  # Most games between the two best that are shown.

# The state at a time: monotonic time, time of day, games played, rank by bot.
Stand = tuple[float, str, int, Mapping[str, int]]


class Coverage:
    def __init__(self, contest: Contest, games: Sequence[ScheduledGame]) -> None:
        self._contest = contest
        self._retire_after = contest.schedule.retire_after
        self._tally = Scoreboard(contest, games)
        self._index = index_of(games)
        self._records: dict[str, GameRecord] = {}
        self._has_slow_faults = False
        self._stands: deque[Stand] = deque()
        self._upsets: list[dict[str, Any]] = []
        self._moment: dict[str, Any] | None = None
        self._moment_at = -MOMENT_SECONDS

    def add(self, records: Iterable[GameRecord]) -> None:
        new = [record for record in records if self._index.key(record.key) is not None]
        if not new:
            return
        for record in new:
            self._records[record.key] = record
            self._tally.add(record)
            self._has_slow_faults |= record.verdict in KINDS
        if self._has_slow_faults and self._retire_after:
            self._tally.retire(retirements(self._index, self._tally.ends, self._retire_after))
        self._tally.find_same()
        self._look_for_upsets(new)

    def state(self, *, is_played: bool) -> dict[str, Any]:
        rows = self._tally.standing()
        now, played = monotonic(), self._tally.played
        while self._stands and self._stands[0][0] < now - SINCE_SECONDS:
            self._stands.popleft()
        self._stands.append((now, strftime("%H:%M"), played, {row.name: row.rank for row in rows}))
        _, since, _, ranks_before = self._stands[0]
        return {
            "played": played,
            "forfeited": self._tally.forfeited,
            "total": self._tally.total,
            "at_most": self._contest.schedule.in_rounds,
            "is_played": is_played,
            "left": self._left() if is_played else None,
            "since": since,
            "standings": [
                row._asdict()
                | {
                    "before": ranks_before[row.name],
                    "house": self._contest.bots[row.name].house,
                }
                for row in rows
            ],
            "upsets": self._upsets,
            "faults": [
                fault._asdict() | {"verdict": fault.verdict.value}
                for fault in [*self._tally.faults.values()][: -SHOWN - 1 : -1]
            ],
            "moment": self._moment,
        }

    def final(self, best: Sequence[str]) -> list[dict[str, Any]]:
        if len(best) < 2:
            return []
        theirs = np.flatnonzero(self._index.are_among(best[:2]))
        digests = dict.fromkeys(self._index.digest(key) for key in self._index.keys[theirs])
        played = (self._records[digest] for digest in digests if digest in self._records)
        return [self._game(record) for record in islice(played, FINAL_GAMES)]

    def _left(self) -> float | None:
        now, _, played_now, _ = self._stands[-1]
        at, _, played_then, _ = next(each for each in self._stands if each[0] >= now - PACE_SECONDS)
        played, elapsed = played_now - played_then, now - at
        left = self._tally.total - self._tally.played - self._tally.forfeited
        return left * elapsed / played if played > 0 else None

    def _look_for_upsets(self, records: Iterable[GameRecord]) -> None:
        rows = self._tally.standing()
        places = {row.name: place for place, row in enumerate(rows)}
        known = {row.name for row in rows if row.games >= KNOWN_GAMES}
        ratings = self._tally.ratings()
        found: list[tuple[float, dict[str, Any]]] = []
        best: tuple[tuple[bool, int], GameRecord] | None = None
        for record in records:
            game = self._scheduled(record)
            names = game.names
            if record.verdict.is_fault or not record.is_game:
                continue
            gap = 0.0
            if record.winner is not None and known.issuperset(names):
                winner, loser = names[record.winner], names[1 - record.winner]
                gap = ratings[loser] - ratings[winner]
                if gap >= UPSET:
                    upset = {"winner": winner, "loser": loser}
                    found.append((gap, upset | {"gap": round(gap), "game": game.number}))
            worth = gap >= UPSET, -sum(places[name] for name in names)
            if best is None or worth > best[0]:
                best = worth, record
        found.sort(key=lambda upset: -upset[0])
        self._upsets = [upset for _, upset in found[:SHOWN]] + self._upsets
        del self._upsets[SHOWN:]
        if best and monotonic() >= self._moment_at + MOMENT_SECONDS:
            self._moment = self._game(best[1])
            self._moment_at = monotonic()

    def _scheduled(self, record: GameRecord) -> ScheduledGame:
        key = self._index.key(record.key)
        assert key is not None
        return self._index.first(key)

    def _game(self, record: GameRecord) -> dict[str, Any]:
        game = self._scheduled(record)
        return {
            "game": game.number,
            "names": [game.first, game.second],
            "moves": list(record.columns),
            "opening": record.opening_plies,
            "winner": record.winner,
            "reason": record.reason,
            "is_fault": record.verdict.is_fault,
        }


LOOK_SECONDS = 3.0  # Seconds between two reads of the journal.
PATIENCE = 40  # The pause after an edition, or a read, is this multiple of its CPU time.
KEPT = 2  # Editions kept: an open page may still ask for more of an earlier one.
BEST = "best.json"  # File of an edition: students' bots, best first; empty until the end.
NOT_BEGUN = "the contest has not begun: its openings are not drawn yet"
LEVEL = 4  # Compression level; files are soon replaced.


class Publisher:
    def __init__(self, folder: Path, target: Path, boards: int) -> None:
        self._folder, self._target, self._boards = folder, target, boards
        self._number = max((int(old.name) for old in target.iterdir()), default=0)
        self._writer = 0  # process id of the fork that is writing an edition, or 0
        self._next = 0.0
        self._is_news = True
        self._best: list[str] = []  # the bots in the order of a final table
        self._last_news = ""

    def run(self) -> NoReturn:
        while True:
            try:
                with closing(JournalWatch(self._folder)) as watch:
                    self._follow(watch)
            except ArenaError as error:
                send({"problem": str(error)})
                sleep(LOOK_SECONDS)

    def _follow(self, watch: JournalWatch) -> None:
        self._is_news = True
        session = watch.session
        if not watch.has_begun and not session.folder.openings.exists():
            send({"problem": NOT_BEGUN})  # the process that plays the contest draws the openings
            while not watch.is_stale:
                sleep(LOOK_SECONDS)
            return
        coverage = Coverage(session.contest, session.games)
        look_at = 0.0
        while not watch.is_stale:
            if monotonic() >= look_at:
                started = process_time()
                if new := watch.look():
                    self._is_news = True
                    coverage.add(new)
                self._send_news(coverage, is_played=watch.is_played)
                look_at = monotonic() + PATIENCE * (process_time() - started)
            self._reap()
            is_due = monotonic() >= self._next or not watch.is_played
            if self._is_news and not self._writer and is_due:
                self._is_news = False
                self._begin_edition(watch)
            sleep(LOOK_SECONDS)

    def _send_news(self, coverage: Coverage, *, is_played: bool) -> None:
        state = coverage.state(is_played=is_played)
        state["final"] = [] if is_played or self._is_news else coverage.final(self._best)
        if (text := json.dumps(state)) != self._last_news:
            self._last_news = text
            send({"news": state})

    def _begin_edition(self, watch: JournalWatch) -> None:
        if not has_sandbox():  # forks are unsafe there, or missing
            started = process_time()
            self._end_edition(self._write(watch), process_time() - started)
            return
        self._writer = os.fork()
        if self._writer:
            return
        status = 1
        try:
            end_with_server()
            status = int(not self._write(watch))
        finally:
            os._exit(status)

    def _write(self, watch: JournalWatch) -> bool:
        about = {"edition": self._number + 1, "boards": self._boards}
        try:
            write_edition(self._target / str(self._number + 1), watch, about)
        except ArenaError as error:
            send({"problem": str(error)})
        except Exception:
            traceback.print_exc()
        else:
            return True
        return False

    def _reap(self) -> None:
        if not self._writer:
            return
        pid, status, used = os.wait4(self._writer, os.WNOHANG)
        if not pid:
            return
        self._writer = 0
        self._end_edition(status == 0, used.ru_utime + used.ru_stime)

    def _end_edition(self, is_written: bool, cpu_seconds: float) -> None:
        lower_priority(READERS)  # not earlier, as readers wait for the first edition
        self._next = monotonic() + PATIENCE * cpu_seconds
        if is_written:
            self._number += 1
            self._best = json.loads((self._target / str(self._number) / BEST).read_bytes())
            send({"edition": self._number})
            shutil.rmtree(self._target / str(self._number - KEPT), ignore_errors=True)


def write_edition(target: Path, watch: JournalWatch, about: dict[str, Any]) -> None:
    """Write an edition to a new folder; `about` is added to the report's overview.

    Raises ArenaError, OSError.
    """
    session = watch.session
    folder, contest = session.folder.path, session.contest
    results = session.count(session.games, watch.records, watch.analyses)
    facts = facts_of(folder, contest, results.settled, results.analyses)
    facts = replace(facts, is_public=isinstance(session, PublicSession))
    name = folder.resolve().name
    overview = contest_overview(facts, name) | about
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for chunk in contest_chunks(facts, overview):
        _write(target / f"{chunk.name}.json.gz", as_json(chunk.data))
    best = [bot for bot in facts.board["bot"] if not contest.bots[bot].house]
    (target / BEST).write_bytes(as_json(best if results.settled.is_final else []))
    _write(target / "overview.json.gz", as_json(overview))
    _write(target / "page.html.gz", page(name, [], table=overview["bots"], live=True).encode())


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data, LEVEL, mtime=0))


def _end_with_input() -> NoReturn:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    end_with_server()
    if not has_sandbox():
        threading.Thread(target=_end_with_input, daemon=True).start()
    Publisher(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])).run()


if __name__ == "__main__":
    main()
