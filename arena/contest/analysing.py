"""Analysing a contest: finding what the moves of its games were worth, on its lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic

from arena.analysis.analysis import GameAnalysis, analyse
from arena.analysis.worth import Appraiser
from arena.game.record import GameRecord
from arena.journal.database import Journal
from arena.playing.driver import Batch, Driver, LaneExecutor, given_up_lines
from arena.rules import Ruleset

MAX_BATCH = 50
"""Games in the longest batch."""

SHARES = 4
"""Into how many batches a lane's part is cut at least, so that all end together."""

BATCH_SECONDS = 3.0
"""Time after which a batch ends: its games share what is found out, and are kept then."""


def unanalysed(
    records: Iterable[GameRecord], known: Mapping[str, GameAnalysis], nodes: int
) -> list[GameRecord]:
    """The games in which bots moved and of which so many nodes may tell more than is known."""

    def is_open(record: GameRecord) -> bool:
        analysis = known.get(record.key)
        return analysis is None or (analysis.nodes < nodes and not analysis.is_complete(record))

    by_key = {record.key: record for record in records}
    moved = (each for each in by_key.values() if len(each.columns) > each.opening_plies)
    return [record for record in moved if is_open(record)]


class Analyser:
    """One go at the games of a contest that are to be analysed. Iterate over it to work."""

    def __init__(
        self,
        rules: Ruleset,
        records: Sequence[GameRecord],
        journal: Journal,
        executor: LaneExecutor,
        nodes: int,
    ) -> None:
        """`nodes` positions may be searched for one question; for the others see `Run`."""
        self.missing = sorted(records, key=lambda record: tuple(record.columns))
        """The games to be analysed, those that begin alike side by side."""
        self._journal, self._executor = journal, executor
        self._driver = Driver(
            executor, partial(analyse_batch, rules, nodes), key_of=lambda record: record.key
        )
        self.given_up: dict[str, str] = {}
        """Games that could not be analysed, by their digests, with the reason as a clause."""

    def __iter__(self) -> Iterator[GameAnalysis]:
        """Analyse, and yield each game when it is in the journal; alike games come together.

        Stopping early loses only games under way. Raises StorageError.
        """
        size = max(1, min(MAX_BATCH, len(self.missing) // (self._executor.lanes * SHARES)))
        for start in range(0, len(self.missing), size):
            records = tuple(self.missing[start : start + size])
            self._driver.add([Batch(f"the analysis of {len(records)} games", records)])
        for ended in self._driver:
            self.given_up.update((record.key, why) for record, why in ended.given_up)
            self._journal.add_analyses(ended.results)
            yield from ended.results

    def not_analysed(self) -> list[str]:
        """Return what to say of the games that were given up: a line for each reason."""
        return given_up_lines(self.given_up.values(), "analysed")


def analyse_batch(rules: Ruleset, nodes: int, batch: Batch[GameRecord]) -> list[GameAnalysis]:
    """Analyse the games of a batch in order, at least one, until its time is up.

    Runs in whatever process an executor chooses. The caller submits what is left over again.
    """
    started = monotonic()
    appraiser = Appraiser(rules, nodes)
    found: list[GameAnalysis] = []
    for record in batch.items:
        found.append(analyse(rules, record, appraiser=appraiser))
        if monotonic() - started > BATCH_SECONDS:
            break
    return found
