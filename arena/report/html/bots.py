"""The bots in a report's overview: rows of the leaderboard with further facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from arena.contest.entries import without_budget
from arena.contest.history import new_versions
from arena.contest.retirement import retry_in_words
from arena.ranking.games import FAULTS, bot_tallies
from arena.ranking.identical import others_of
from arena.ranking.standings import contest_results
from arena.report.facts import Facts
from arena.report.screen.lines import retired_sentence
from arena.scoring.steadiness import SURE

RENAMED = {"forfeits": "faults", "mean_move_ms": "mean_ms", "max_move_ms": "max_ms"}

# For each fact in a bot's entry, the column of the leaderboard that has it.
FROM_BOARD = {
    RENAMED.get(column, column): column
    for column in (
        *("rank", "rank_low", "rank_high", "points", "games", "wins", "draws", "losses"),
        *("forfeits", "rating", "rating_low", "rating_high", "superiority", "grade", "grade_why"),
        *("grade_sure", "grade_openings", "interface", "mean_move_ms", "max_move_ms"),
        *("mean_nodes", "max_nodes", "accuracy", "blunders"),
    )
}


def bot_entries(facts: Facts, openings: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return an entry for each bot, best first; bots that do not take part are last.

    `openings` maps each opening's moves to its number.
    """
    board = facts.board.merge(
        facts.spent[["max_nodes"]], left_on="bot", right_index=True, how="left"
    )
    tallies = bot_tallies(facts.games, list(board["bot"])).set_index("bot")
    rows = contest_results(facts.games, facts.contest)
    sides = _sums(rows, rows["is_second"].astype(int))
    by_opening = _sums(rows, rows["opening"].map(openings))
    same = others_of(facts.same)
    ranked = []
    for row in board.to_dict("records"):
        name = str(row["bot"])
        faults = {verdict: int(str(tallies.at[name, FAULTS[verdict]])) for verdict in FAULTS}
        ranked.append(
            {key: plain(row.get(column)) for key, column in FROM_BOARD.items()}
            | _standing(facts, name)
            | {
                "same_as": list(same.get(name, ())),
                "faults_by": {verdict: count for verdict, count in faults.items() if count},
                "by_side": [sides.get(name, {}).get(side, [0, 0]) for side in (0, 1)],
                "by_opening": [
                    [number, *sums] for number, sums in sorted(by_opening.get(name, {}).items())
                ],
            }
        )
    lists: dict[str, Any] = {"same_as": [], "faults_by": {}, "by_side": [], "by_opening": []}
    nothing = dict.fromkeys(FROM_BOARD) | lists
    for name in facts.contest.left_out:
        grade = facts.grades.by_bot.get(name)
        given = {"grade": plain(grade.value), "grade_why": grade.why} if grade else {}
        ranked.append(nothing | given | _standing(facts, name))
    return ranked


def _standing(facts: Facts, name: str) -> dict[str, Any]:
    settled, bot = facts.settled, facts.contest.bots[name]
    grade = facts.grades.by_bot.get(name)
    retired, tries = name in settled.retired, facts.retries.get(name, ())
    return {
        "name": name,
        "house": bot.house,
        "grade_is_sure": grade is None or grade.sure >= SURE,
        "retired": retired_sentence(name, settled, facts.board) if retired else None,
        # a reason may have a file name, which may identify the author
        "second_tries": []
        if facts.contest.publish.pseudonyms
        else [f"It {retry_in_words(retake)}." for _, retake in tries],
        "refused": bot.why_left_out,
        "interface": bot.entry_point.interface,
        "late": name in settled.lateness.late,
        "penalty": settled.lateness.penalties.get(name, 0),
        "remark": facts.ratings.remarks.get(name),
        "budget": _budget(facts, name),
        "history": _history(facts, name),
    }


def _history(facts: Facts, name: str) -> list[list[Any]] | None:
    """Return [day, round, rank, rating, is new version] for each round of the bot.

    None if the contest is no ladder. Rank and rating are None if the bot did not take part.
    """
    own = facts.history.of(name)
    return [
        [each.day.isoformat(), each.round, each.rank, each.rating, is_new]
        for each, is_new in zip(own, new_versions(own), strict=True)
    ] or None


def _budget(facts: Facts, name: str) -> int | None:
    contest = facts.contest
    point = contest.bots[name].entry_point
    own = point.options.get("nodes")
    if point.engine is not None and own is not None:
        return int(str(own))
    return None if name in without_budget(contest) else contest.limits.nodes


def _sums(rows: pd.DataFrame, by: pd.Series) -> dict[str, dict[int, list[float]]]:
    """Return for each bot, and each of its values in `by`, the list [games, points]."""
    sums = rows["points"].groupby([rows["bot"], by.rename("by")]).agg(["size", "sum"])
    found: dict[str, dict[int, list[float]]] = {}
    for bot, key, games, points in sums.reset_index().to_numpy().tolist():
        found.setdefault(bot, {})[key] = [games, shortest(points)]
    return found


def shortest(number: float) -> float:
    """Return a whole number as an int, which JSON writes without `.0`; else a float."""
    return int(number) if number == int(number) else float(number)


def plain(cell: Any) -> Any:
    """Return a frame's cell as JSON can have it; None if the value is missing."""
    if cell is None or pd.isna(cell):
        return None
    value = cell.item() if hasattr(cell, "item") else cell
    return shortest(value) if isinstance(value, float) else value
