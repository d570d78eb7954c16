"""Tables of invented results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from arena.ranking.standings import scores_of, standings_of
from arena.scoring.tie_breaks import TieBreakName
from arena.settings.contest import Ranking


def frame(*results: tuple[str, ...]) -> pd.DataFrame:
    """Games as (first, second, how) or (first, second, how, opening).

    How is `1`, `2`, `=`, `1F` or `2F` for a win by a fault, or `none` for no game.
    """
    rows = []
    for first, second, how, *opening in results:
        winner = {"1": first, "2": second}.get(how[0], "")
        loser = {first: second, second: first}.get(winner, "")
        rows.append((first, second, winner, loser, how.endswith("F"), how != "none", *opening))
    columns = ["first", "second", "winner", "loser", "fault", "is_game", "opening"]
    return pd.DataFrame(rows, columns=columns[: len(rows[0]) if rows else None])


def standings(
    results: pd.DataFrame,
    bots: list[str],
    tie_breaks: Sequence[TieBreakName] = Ranking().tie_breaks,
    same: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return the table of these results, see `standings_of`."""
    return standings_of(scores_of(results, bots), bots, tie_breaks=tie_breaks, same=same)
