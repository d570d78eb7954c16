"""Analysis of a contest's games on its lanes: what each move was worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic

from arena.analysis.analysis import GameAnalysis, analyse
from arena.analysis.worth import Appraiser
from arena.game.record import GameRecord
from arena.journal.database import Journal
from arena.playing.driver import Batch, Driver, LaneExecutor, abandoned_lines
from arena.rules import Ruleset

MAX_BATCH = 50  # Games.
SHARES = 4  # Each lane gets at least this number of batches, so that all lanes end together.

# A batch ends after this time and is stored. Its games share a search cache.
BATCH_SECONDS = 3.0


def unanalysed(
    records: Iterable[GameRecord], known: Mapping[str, GameAnalysis], nodes: int
) -> list[GameRecord]:
    """Return games with a bot's move but no analysis, or one by fewer nodes."""

    def is_open(record: GameRecord) -> bool:
        analysis = known.get(record.key)
        return analysis is None or (analysis.nodes < nodes and not analysis.is_complete(record))

    by_key = {record.key: record for record in records}
    moved = (each for each in by_key.values() if len(each.columns) > each.opening_plies)
    return [record for record in moved if is_open(record)]


class Analyser:
    def __init__(
        self,
        rules: Ruleset,
        records: Sequence[GameRecord],
        journal: Journal,
        executor: LaneExecutor,
        nodes: int,
    ) -> None:
        """Prepare the analysis of these games; `nodes` limits the search for one move."""
        self.missing = sorted(records, key=lambda record: tuple(record.columns))
        """Games to analyse; games with the same start are together."""
        self._journal, self._executor = journal, executor
        self._driver = Driver(
            executor, partial(analyse_batch, rules, nodes), key_of=lambda record: record.key
        )
        self.abandoned: dict[str, str] = {}
        """Reasons (a clause) of abandoned games by key digest."""

    def __iter__(self) -> Iterator[GameAnalysis]:
        """Analyse the games, and yield each analysis after it is stored.

        If the iteration is stopped early, only the games in progress are lost. Raises StorageError.
        """
        size = max(1, min(MAX_BATCH, len(self.missing) // (self._executor.lanes * SHARES)))
        for start in range(0, len(self.missing), size):
            records = tuple(self.missing[start : start + size])
            self._driver.add([Batch(f"the analysis of {len(records)} games", records)])
        for ended in self._driver:
            self.abandoned.update((record.key, why) for record, why in ended.abandoned)
            self._journal.add_analyses(ended.results)
            yield from ended.results

    def not_analysed(self) -> list[str]:
        """Return one line for each reason why games were abandoned."""
        return abandoned_lines(self.abandoned.values(), "analysed")


def analyse_batch(rules: Ruleset, nodes: int, batch: Batch[GameRecord]) -> list[GameAnalysis]:
    """Analyse games of a batch in order, until BATCH_SECONDS are used; at least one.

    Runs in a process of the executor. The caller submits the remaining games again.
    """
    started = monotonic()
    appraiser = Appraiser(rules, nodes)
    found: list[GameAnalysis] = []
    for record in batch.items:
        found.append(analyse(rules, record, appraiser=appraiser))
        if monotonic() - started > BATCH_SECONDS:
            break
    return found
