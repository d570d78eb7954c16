"""The process that reads a contest's journal and publishes its data as files for the server.

Run as `python -m arena.web.publisher FOLDER TARGET BOARDS` by the server. It writes the data in
*editions*: folders in TARGET named 1, 2, … that hold a page and all its chunks as they were at one
moment, gzipped; and it prints a line of JSON for whatever the server is to tell its readers.
An edition is written by a fork, which has all games in memory already. How often depends on what
the last one cost.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from time import monotonic, process_time, sleep
from typing import Any, NoReturn

from arena.contest.history import History
from arena.errors import ArenaError
from arena.host.sandbox import die_with_parent
from arena.report.facts import facts_of
from arena.report.html import contest_chunks, contest_overview, page
from arena.report.html.shell import as_json
from arena.web.coverage import Coverage
from arena.web.masks import READERS, stand_back
from arena.web.watch import Watch

LOOK_SECONDS = 3.0
"""Seconds between two looks at the journal."""

PATIENCE = 40
"""While the contest is played, the next edition, or look, comes after so many times the CPU time
that the last one took."""

KEPT = 2
"""Editions that are kept: a page that was read before the last came may ask for more of it."""

BEST = "best.json"
"""The file of an edition with the names of its bots, best first, once the contest is over."""

NOT_BEGUN = "the contest has not begun: its openings are still to be found"

LEVEL = 4
"""Level of compression of files that are soon replaced."""


class Publisher:
    """Publishes one contest."""

    def __init__(self, folder: Path, target: Path, boards: int) -> None:
        self._folder, self._target, self._boards = folder, target, boards
        self._number = max((int(old.name) for old in target.iterdir()), default=0)
        self._writer = 0  # the fork that is writing an edition
        self._next = 0.0
        self._is_news = True
        self._best: list[str] = []  # the bots in the order of a final table
        self._told = ""

    def run(self) -> NoReturn:
        """Publish until the server ends."""
        while True:
            try:
                watch = Watch(self._folder)
                try:
                    self._follow(watch)
                finally:
                    watch.close()
            except ArenaError as error:
                tell({"problem": str(error)})
                sleep(LOOK_SECONDS)

    def _follow(self, watch: Watch) -> None:
        """Publish what comes, until the contest is set up anew. Raises ArenaError."""
        self._is_news = True
        session = watch.session
        if not watch.has_begun and not session.folder.openings.exists():
            tell({"problem": NOT_BEGUN})  # whoever begins it looks for them
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
                self._tell_live(coverage, is_played=watch.is_played)
                look_at = monotonic() + PATIENCE * (process_time() - started)
            self._reap()
            is_due = monotonic() >= self._next or not watch.is_played
            if self._is_news and not self._writer and is_due:
                self._is_news = False
                self._fork(watch)
            sleep(LOOK_SECONDS)

    def _tell_live(self, coverage: Coverage, *, is_played: bool) -> None:
        """Tell what the live page shows, if that has changed."""
        state = coverage.state(is_played=is_played)
        state["final"] = [] if is_played or self._is_news else coverage.final(self._best)
        if (text := json.dumps(state)) != self._told:
            self._told = text
            tell({"news": state})

    def _fork(self, watch: Watch) -> None:
        """Have a fork write an edition."""
        parent = os.getpid()
        self._writer = os.fork()
        if self._writer:
            return
        status = 1
        try:
            die_with_parent(parent)
            about = {"edition": self._number + 1, "boards": self._boards}
            write_edition(self._target / str(self._number + 1), watch, about)
            status = 0
        except ArenaError as error:
            tell({"problem": str(error)})
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _reap(self) -> None:
        """See whether an edition is there, and announce it."""
        if not self._writer:
            return
        pid, status, used = os.wait4(self._writer, os.WNOHANG)
        if not pid:
            return
        self._writer = 0
        stand_back(READERS)  # but not before the first edition, for which somebody waits
        self._next = monotonic() + PATIENCE * (used.ru_utime + used.ru_stime)
        if status == 0:
            self._number += 1
            self._best = json.loads((self._target / str(self._number) / BEST).read_text())
            tell({"edition": self._number})
            shutil.rmtree(self._target / str(self._number - KEPT), ignore_errors=True)


def write_edition(target: Path, watch: Watch, about: dict[str, Any]) -> None:
    """Write an edition into a folder of its own. Raises ArenaError, OSError.

    `about` is what the overview says besides what a report's does.
    """
    session = watch.session
    folder, contest = session.folder.path, session.contest
    results = session.count(session.games, watch.records, watch.analyses)
    facts = facts_of(folder, contest, results.settled, results.analyses)
    if contest.publish.pseudonyms:
        # the days on which somebody joined a ladder or handed in would tell who it is
        facts = replace(facts, history=History())
    name = folder.resolve().name
    overview = contest_overview(facts, name, paged=False) | about
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for chunk in contest_chunks(facts, overview):
        _write(target / f"{chunk.name}.json.gz", as_json(chunk.data))
    best = [bot for bot in facts.board["bot"] if not contest.bots[bot].house]
    (target / BEST).write_text(json.dumps(best if results.settled.is_final else []))
    _write(target / "overview.json.gz", as_json(overview))
    _write(target / "page.html.gz", page(name, [], table=overview["bots"], live=True).encode())


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(gzip.compress(data, LEVEL, mtime=0))


def tell(news: dict[str, Any]) -> None:
    """Tell the server, in a line of JSON; end if it has gone."""
    try:
        print(json.dumps(news), flush=True)
    except BrokenPipeError:
        os._exit(1)


def main() -> None:
    """Run the publisher; the arguments are the contest's folder, the target and the boards."""
    die_with_parent(os.getppid())
    Publisher(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])).run()


if __name__ == "__main__":
    main()
