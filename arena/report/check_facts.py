"""Facts about a bot that was checked, in the words of `arena check`: page, table and JSON.

What was found out stands in `Preflight`; here it is put into words and summed up.
"""

from __future__ import annotations

from arena.contest.preflight import Preflight
from arena.referee.trial import Trial

CUT = "cut"
"""Word for a game that was not played to its end."""


def ending(game: Trial) -> str:
    """Return how a game went for the bot, in a word."""
    if game.is_fault:
        return "fault"
    if game.slow:
        return "slow"
    if not game.is_played:
        return CUT
    return "drew" if game.won is None else "won" if game.won else "lost"


def weakness(result: Preflight) -> str:
    """Say that a bot's search is of no use, as the predicate of a sentence."""
    score = result.examination.against_random
    return f"searches, and yet wins only {score.wins} of {score.games} games against random"


def advised_depth(result: Preflight) -> str | None:
    """Return the option with which a bot that searches too long plays: `lookahead = 2`, or None."""
    less = result.examination.less_deep
    if less is None:
        return None
    return next(f"{name} = {less}" for name, v in result.chosen.items() if isinstance(v, int))


def times(result: Preflight) -> tuple[list[int], list[int], list[int]]:
    """Return nanoseconds of first moves and of later ones, and nodes of all, in its two games."""
    first = [game.charged_ns[0] for game in result.examination.games if game.charged_ns]
    later = [ns for game in result.examination.games for ns in game.charged_ns[1:]]
    nodes = [count for game in result.examination.games for count in game.nodes if count >= 0]
    return first, later, nodes
