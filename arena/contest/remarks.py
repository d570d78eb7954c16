"""Sentences about how paths, names and hand-ins were understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.contest.config import BotEntry
from arena.intake import Roster, Submission
from arena.intake.duplicates import duplicates
from arena.naming import default_name
from arena.quoting import one_line

MAX_ACCOUNT = 2000
"""Characters of the longest line in the log about what was done with a bot."""


def remarks_on(roster: Roster, entered: Mapping[str, Submission]) -> Iterator[str]:
    """Yield what happened to files and names on the way from the paths to the contest."""
    yield from roster.remarks()
    for bot in roster.submissions:
        if bot.name != default_name(bot.source):
            yield one_line(f"{bot.source} takes part as {bot.name}")
    yield from duplicates(roster.submissions)
    for bot in entered.values():
        if bot.choice is not None:
            yield one_line(f"{bot.name}: {bot.choice}")


def account(name: str, bot: Submission, entry: BotEntry) -> str:
    """Return a line about a hand-in: its file, how it is entered, and what was done with it."""
    point = bot.entry_point
    entered = f", {point.interface}: {point.name} of {bot.file_as_known}" if point.interface else ""
    facts = [f"{name} is {bot.source}{entered}"]
    facts += (*bot.notes, *filter(None, [bot.choice]))
    if bot.problem is not None:
        facts.append(f"it could not be loaded: {bot.problem}")
    if entry.refused is not None:
        facts.append(f"it does not take part: it {entry.refused}")
    return one_line("; ".join(facts), MAX_ACCOUNT)
