"""Finding bots that cannot play on a contest's board though they play on boards of another size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from arena.interfaces import INTERFACES
from arena.referee.record import Bot
from arena.referee.trial import Terms, Trial, Tryout
from arena.referee.verdict import Verdict
from arena.referee.zygote import Zygote
from arena.rules import Ruleset

USUAL_BOARDS = ((6, 7), (8, 8), (7, 8), (5, 6), (4, 4), (10, 10))
"""Rows and columns of boards that courses use, and of some that find out who counts on those."""

PROBE_MOVES = 4
"""Moves by which a bot shows that it can play on another board."""

PROBE_SECONDS = 1.0
"""Seconds that it may take for them; it always makes one."""

PROBING_SECONDS = 30.0
"""Seconds that all of them may take; of a bot that needs longer nothing is concluded."""

OF_A_BOARD = frozenset({Verdict.LOAD_ERROR, Verdict.ERROR, Verdict.ILLEGAL_MOVE, Verdict.CRASH})
"""Faults that a board of another size can cause. That a search takes too long on it, or too many
nodes or too much memory, does not mean that the bot cannot play there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason for which a bot cannot play on a board."""

    reason: str
    """The predicate of a sentence."""

    trial: Trial | None = None
    """A game in which it failed; None if no bot of its kind can play there."""


def refusal(zygote: Zygote, bot: Bot, terms: Terms) -> Refusal | None:
    """Return the reason for which a bot plays on boards of another size and not on this one.

    That is, from several openings and both sides it fails at its first move by these rules, and on
    the other board never. None if it can, if it fails on every board, if it does not always fail,
    and if it is too slow to tell.
    """
    if (why := refuses(bot, terms.rules)) is not None:
        return Refusal(reason=why)
    if bot.problem is not None:
        return None
    with Tryout(zygote, bot, terms, PROBING_SECONDS) as tryout:
        return refused_by_trial(tryout, terms.rules)


def refused_by_trial(tryout: Tryout, rules: Ruleset) -> Refusal | None:
    """Return the reason why a bot is refused, by its moves on this board and on others, or None."""

    def probes(board: Ruleset, moves: int) -> Iterator[Trial]:
        for opening, seat in product(openings(board), range(2)):
            if tryout.seconds_left <= 0:
                return
            yield tryout.trial(board, seat, moves, PROBE_SECONDS, opening)

    failed = None
    for trial in probes(rules, 1):
        if not trial.is_fault or trial.verdict not in OF_A_BOARD:
            return None
        failed = failed or trial
    for board in other_boards(rules):
        if clause_against(tryout.bot, board) is not None:
            continue
        if not any(trial.is_fault or trial.slow for trial in probes(board, PROBE_MOVES)):
            if failed is None or tryout.seconds_left <= 0:
                return None
            where = f"{size(rules)}, though it can on {size(board)}"
            return Refusal(reason=f"cannot play on {where}: it {failed.sentence}", trial=failed)
    return None


def openings(rules: Ruleset) -> list[tuple[int, ...]]:
    """Openings that show a bot the whole board: one disc a column, in all of them or but one.

    Colours alternate, so that there is no line.
    """
    columns = tuple(range(rules.columns))
    middle = rules.columns // 2
    return [columns, columns[1:], columns[:middle] + columns[middle + 1 :]]


def refuses(bot: Bot, rules: Ruleset) -> str | None:
    """Return the predicate that says why no bot of its kind can play by these rules, or None."""
    clause = clause_against(bot, rules)
    return clause and f"cannot play on {rules}: {clause}"


def clause_against(bot: Bot, rules: Ruleset) -> str | None:
    """Return the objection of its kind to these rules, a clause, or None."""
    kind = INTERFACES.get(bot.entry_point.interface)
    return kind.refuses(rules) if kind else None


def size(rules: Ruleset) -> str:
    """A board in words, rows first: `6×7`."""
    return f"{rules.rows}×{rules.columns}"


def other_boards(rules: Ruleset) -> list[Ruleset]:
    """The same game on the usual boards of another size."""
    boards = [replace(rules, rows=rows, columns=columns) for rows, columns in USUAL_BOARDS]
    return [board for board in boards if board != rules]
