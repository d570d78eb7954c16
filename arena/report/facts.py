"""The facts from which a contest's files and pages are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from arena.analysis.analysis import GameAnalysis
from arena.contest.folder import no_gc
from arena.contest.history import History, read_history
from arena.contest.retirement import Settled, Tries, retries_of
from arena.contest.settled import SettledGames
from arena.machine.facts import Machine, read_machines
from arena.ranking.accuracy import (
    Accuracy,
    accuracies,
    accuracy_frame,
    analysed_games,
    missing_games,
)
from arena.ranking.exam import Exam, examined
from arena.ranking.games import opening_tallies
from arena.ranking.leaderboard import Sources, leaderboard, leaderboard_sources, with_unloadable
from arena.report.pseudonyms import Pseudonym
from arena.settings.contest import Contest


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts(Sources):
    settled: Settled

    board: pd.DataFrame
    """The leaderboard. Its last columns are `accuracy` and `blunders` if an analysed game counts.
    """

    accuracies: Mapping[str, Accuracy] | None
    analyses: Mapping[str, GameAnalysis]
    machines: tuple[Machine, ...]
    retries: Tries = field(default_factory=dict)
    history: History = field(default_factory=History)
    pseudonyms: Mapping[str, Pseudonym] = field(default_factory=dict)
    """Students' pseudonyms by bot; empty if pages show the bots' own names."""

    is_public: bool = False
    """True if these are the facts of a `PublicSession`, and pages are for the whole class."""

    @cached_property
    def openings(self) -> pd.DataFrame:
        return opening_tallies(self.games)

    @cached_property
    def exam(self) -> Exam:
        games = SettledGames.of(self.settled.games)
        places = games.table.places[games.rows].tolist()
        return examined(self.games, self.openings, places, self.ratings, self.contest)

    @property
    def listed(self) -> pd.DataFrame:
        """The leaderboard for other programs; bots that could not be loaded are last."""
        return with_unloadable(self.board, self.contest, self.grades)

    def public_name(self, bot: str) -> str:
        """Return a bot's name on pages for readers other than its author."""
        return self.pseudonyms[bot].name if bot in self.pseudonyms else bot


@no_gc()
def facts_of(
    folder: Path, contest: Contest, settled: Settled, analyses: Mapping[str, GameAnalysis]
) -> Facts:
    sources = leaderboard_sources(settled, contest)
    board = leaderboard(sources)
    judged = None
    if analyses:
        analysed = analysed_games(settled, analyses)
        judged = accuracies(analysed, board["bot"], missing_games(settled, analyses))
        if analysed:
            columns = accuracy_frame(judged.values())[["bot", "accuracy", "blunders"]]
            board = board.merge(columns, on="bot")
    return Facts(
        **vars(sources),
        settled=settled,
        board=board,
        accuracies=judged,
        analyses=analyses,
        machines=read_machines(folder),
        retries=retries_of(settled.games),
        history=read_history(folder),
    )
