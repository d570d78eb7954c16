"""Tables of results that are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from arena.ranking.standings import scores_of, standings_of
from arena.scoring import TieBreakName
from arena.settings.contest import Ranking


def standings(
    results: pd.DataFrame,
    bots: list[str],
    tie_breaks: Sequence[TieBreakName] = Ranking().tie_breaks,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """The table of these results, see `standings_of`."""
    return standings_of(scores_of(results, bots), bots, tie_breaks=tie_breaks, same=same)
