"""The leaderboard: a row for each bot, with the columns of leaderboard.csv.

To add a column, add an entry to COLUMNS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import pandas as pd

from arena.contest.retirement import Settled
from arena.ranking.games import games_frame, spent_frame
from arena.ranking.grading import ERROR_DIGITS, Grade, Grades, contest_grades
from arena.ranking.identical import others_of
from arena.ranking.ratings import RankedGames, rank_games
from arena.settings.contest import BotEntry, Contest


@dataclass(frozen=True, kw_only=True, eq=False)
class Sources(RankedGames):
    spent: pd.DataFrame
    grades: Grades
    """No grades until all games are played."""


LIKELIHOOD_DIGITS = 3  # decimals of likelihoods in tables

# Returns values indexed by bot; a bot without a value has an empty cell.
ColumnFunction = Callable[[Sources], pd.Series]


def _standing(column: str) -> ColumnFunction:
    return lambda sources: sources.standings[column]


def _spent(column: str, digits: int) -> ColumnFunction:
    return lambda sources: sources.spent[column].round(digits)


def _grade(sources: Sources) -> pd.Series:
    values = {bot: grade.value for bot, grade in sources.grades.by_bot.items()}
    is_whole = all(float(value).is_integer() for value in values.values())
    return pd.Series(values, dtype="Int64" if is_whole else "Float64")


def _of_grades(value: Callable[[Grade], object], dtype: type | str) -> ColumnFunction:
    return lambda sources: pd.Series(
        {bot: value(grade) for bot, grade in sources.grades.by_bot.items()}, dtype=dtype
    )


def _chances(grade: Grade) -> str:
    return "; ".join(f"{other:g}: {chance:.2f}" for other, chance in grade.chances.items())


def _of_bots(value: Callable[[BotEntry], str]) -> ColumnFunction:
    return lambda sources: pd.Series(
        {name: value(bot) for name, bot in sources.contest.playing.items()}, dtype=object
    )


def _rating(column: str) -> ColumnFunction:
    return lambda sources: sources.ratings.table[column]


def _superiority(sources: Sources) -> pd.Series:
    bots = list(map(str, sources.standings.index))
    values = {
        bot: round(sources.ratings.superiority(bot, following), LIKELIHOOD_DIGITS)
        for bot, following in pairwise(bots)
    }
    return pd.Series(values, dtype=float)


def _same_as(sources: Sources) -> pd.Series:
    others = others_of(sources.same)
    return pd.Series({bot: ", ".join(names) for bot, names in others.items()}, dtype=object)


# In the order of the table.
COLUMNS: Mapping[str, ColumnFunction] = MappingProxyType(
    {
        "rank": _standing("rank"),
        "rank_low": _rating("rank_low"),
        "rank_high": _rating("rank_high"),
        "bot": lambda sources: sources.standings.index.to_series(),
        "points": _standing("points"),
        "games": _standing("games"),
        "wins": _standing("wins"),
        "draws": _standing("draws"),
        "losses": _standing("losses"),
        "forfeits": _standing("forfeits"),
        "rating": _rating("rating"),
        "rating_low": _rating("rating_low"),
        "rating_high": _rating("rating_high"),
        "grade": _grade,
        "mean_nodes": _spent("mean_nodes", 1),
        "mean_move_ms": _spent("mean_move_ms", 3),
        "max_move_ms": _spent("max_move_ms", 3),
        "interface": _of_bots(lambda bot: bot.entry_point.interface),
        "content_hash": _of_bots(lambda bot: bot.content_hash or ""),
        "superiority": _superiority,
        "grade_why": _of_grades(lambda grade: grade.why, object),
        "same_as": _same_as,
        "grade_error": _of_grades(lambda grade: round(grade.error, ERROR_DIGITS), float),
        "grade_chances": _of_grades(_chances, object),
    }
)

LEADERBOARD_CSV = list(COLUMNS)
GRADE_COLUMNS = ("grade", "grade_error", "grade_chances", "grade_why")


def grade_columns(sources: Sources) -> dict[str, pd.Series]:
    bots = sources.standings.index
    each = {name: COLUMNS[name](sources).reindex(bots) for name in GRADE_COLUMNS}
    return {name: column.reset_index(drop=True) for name, column in each.items()}


def leaderboard_sources(settled: Settled, contest: Contest) -> Sources:
    ranked = rank_games(games_frame(settled.games), contest)
    return Sources(
        **vars(ranked),
        spent=spent_frame(ranked.games),
        grades=contest_grades(ranked, settled) if settled.is_final else Grades(),
    )


def with_unloadable(board: pd.DataFrame, contest: Contest, grades: Grades) -> pd.DataFrame:
    if not contest.unloadable:
        return board
    rows = []
    for bot in contest.unloadable:
        entry, grade = contest.bots[bot], grades.by_bot.get(bot)
        row: dict[str, object] = dict.fromkeys(
            ("points", "games", "wins", "draws", "losses", "forfeits"), 0
        )
        row |= {"bot": bot, "interface": entry.entry_point.interface}
        row |= {"content_hash": entry.content_hash or ""}
        if grade is not None:
            row |= {"grade": grade.value, "grade_why": grade.why}
            row |= {"grade_error": grade.error, "grade_chances": _chances(grade)}
        rows.append(row)
    whole = {name: "Int64" for name, kind in board.dtypes.items() if kind.kind in "iu"}
    board = board.astype(whole)
    added = pd.DataFrame(rows).reindex(columns=board.columns).astype(board.dtypes.to_dict())
    return pd.concat([board, added], ignore_index=True)


def leaderboard(sources: Sources) -> pd.DataFrame:
    bots = sources.standings.index
    columns = {name: compute(sources).reindex(bots) for name, compute in COLUMNS.items()}
    return pd.DataFrame(columns).reset_index(drop=True)
