"""The pace of a bot, and whether it can play on a contest's board.

Some bots can play only on boards of another size.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from arena.game.limits import SECOND
from arena.game.record import Bot
from arena.game.starter import Starter
from arena.game.verdict import Verdict
from arena.interfaces import interface_of
from arena.rules import Position, Ruleset
from arena.trials.trial import Terms, Trial, Tryout

# (rows, columns): boards of courses, and some on which bots made only for those fail.
USUAL_BOARDS = ((6, 7), (8, 8), (7, 8), (5, 6), (4, 4), (10, 10))
PROBE_MOVES = 4  # A bot that makes this number of moves can play on another board.
PROBE_SECONDS = 1.0  # For these moves; at least one is made.
PROBING_SECONDS = 30.0  # For all these trials; slower bots are not refused.

# Faults that a board's size can cause. Exceeding a limit does not mean that a bot cannot play
# there.
OF_A_BOARD = frozenset({Verdict.LOAD_ERROR, Verdict.ERROR, Verdict.ILLEGAL_MOVE, Verdict.CRASH})


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a bot cannot play on a board: `reason` is the rest of a sentence."""

    reason: str
    trial: Trial | None = None
    """None if its interface does not support the board."""


def refusal(starter: Starter, bot: Bot, terms: Terms) -> Refusal | None:
    """Return why a bot plays on another board but not on this one, or None.

    A refused bot fails at its first move here, from several openings and both sides, but never on
    the other board. None also if the bot is too slow to tell.
    """
    if (why := refuses(bot, terms.rules)) is not None:
        return Refusal(reason=why)
    if bot.problem is not None:
        return None
    with Tryout(starter, bot, terms, PROBING_SECONDS) as tryout:
        return refused_by_trial(tryout, terms.rules)


def refused_by_trial(tryout: Tryout, rules: Ruleset) -> Refusal | None:
    """Return why a bot is refused, by its moves here and on other boards, or None."""

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
    """Return openings without lines: a disc in each column, or in all but one."""
    columns = tuple(range(rules.columns))
    middle = rules.columns // 2
    return [columns, columns[1:], columns[:middle] + columns[middle + 1 :]]


def refuses(bot: Bot, rules: Ruleset) -> str | None:
    """Return the rest of a sentence: why its interface forbids these rules, or None."""
    clause = clause_against(bot, rules)
    return clause and f"cannot play on {rules}: {clause}"


def clause_against(bot: Bot, rules: Ruleset) -> str | None:
    """Return a clause: why its interface forbids these rules, or None."""
    kind = interface_of(bot.entry_point) if bot.entry_point.interface else None
    return kind.refuses(rules) if kind else None


def size(rules: Ruleset) -> str:
    """Return a board's size, rows first: `6×7`."""
    return f"{rules.rows}×{rules.columns}"


def other_boards(rules: Ruleset) -> list[Ruleset]:
    boards = [replace(rules, rows=rows, columns=columns) for rows, columns in USUAL_BOARDS]
    return [board for board in boards if board != rules]


PACE_SECONDS = 3.0  # Charged seconds after which no further position is tried.
STAGES = ((1 / 3, 2), (2 / 3, 1))  # Further positions: (filled part of the board, moves).
TRIES = 50  # Random games to reach an unfinished position.
ENGINE_SPEED = 3e6  # Nodes per second, about.
ENGINE_LOAD = 0.015  # Seconds to load an engine's player, about.


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """A bot's time for a few moves, in charged seconds."""

    load: float = 0.0
    first: float = 0.0
    later: tuple[float, ...] = ()
    """Moves in the middle and near the end of a game."""

    fails: bool = False
    """Whether the bot's first move was a fault."""

    not_loaded: str = ""
    """The rest of a sentence: why no trial could load the bot; else empty."""

    limit: float = 0.0
    """The contest's limit that a load or move exceeded; else 0."""


def refusal_or_pace(starter: Starter, bot: Bot, terms: Terms) -> tuple[Refusal | None, Pace | None]:
    with Tryout(starter, bot, terms, PROBING_SECONDS) as tryout:
        found = refused_by_trial(tryout, terms.rules)
        return (found, None) if found else (None, pace(tryout, terms.rules))


def engine_pace(nodes: int) -> Pace:
    """Return an engine player's estimated pace; to measure it takes a second a lane."""
    move = nodes / ENGINE_SPEED
    return Pace(load=ENGINE_LOAD, first=move, later=(move,))


def pace(tryout: Tryout, rules: Ruleset) -> Pace:
    """Return a bot's pace; trying a slow one takes PACE_SECONDS and a move."""
    trial = tryout.trials[0]
    load, first = trial.load_ns / SECOND, sum(trial.charged_ns[:1]) / SECOND
    if trial.ran_out:
        return Pace(load=load, first=first, limit=tryout.allowed(len(trial.charged_ns)))
    if trial.is_fault:
        never = all(each.verdict is Verdict.LOAD_ERROR for each in tryout.trials)
        return Pace(load=load, first=first, fails=True, not_loaded=trial.sentence * never)
    later: list[float] = []
    left = PACE_SECONDS - load - first
    for (_, moves), position in zip(STAGES, _positions(rules), strict=False):
        if left < 0:  # the bot already took too long
            break
        trial = tryout.trial(rules, len(position) % 2, moves, left, position)
        later += (spent / SECOND for spent in trial.charged_ns)
        left -= trial.spent_ns / SECOND
    return Pace(load=load, first=first, later=tuple(later))


def _positions(rules: Ruleset) -> Iterator[tuple[int, ...]]:
    """Yield a random unfinished position for each of the STAGES, if found."""
    draw = random.Random(0)
    for full, _ in STAGES:
        for _ in range(TRIES):
            position = Position(rules)
            while not position.is_over and position.ply < full * rules.cells:
                quiet = [c for c in position.legal() if not position.wins_at(c, position.to_move)]
                position.play(draw.choice(quiet or position.legal()))
            if not position.is_over:
                yield position.moves
                break
