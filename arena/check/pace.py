"""The pace of a bot, and whether it can play on a contest's board.

The pace is the time that it takes for a few moves, measured before a contest. Some bots cannot play
on a contest's board though they play on boards of another size.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from time import perf_counter

from arena.check.trial import Terms, Trial, Tryout
from arena.game.bot_process import Zygote
from arena.game.limits import SECOND
from arena.game.record import Bot
from arena.game.verdict import Verdict
from arena.interfaces import INTERFACES
from arena.rules import Position, Ruleset

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


PACE_SECONDS = 3.0
"""Charged seconds after which no further position is tried to learn a bot's pace."""

PATIENCE_SECONDS = 5.0
"""The longest wait for a move that only tells a bot's pace."""

STAGES = ((1 / 3, 2), (2 / 3, 1))
"""Further positions that a bot is tried in: how full the board is, and moves to be made there."""

TRIES = 50
"""Random games that are begun to reach a position in which the game is still on."""

ENGINE_SPEED = 3e6
"""Rough nodes a second of Arena's engine."""

ENGINE_LOAD = 0.015
"""Rough seconds to load a player that plays with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The time that a bot took for a few moves. Times are charged, in seconds."""

    load: float = 0.0
    """Time to load it in a new process."""

    first: float = 0.0
    """Time of its first move in a game, or until it failed."""

    later: tuple[float, ...] = ()
    """Times of moves in the middle of a game, and towards its end."""

    nodes: int = 0
    """Most nodes of one move; 0 if they are not counted."""

    fails: bool = False
    """True if it lost by a fault at its first move."""

    not_loaded: str = ""
    """What went wrong, the predicate of a sentence, if it could not be loaded in any trial; or
    empty."""

    limit: float = 0.0
    """The contest's limit for what it was doing, if it was waited for in vain; else 0."""

    wall: float = 0.0
    """Seconds that passed while it was timed; 0 if it made no move after the first."""

    charged: float = 0.0
    """Seconds charged meanwhile: fewer on a busy machine, which no bot is charged for."""

    @property
    def slowest(self) -> float:
        """Time of its slowest move."""
        return max(self.first, *self.later, 0.0)


def first_look(
    zygote: Zygote, bot: Bot, terms: Terms, is_known: bool
) -> tuple[Refusal | None, Pace | None]:
    """Return why a bot is refused, or None and its pace.

    A bot that `is_known` to play on this board is not tried for that.
    """
    with Tryout(zygote, bot, terms, PROBING_SECONDS) as tryout:
        found = None if is_known else refused_by_trial(tryout, terms.rules)
        return (found, None) if found else (None, pace(tryout, terms.rules))


def engine_pace(nodes: int) -> Pace:
    """Return the pace of a house player with Arena's engine that searches so many nodes a move.

    It is not measured: the first such player on a lane waits a second for the engine, and with it
    all that wait for the trials. Towards the end of a game it is quicker.
    """
    move = nodes / ENGINE_SPEED
    return Pace(load=ENGINE_LOAD, first=move, later=(move,), nodes=nodes)


def pace(tryout: Tryout, rules: Ruleset) -> Pace:
    """Return the pace of a bot by these rules; its first trial so far counts, if it had one.

    A quick bot takes milliseconds for this, a slow one PACE_SECONDS and a move more.
    """
    if not tryout.trials:
        tryout.hurry(PATIENCE_SECONDS)
        tryout.trial(rules, 0, 1, PACE_SECONDS, openings(rules)[0])
    trial = tryout.trials[0]
    load, first = trial.load_ns / SECOND, sum(trial.charged_ns[:1]) / SECOND
    nodes = max(0, *trial.nodes, 0)
    if trial.ran_out:
        return Pace(load=load, first=first, limit=tryout.allowed(len(trial.charged_ns)))
    if trial.is_fault:
        never = all(each.verdict is Verdict.LOAD_ERROR for each in tryout.trials)
        return Pace(load=load, first=first, fails=True, not_loaded=trial.sentence * never)
    later: list[float] = []
    started, charged = perf_counter(), 0.0
    for (_, moves), position in zip(STAGES, _positions(rules), strict=False):
        left = PACE_SECONDS - load - first - charged
        if left < 0:  # it took too long by then
            break
        trial = tryout.trial(rules, len(position) % 2, moves, left, position)
        later += (spent / SECOND for spent in trial.charged_ns)
        nodes = max(nodes, *trial.nodes, 0)
        charged += trial.spent_ns / SECOND
    return Pace(
        load=load,
        first=first,
        later=tuple(later),
        nodes=nodes,
        wall=perf_counter() - started,
        charged=charged,
    )


def _positions(rules: Ruleset) -> Iterator[tuple[int, ...]]:
    """Yield a random position for each of the STAGES, as far as they can be reached."""
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
