"""Sentences about how paths, names and hand-ins were understood, and what a contest held before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.contest.config import BotEntry, Contest
from arena.contest.entries import left_out
from arena.intake import Roster, Submission
from arena.intake.duplicates import duplicates
from arena.naming import default_name, plain_name
from arena.quoting import one_line
from arena.rules import line_table

MAX_ACCOUNT = 2000
"""Characters of the longest line in the log about what was done with a bot."""


def remarks_on(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    """Yield which of the bots are the same, and which of its files each plays."""
    yield from duplicates(roster.submissions)
    for bot in entered.values():
        if bot.choice is not None:
            yield one_line(f"{bot.name}: {bot.choice}")


def remarks_on_names(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    """Yield which files were left out, and which take part under another name than their own."""
    yield from roster.remarks()
    taken = {name.casefold(): name for name in entered}
    for bot in roster.submissions:
        own = default_name(bot.source)
        if bot.name != own:
            other = taken.get(plain_name(own).casefold(), bot.name)
            why = f", as {other} is there already" if other != bot.name else ""
            yield one_line(f"{bot.source} takes part as {bot.name}{why}")


def account(name: str, bot: Submission, entry: BotEntry) -> str:
    """Return a line about a hand-in: its file, how it is entered, and what was done with it."""
    point = bot.entry_point
    entered = f", {point.interface}: {point.name} of {bot.file_as_known}" if point.interface else ""
    facts = [f"{name} is {bot.source}{entered}"]
    facts += (*bot.notes, *filter(None, [bot.choice]))
    if bot.problem is not None and not entry.unloadable:
        facts.append(f"it could not be loaded: {bot.problem}")
    if entry.why_left_out is not None:
        facts.append(f"it does not take part: it {entry.why_left_out}")
    return one_line("; ".join(facts), MAX_ACCOUNT)


def changes(path: Path, before: Contest | None, now: Contest) -> Iterator[str]:
    """Yield what differs from the contest that the folder held, beyond what is new in it."""
    if before and terms(before) != terms(now):
        plan = before.schedule
        yield (
            f"{path} held a contest on other terms ({before.rules}; "
            f"{before.limits}; openings of {plan.min_plies} to {plan.max_plies} discs; seed "
            f"{plan.seed}); its games stay in the journal but no longer count"
        )
    yield from left_out(before, now) if before else ()
    if not line_table(now.rules).lines:
        yield f"no line of {now.rules.connect} fits on this board: no game can be won"


def terms(contest: Contest) -> tuple[object, ...]:
    """Return what all games of a contest have in common."""
    plan = contest.schedule
    return contest.rules, contest.limits, plan.seed, plan.min_plies, plan.max_plies
