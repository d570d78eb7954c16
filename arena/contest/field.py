"""The field of a contest: the bots at some paths, with house players, as its file wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from arena.contest.config import Contest, Format, Schedule, draw_seed
from arena.contest.entries import enter, names_by_source, overrides_of_present, without_absent
from arena.errors import InputError
from arena.intake import (
    A_BOT,
    HOUSE,
    PLAYERS,
    Roster,
    Submission,
    find_roster,
    house_player,
    house_submissions,
)
from arena.interfaces import Overrides
from arena.numbers import listed


class Field(NamedTuple):
    """The bots of a contest."""

    contest: Contest
    """The contest with them."""

    submissions: Mapping[str, Submission]
    """The bots by name."""

    roster: Roster
    """What was found at the paths."""

    absent: tuple[str, ...] = ()
    """Bots of the contest file that are not there, in a ladder."""


def find_field(
    bots: Sequence[Path],
    before: Contest | None,
    configure: Callable[[Contest], Contest],
    *,
    house: bool,
    one_bot: bool,
    ladder: bool,
) -> Field:
    """Find the bots at these paths, and enter them; see `Session.enter`. Raises InputError."""
    known = names_by_source(before) if before else {}
    roster = find_roster(bots, known, one_bot=one_bot, several=ladder)
    where = ", ".join(map(str, bots))
    if not roster.submissions and not roster.house:
        raise InputError(f"{where}: no bots here; a bot is {A_BOT}")
    base = Contest(schedule=Schedule(seed=draw_seed()))
    if before:
        base = replace(before, bots=overrides_of_present(before, roster))
    wanted = configure(base)
    absent: tuple[str, ...] = ()
    accepted: Mapping[str, Overrides] = {}
    if ladder:
        there = [*PLAYERS, *(bot.name for bot in roster.submissions)]
        wanted, absent = without_absent(wanted, there)
        accepted = {name: bot.overrides for name, bot in before.bots.items()} if before else {}
    if not house and wanted.schedule.format is Format.GAUNTLET:
        raise InputError(
            "a gauntlet needs the house players: leave out --no-house (house=False in Python)"
        )
    graded_by = wanted.graded_by if house else ()
    players = (
        *(house_submissions() if house else ()),
        *(house_player(name) for name in graded_by if name not in HOUSE),
        *roster.house,
    )
    contest, submissions = enter(wanted, roster.submissions, players, accepted)
    if contest.lacking:
        needed = listed(contest.lacking)
        rule = contest.grade_rule.value
        raise InputError(f"[grades] {rule}: needs {needed}; leave out --no-house")
    if len(submissions) < 2:
        (name,) = submissions
        said = roster.readings[0] if roster.readings else f"{where}: only one bot ({name})"
        raise InputError(f"{said}; a contest needs two")
    return Field(contest, submissions, roster, absent)
