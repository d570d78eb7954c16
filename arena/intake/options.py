"""A check that a bot takes the options that a contest file gives it, as far as sources tell."""

from __future__ import annotations

from collections.abc import Mapping

from arena.intake.submission import Submission
from arena.interfaces import is_program, make_move, next_move
from arena.interfaces.binding import plain
from arena.interfaces.one_move import DEPTH
from arena.interfaces.one_move import NAME as ONE_MOVE
from arena.interfaces.program import COMMAND, INTERPRETER
from arena.naming import hint_for

SYNONYMS = {next_move.NAME: next_move.OPTIONS, make_move.NAME: make_move.OPTIONS}
"""Options that go by several names, one of which may be that of the bot's parameter."""


def wrong_option(submission: Submission, options: Mapping[str, object]) -> str | None:
    """Return what is wrong with the first option that the bot cannot take, for whoever wrote it.

    None if there is none, or no telling: its class may be made in ways that only running it shows.
    """
    taken = options_taken(submission) if options and submission.problem is None else None
    if taken is None:
        return None
    known = {plain(name) for name in taken}
    for names in SYNONYMS.get(submission.entry_point.interface, ()):
        if known & set(names):
            known |= set(names)
    for option in options:
        if plain(option) not in known:
            hint = hint_for(option, taken, f"it takes {', '.join(taken) or 'none'}")
            return f"the bot takes no {option!r}; {hint}"
    return None


def options_taken(submission: Submission) -> list[str] | None:
    """Names of the options that the bot takes; None if its sources do not tell."""
    if is_program(submission.entry_point.interface):
        depth = [DEPTH] if submission.entry_point.interface == ONE_MOVE else []
        return [COMMAND, INTERPRETER, *depth]
    return None if submission.parameters is None else list(submission.parameters)
