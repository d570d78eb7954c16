"""The facts from which the files and pages about a contest are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from arena.analysis.analysis import GameAnalysis
from arena.contest.folder import uncollected
from arena.contest.history import History, read_history
from arena.contest.retirement import Settled, Tries, second_tries
from arena.machine.facts import Machine, read_machines
from arena.ranking.accuracy import (
    Accuracy,
    accuracies,
    accuracy_frame,
    analysed_games,
    missing_games,
)
from arena.ranking.leaderboard import Sources, leaderboard, listed, sources_of
from arena.report.pseudonyms import Pseudonym
from arena.settings.contest import Contest


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Facts(Sources):
    """A contest with everything that is computed from its games."""

    settled: Settled
    """Its games as they count."""

    board: pd.DataFrame
    """The leaderboard. Of a contest that was analysed `accuracy` and `blunders` are its last
    columns, unless none of those games counts any more."""

    accuracies: Mapping[str, Accuracy] | None
    """Accuracy and blunders of each bot, by name; None if no game was ever analysed."""

    analyses: Mapping[str, GameAnalysis]
    """What is known of the games' moves, by the digests of their keys."""

    machines: tuple[Machine, ...]
    """The machines that it was played on."""

    second_tries: Tries = field(default_factory=dict)
    """The games and moves that were played again for a bot, by its name."""

    history: History = field(default_factory=History)
    """The rounds of a ladder; none in another contest."""

    pseudonyms: Mapping[str, Pseudonym] = field(default_factory=dict)
    """Those of the students' bots, by name; none if pages call bots by their names."""

    @property
    def listed(self) -> pd.DataFrame:
        """The leaderboard as programs read it: with the bots that could not be loaded, last."""
        return listed(self.board, self.contest, self.grades)

    def called(self, bot: str) -> str:
        """Return what a bot is called on others' pages."""
        return self.pseudonyms[bot].name if bot in self.pseudonyms else bot


@uncollected()
def facts_of(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> Facts:
    """Compute everything there is to tell about the contest in a folder. Raises InputError."""
    sources = sources_of(settled, contest)
    board = leaderboard(sources)
    judged = None
    if analyses:
        analysed = analysed_games(settled, analyses)
        judged = accuracies(analysed, board["bot"], missing_games(settled, analyses))
        if analysed:
            columns = accuracy_frame(judged.values())[["bot", "accuracy", "blunders"]]
            board = board.merge(columns, on="bot")
    return Facts(
        **sources.parts(),
        settled=settled,
        board=board,
        accuracies=judged,
        analyses=analyses,
        machines=read_machines(folder),
        second_tries=second_tries(settled.games),
        history=read_history(folder),
    )
