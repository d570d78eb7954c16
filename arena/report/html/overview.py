"""The overview of a contest: all of a report but its games."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pandas as pd

from arena.contest import GameAnalysis
from arena.ranking import contest_results, opening_tallies
from arena.report.facts import Facts
from arena.report.html.games import CHUNK_GAMES, PlayedGame

VERSION = 1
"""Version of the data, which page and script share."""


def contest_games(facts: Facts, analyses: Mapping[str, GameAnalysis]) -> Iterator[PlayedGame]:
    """Yield the games of a contest that have a result, by number."""
    index = {bot: place for place, bot in enumerate(facts.board["bot"])}
    for game, record, is_forfeit in facts.settled.games:
        yield PlayedGame(
            number=game.number,
            opening=game.opening,
            first=index[game.first],
            second=index[game.second],
            record=record,
            forfeit=record.reason if is_forfeit else None,
            analysis=analyses.get(record.key),
        )


def contest_overview(facts: Facts, name: str, *, paged: bool) -> dict[str, Any]:
    """Return the overview of the contest of that name; `paged` if its games lie in other files."""
    contest, settled = facts.contest, facts.settled
    rules = contest.rules
    return {
        "version": VERSION,
        "view": "contest",
        "me": None,
        "contest": {
            "name": name,
            "made": datetime.now().isoformat(" ", "minutes"),
            "is_final": settled.is_final,
            "games": len(settled.games),
            "due": len(settled.due),
            "seed": contest.schedule.seed,
            "rules": {
                "rows": rules.rows,
                "columns": rules.columns,
                "connect": rules.connect,
                "goal": rules.goal.value,
            },
            "rules_text": str(rules),
            "limits_text": str(contest.limits),
            "command": f"arena resume {shlex.quote(name)}",
        },
        "bots": [_bot(facts, row) for row in facts.board.to_dict("records")],
        "crosstable": _crosstable(facts),
        "openings": [
            {str(column): _plain(cell) for column, cell in row.items()}
            for row in opening_tallies(facts.games).to_dict("records")
        ],
        "convergence": None,
        "analysed": None,
        "chunk_games": CHUNK_GAMES,
        "last_game": settled.games[-1].game.number if settled.games else 0,
        "paged": paged,
    }


def _bot(facts: Facts, row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is known of a bot, from its row of the leaderboard."""
    cells = {str(column): _plain(cell) for column, cell in row.items() if column != "bot"}
    name = str(row["bot"])
    return cells | {"name": name, "house": facts.contest.bots[name].house}


def _crosstable(facts: Facts) -> list[list[list[float] | None]]:
    """Return points and games of each bot against each; None where they did not meet."""
    bots = list(facts.board["bot"])
    place = {bot: index for index, bot in enumerate(bots)}
    table: list[list[list[float] | None]] = [[None] * len(bots) for _ in bots]
    rows = contest_results(facts.games, facts.contest)
    sums = rows.groupby(["bot", "opponent"], observed=True)["points"].agg(["sum", "size"])
    for (bot, opponent), (points, games) in zip(sums.index, sums.to_numpy(), strict=True):
        table[place[bot]][place[opponent]] = [float(points), int(games)]
    return table


def _plain(cell: Any) -> Any:
    """Return a cell of a frame as JSON has it; None for one that is missing."""
    if pd.isna(cell):
        return None
    return cell.item() if hasattr(cell, "item") else cell
