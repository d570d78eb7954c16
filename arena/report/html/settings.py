"""The settings of a contest as a report lists them, so that it can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

from arena.contest import Contest, Forfeits, Format
from arena.contest.machines import Machine
from arena.numbers import counted

Line = tuple[str, str]
"""What is set, and to what, both for people."""


def settings_of(contest: Contest) -> list[Line]:
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


def machine_lines(machines: Sequence[Machine]) -> list[Line]:
    """Return what a contest was played on; of several machines each with its number."""
    lines: list[Line] = []
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


def _ranking(contest: Contest) -> list[Line]:
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
