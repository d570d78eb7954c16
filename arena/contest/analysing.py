"""Analysing a contest: finding what the moves of its games were worth, on its lanes."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, replace
from time import monotonic

from arena.contest.analysis import GameAnalysis, analyse
from arena.contest.journal import Journal
from arena.contest.lanes import BATCH_SECONDS
from arena.contest.run import TICK_SECONDS
from arena.referee import GameRecord
from arena.rules import Ruleset

MAX_BATCH = 50
"""Games in the longest batch."""

SHARES = 4
"""Into how many batches a lane's part is cut at least, so that all end together."""

TABLE_BITS = 24
"""A solver's table of 128 MB, filled only by hard games: with a fourth of it they take twice the
nodes."""

log = logging.getLogger("arena.analysis")


@dataclass(frozen=True, slots=True)
class Batch:
    """Games to be analysed one after the other by one lane."""

    rules: Ruleset
    """The rules of all of them."""

    nodes: int
    """Positions to be searched for one question."""

    records: tuple[GameRecord, ...]
    """The games."""


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


def analyse_games(
    rules: Ruleset,
    records: Sequence[GameRecord],
    journal: Journal,
    executor: Executor,
    lanes: int,
    nodes: int,
) -> Iterator[GameAnalysis]:
    """Analyse games, yielding each when it is in the journal.

    Stopping early loses only games under way. Raises what the executor raises if a lane dies.
    """
    size = max(1, min(MAX_BATCH, len(records) // (lanes * SHARES)))
    waiting = deque(
        Batch(rules, nodes, tuple(records[start : start + size]))
        for start in range(0, len(records), size)
    )
    under_way: dict[Future[list[GameAnalysis]], Batch] = {}
    log.info("analysing %d games with up to %d nodes a question", len(records), nodes)
    while waiting or under_way:
        while waiting and len(under_way) < lanes:
            batch = waiting.popleft()
            under_way[executor.submit(analyse_batch, batch)] = batch
        done, _ = wait(under_way, TICK_SECONDS, FIRST_COMPLETED)
        for future in done:
            batch = under_way.pop(future)
            found = future.result()
            if rest := batch.records[len(found) :]:
                waiting.appendleft(replace(batch, records=rest))
            journal.add_analyses(found)
            yield from found
    log.info("analysed")


def analyse_batch(batch: Batch) -> list[GameAnalysis]:
    """Analyse the games of a batch in order, at least one, until its time is up.

    Runs in whatever process an executor chooses. The caller submits what is left over again.
    """
    # the engine takes half a second to be imported, which is for this process to do
    from arena.engine import Solver

    started = monotonic()
    found: list[GameAnalysis] = []
    for record in batch.records:
        # of its own for each game: what is known must not depend on the games before
        solver = Solver(batch.rules, table_bits=TABLE_BITS)
        found.append(analyse(batch.rules, record, solver, batch.nodes))
        if monotonic() - started > BATCH_SECONDS:
            break
    return found
