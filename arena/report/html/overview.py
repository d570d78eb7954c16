"""The overview of a contest: everything in a report except the games.

Its bots are rows of the leaderboard with further facts.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.analysis.worth import CALIBRATION_ERROR
from arena.common.packages import arena_version
from arena.common.text import counted
from arena.contest.entries import without_budget
from arena.contest.history import new_versions
from arena.contest.retirement import retry_in_words
from arena.contest.settled import SettledGames
from arena.game.limits import Limits
from arena.machine.facts import Machine
from arena.openings.pool import shared_places
from arena.ranking.accuracy import analysed_games, missing_games
from arena.ranking.games import FAULTS, bot_tallies
from arena.ranking.grading import shown_error
from arena.ranking.identical import others_of
from arena.ranking.ratings import convergence
from arena.ranking.standings import contest_results, meetings
from arena.report.analysis import missing_lines
from arena.report.facts import Facts
from arena.report.grade_figure import boundaries
from arena.report.html.games import CHUNK_GAMES
from arena.report.published import public_overview
from arena.report.screen.lines import retired_sentence, table_lines
from arena.rules import Ruleset, format_moves
from arena.settings.contest import Contest, Forfeits, Format

SettingLine = tuple[str, str]  # a setting's title and value, in words


def settings_of(contest: Contest) -> list[SettingLine]:
    rules, plan, ranking = contest.rules, contest.schedule, contest.ranking
    ends = [f"{plan.until.astimezone():%Y-%m-%d %H:%M}"] if plan.until else []
    if plan.until_settled:
        ends.append(f"ranks are settled (likelihood {plan.until_settled:g})")
    played = f"those that tell most, until {' or '.join(ends)}" if ends else "all"
    lost = f"{counted(plan.retire_after, 'game')}, and half of all, lost by hanging or not loading"
    retired = lost if plan.retire_after else "never"
    pairings = {
        Format.ROUND_ROBIN: "everybody meets everybody",
        Format.GAUNTLET: "everybody meets the house players",
    }
    plies = f"{plan.min_plies} to {plan.max_plies}" if plan.max_plies else "none"
    common = shared_places(plan.openings, plan.shared_openings)
    own = plan.openings - len(common)
    shared = f"{len(common)}; each has {own:,} of its own" if own else "all"
    faults = {
        Forfeits.COUNT: "count as any other",
        Forfeits.APART: "count for the bot at fault alone",
    }
    ties = ", ".join(name.short for name in ranking.tie_breaks)
    fixed = contest.held or {ranking.anchor: ranking.anchor_rating}
    on_time = "without the late" if contest.grades.freeze else "with everybody"
    return [
        ("Board", f"{counted(rules.rows, 'row')}, {counted(rules.columns, 'column')}"),
        ("A line", counted(rules.connect, "disc")),
        ("Goal", "most lines" if rules.goal.value == "most" else "the first line"),
        *contest.limits.settings,
        ("Pairings", pairings[plan.format]),
        ("Openings of a pairing", f"{plan.openings:,}, each played twice"),
        ("Of these, all pairings share", shared),
        ("Discs of an opening", plies),
        ("Games that are played", played),
        ("A bot is retired after", retired),
        ("Seed", str(plan.seed)),
        ("Games lost by a fault", faults[ranking.forfeits]),
        ("Ties are broken by", ties or "nothing"),
        ("Ratings are fixed by", ", ".join(f"{name} = {value:g}" for name, value in fixed.items())),
        ("Grades", contest.grade_rule.words),
        *_line_of_grades(contest),
        ("Grades of those on time", on_time),
        ("Taken off a late grade", f"{contest.grades.late_penalty:g}"),
    ]


def _line_of_grades(contest: Contest) -> list[SettingLine]:
    if contest.marking is None or not contest.marking.by_rating:
        return []
    low, high = contest.grades.scale
    return [("Ratings of grade 0 and grade 10", f"{low:g} and {high:g}")]


def machine_lines(machines: Sequence[Machine]) -> list[SettingLine]:
    """Return (title, value) pairs about a contest's machines, numbered if several."""
    lines: list[SettingLine] = []
    for number, machine in enumerate(machines, 1):
        which = f" ({number})" * (len(machines) > 1)
        lines += [
            (f"Processor{which}", machine.processor),
            (f"Cores{which}", f"{machine.cores}, of which {machine.lanes} played"),
            (f"Memory{which}", f"{machine.memory_mb / 1024:.1f} GiB"),
            (f"System{which}", machine.system),
            (
                f"Versions{which}",
                f"Arena {machine.arena}, Python {machine.python}, numpy {machine.numpy}",
            ),
        ]
    return lines


RENAMED = {"forfeits": "faults", "mean_move_ms": "mean_ms", "max_move_ms": "max_ms"}

# For each fact in a bot's entry, the column of the leaderboard that has it.
FROM_BOARD = {
    RENAMED.get(column, column): column
    for column in (
        *("rank", "rank_low", "rank_high", "points", "games", "wins", "draws", "losses"),
        *("forfeits", "rating", "rating_low", "rating_high", "superiority", "mean_move_ms"),
        *("max_move_ms", "mean_nodes", "accuracy", "blunders"),
    )
}


def bot_entries(facts: Facts) -> list[dict[str, Any]]:
    """Return an entry for each bot, best first; bots that do not take part are last."""
    tallies = bot_tallies(facts.games, list(facts.board["bot"])).set_index("bot")
    same = others_of(facts.same)
    entries = []
    for row in facts.board.to_dict("records"):
        name = str(row["bot"])
        counts = {verdict: int(str(tallies.at[name, FAULTS[verdict]])) for verdict in FAULTS}
        entries.append(
            {key: plain(row.get(column)) for key, column in FROM_BOARD.items()}
            | _standing(facts, name)
            | {
                "same_as": list(same.get(name, ())),
                "faults_by": {verdict: count for verdict, count in counts.items() if count},
            }
        )
    nothing = dict.fromkeys(FROM_BOARD) | {"same_as": [], "faults_by": {}}
    return entries + [nothing | _standing(facts, name) for name in facts.contest.left_out]


def _standing(facts: Facts, name: str) -> dict[str, Any]:
    settled, bot = facts.settled, facts.contest.bots[name]
    grade = facts.grades.by_bot.get(name)
    retired, tries = name in settled.retired, facts.retries.get(name, ())
    return {
        "name": name,
        "house": bot.house,
        "grade": grade and plain(grade.value),
        "grade_why": grade and grade.why,
        "grade_certainty": grade.certainty if grade else "",
        "grade_error": shown_error(grade.error) if grade and grade.certainty else "",
        "max_nodes": plain(facts.spent["max_nodes"].get(name)),
        "retired": retired_sentence(name, settled, facts.board) if retired else None,
        "second_tries": [f"It {retry_in_words(retake)}." for _, retake in tries],
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


def shortest(number: float) -> float:
    """Return a whole number as an int, which JSON writes without `.0`; else a float."""
    return int(number) if number == int(number) else float(number)


def plain(cell: Any) -> Any:
    """Return a frame's cell as JSON can have it; None if the value is missing."""
    if cell is None or pd.isna(cell):
        return None
    value = cell.item() if hasattr(cell, "item") else cell
    return shortest(value) if isinstance(value, float) else value


def contest_overview(facts: Facts, name: str) -> dict[str, Any]:
    settled = facts.settled
    openings = opening_columns(facts)
    numbers = {format_moves(columns): number for number, columns in openings.items()}
    overview = {
        "view": "contest",
        "me": None,
        "contest": _contest(facts, name),
        "bots": bot_entries(facts),
        "crosstable": _crosstable(facts),
        "openings": [
            {
                "number": numbers[row["opening"]],
                "columns": list(openings[numbers[row["opening"]]]),
                **{key: plain(cell) for key, cell in row.items() if key != "opening"},
            }
            for row in sorted(
                facts.openings.to_dict("records"), key=lambda row: numbers[row["opening"]]
            )
        ],
        "convergence": _convergence(facts),
        "analysed": _analysed(facts),
        "rounds": ladder_rounds(facts),
        "chunk_games": CHUNK_GAMES,
        "last_game": settled.games[-1].game.number if settled.games else 0,
    }
    return public_overview(overview) if facts.is_public else overview


def _contest(facts: Facts, name: str) -> dict[str, Any]:
    settled, again = facts.settled, shlex.quote(f"{name}-again")
    notes = [*table_lines(facts), *missing_lines(settled, facts.analyses, Path(name))]
    return contest_terms(facts, name) | {
        "games": len(settled.games),
        "due": len(settled.due),
        "seed": facts.contest.schedule.seed,
        "settings": settings_of(facts.contest),
        "machine": machine_lines(facts.machines),
        "command": f"cp -r {shlex.quote(name)} {again} && rm {again}/journal.sqlite* && "
        f"arena resume {again}",
        "boundaries": boundaries(facts),
        "notes": [note.plain for note in notes],
    }


def contest_terms(facts: Facts, name: str) -> dict[str, Any]:
    contest = facts.contest
    return terms_of(name, contest.rules, contest.limits) | {"is_final": facts.settled.is_final}


def terms_of(name: str, rules: Ruleset, limits: Limits) -> dict[str, Any]:
    return {
        "name": name,
        "made": datetime.now().isoformat(" ", "minutes"),
        "arena": arena_version(),
        "rules": asdict(rules),
        "rules_text": str(rules),
        "limits_text": str(limits),
        "limits": asdict(limits),
    }


def ladder_rounds(facts: Facts) -> list[list[Any]] | None:
    """Return [day, round, number of bots] for each round; None if there is no ladder."""
    rounds = [
        [each[0].day.isoformat(), each[0].round, sum(one.rank is not None for one in each)]
        for each in facts.history.rounds
    ]
    return rounds or None


def opening_columns(facts: Facts) -> dict[int, tuple[int, ...]]:
    games = SettledGames.of(facts.settled.games)
    _, firsts = np.unique(games.openings, return_index=True)
    found = (games[index].game for index in firsts.tolist())
    return {game.opening: game.key.opening for game in found}


def _crosstable(facts: Facts) -> list[list[list[float] | None]]:
    """Return [points, games] of each bot (row) against each (column); None without games."""
    scores = {
        pair: [shortest(points), games]
        for pair, (points, games) in meetings(contest_results(facts.games, facts.contest)).items()
    }
    bots = facts.board["bot"]
    return [[scores.get((bot, opponent)) for opponent in bots] for bot in bots]


def _convergence(facts: Facts) -> dict[str, Any] | None:
    table = convergence(facts.games, facts.contest, facts.ratings).reindex(facts.board["bot"])
    if len(table.columns) < 2:
        return None
    ratings = [[plain(cell) for cell in row] for row in table.to_numpy()]
    return {"openings": [int(step) for step in table.columns], "ratings": ratings}


def _analysed(facts: Facts) -> dict[str, Any] | None:
    games = len(analysed_games(facts.settled, facts.analyses)) if facts.analyses else 0
    if not games:
        return None
    missing = len(missing_games(facts.settled, facts.analyses))
    return {"games": games, "of": games + missing, "calibration_error": CALIBRATION_ERROR}
