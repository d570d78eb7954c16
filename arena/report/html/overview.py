"""The overview of a contest: all of a report but its games.

The settings of a contest as a report lists them, so that it can be repeated.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from arena.analysis.worth import CALIBRATION_ERROR
from arena.common.text import counted
from arena.game.limits import Limits
from arena.machine.facts import Machine
from arena.ranking.accuracy import analysed_games, missing_games
from arena.ranking.games import opening_tallies
from arena.ranking.ratings import convergence
from arena.ranking.standings import contest_results
from arena.report.analysis import missing_lines
from arena.report.facts import Facts
from arena.report.html.bots import bot_entries, plain, shortest
from arena.report.html.games import CHUNK_GAMES, PlayedGame
from arena.report.screen.lines import table_lines
from arena.rules import Ruleset, format_moves
from arena.settings.contest import Contest, Forfeits, Format

SettingLine = tuple[str, str]
"""What is set, and to what, both for people."""


def settings_of(contest: Contest) -> list[SettingLine]:
    """Return the settings of a contest in the order of its file."""
    rules, plan = contest.rules, contest.schedule
    settled = f"likelihood {plan.until_settled:g}" if plan.until_settled else "no: all are played"
    retired = f"{plan.retire_after} faults of one kind" if plan.retire_after else "never"
    pairings = {
        Format.ROUND_ROBIN: "everybody meets everybody",
        Format.GAUNTLET: "everybody meets the house players",
    }
    plies = f"{plan.min_plies} to {plan.max_plies}" if plan.max_plies else "none"
    return [
        ("Board", f"{counted(rules.rows, 'row')}, {counted(rules.columns, 'column')}"),
        ("A line", counted(rules.connect, "disc")),
        ("Goal", "most lines" if rules.goal.value == "most" else "the first line"),
        *contest.limits.settings,
        ("Pairings", pairings[plan.format]),
        ("Openings of a pairing", f"{plan.openings:,}, each played twice"),
        ("Discs of an opening", plies),
        ("Only until ranks are settled", settled),
        ("A bot is retired after", retired),
        ("Seed", str(plan.seed)),
        *_ranking(contest),
    ]


def machine_lines(machines: Sequence[Machine]) -> list[SettingLine]:
    """Return what a contest was played on; of several machines each with its number."""
    lines: list[SettingLine] = []
    for number, machine in enumerate(machines, 1):
        which = f" ({number})" * (len(machines) > 1)
        lines += [
            (f"Processor{which}", machine.processor),
            (f"Cores{which}", f"{machine.cores}, of which {machine.lanes} played"),
            (f"Memory{which}", f"{machine.memory_mb / 1024:.1f} GiB"),
            (f"System{which}", machine.system),
            (f"Versions{which}", _versions(machine)),
        ]
    return lines


def _versions(machine: Machine) -> str:
    return f"Arena {machine.arena}, Python {machine.python}, numpy {machine.numpy}"


def _ranking(contest: Contest) -> list[SettingLine]:
    """Return the settings of ranks and grades."""
    ranking, grading = contest.ranking, contest.grades
    ties = ", ".join(name.short for name in ranking.tie_breaks)
    faults = {
        Forfeits.COUNT: "count as any other",
        Forfeits.APART: "count for the bot at fault alone",
    }
    return [
        ("Games lost by a fault", faults[ranking.forfeits]),
        ("Ties are broken by", ties or "nothing"),
        ("Ratings are fixed by", f"{ranking.anchor} = {ranking.anchor_rating:g}"),
        ("Grades", contest.grade_rule.words),
        ("Grades of those on time", "without the late" if grading.freeze else "with everybody"),
        ("Taken off a late grade", f"{grading.late_penalty:g}"),
    ]


VERSION = 1
"""Version of the data, which page and script share."""


def contest_games(facts: Facts) -> Iterator[PlayedGame]:
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
            analysis=None if is_forfeit else facts.analyses.get(record.key),
        )


def contest_overview(facts: Facts, name: str, *, paged: bool) -> dict[str, Any]:
    """Return the overview of the contest of that name; `paged` if its games lie in other files."""
    settled = facts.settled
    openings = opening_columns(facts)
    numbers = {format_moves(columns): number for number, columns in openings.items()}
    return {
        "version": VERSION,
        "view": "contest",
        "me": None,
        "contest": _contest(facts, name),
        "bots": bot_entries(facts, numbers),
        "crosstable": _crosstable(facts),
        "openings": [
            {
                "number": numbers[row["opening"]],
                "columns": list(openings[numbers[row["opening"]]]),
                **{key: plain(cell) for key, cell in row.items() if key != "opening"},
            }
            for row in opening_tallies(facts.games).to_dict("records")
        ],
        "convergence": _convergence(facts),
        "analysed": _analysed(facts),
        "rounds": ladder_rounds(facts),
        "chunk_games": CHUNK_GAMES,
        "last_game": settled.games[-1].game.number if settled.games else 0,
        "paged": paged,
    }


def _contest(facts: Facts, name: str) -> dict[str, Any]:
    """Return what the contest is, how it stands, and what is to be known to read its table."""
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
        "notes": [note.plain for note in notes],
    }


def contest_terms(facts: Facts, name: str) -> dict[str, Any]:
    """Return the terms of the contest of that name, which everybody in it knows."""
    contest = facts.contest
    return terms_of(name, contest.rules, contest.limits) | {"is_final": facts.settled.is_final}


def terms_of(name: str, rules: Ruleset, limits: Limits) -> dict[str, Any]:
    """Return the terms of games by these rules within these limits, under a name."""
    return {
        "name": name,
        "made": datetime.now().isoformat(" ", "minutes"),
        "arena": version("arena"),
        "rules": asdict(rules),
        "rules_text": str(rules),
        "limits_text": str(limits),
        "limits": asdict(limits),
    }


def ladder_rounds(facts: Facts) -> list[list[Any]] | None:
    """Return day, number and bots of each round of a ladder; None in another contest."""
    rounds = [
        [each[0].day.isoformat(), each[0].round, sum(one.rank is not None for one in each)]
        for each in facts.history.rounds
    ]
    return rounds or None


def opening_columns(facts: Facts) -> dict[int, tuple[int, ...]]:
    """Return the columns of each opening, by number."""
    return {game.opening: game.key.opening for game, _, _ in facts.settled.games}


def _crosstable(facts: Facts) -> list[list[list[float] | None]]:
    """Return points and games of each bot against each; None where they did not meet."""
    bots = list(facts.board["bot"])
    place = {bot: index for index, bot in enumerate(bots)}
    table: list[list[list[float] | None]] = [[None] * len(bots) for _ in bots]
    rows = contest_results(facts.games, facts.contest)
    sums = rows.groupby(["bot", "opponent"], observed=True)["points"].agg(["sum", "size"])
    for (bot, opponent), (points, games) in zip(sums.index, sums.to_numpy(), strict=True):
        table[place[bot]][place[opponent]] = [shortest(points), int(games)]
    return table


def _convergence(facts: Facts) -> dict[str, Any] | None:
    """Return the ratings after so many openings; None if there is one opening at most."""
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
