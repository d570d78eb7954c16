"""A contest's games, ranked: who is the same as whom, ratings and standings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from arena.contest import Contest
from arena.ranking.identical import Group, identical_bots, representatives
from arena.ranking.ratings import ContestRatings, contest_ratings
from arena.ranking.standings import contest_standings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankedGames:
    """Games of a contest and what follows from them."""

    contest: Contest
    """The contest, with the bots that the games are among."""

    games: pd.DataFrame
    """A row for each game, see `games_frame`."""

    same: tuple[Group, ...]
    """The bots that are the same."""

    ratings: ContestRatings
    """Ratings; bots that are the same are one player."""

    standings: pd.DataFrame
    """The standings with their tie-breaks, best first, indexed by bot."""


def rank_games(games: pd.DataFrame, contest: Contest) -> RankedGames:
    """Rank the bots of a contest by these games."""
    same = identical_bots(games, contest)
    first = representatives(same)
    ratings = contest_ratings(games, contest, first)
    standings = contest_standings(games, contest, ratings.table["rating"], first)
    return RankedGames(
        contest=contest, games=games, same=same, ratings=ratings, standings=standings
    )


def only(contest: Contest, bots: frozenset[str]) -> Contest:
    """Return a contest with none but these bots."""
    return replace(contest, bots={name: bot for name, bot in contest.bots.items() if name in bots})
