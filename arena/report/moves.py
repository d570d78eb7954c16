"""The worth of moves in words."""

from __future__ import annotations

from collections.abc import Sequence

from arena.contest import GameAnalysis, JudgedMove, MoveAnalysis, PositionAnalysis, Worth
from arena.numbers import counted
from arena.referee import GameRecord
from arena.rules import Goal, Ruleset


def value_in_words(value: int, ply: int, rules: Ruleset) -> str:
    """Return what perfect play comes to: `wins at ply 31`, `loses by 2 lines`, `draws`.

    `value` is the side's to move after `ply` discs.
    """
    if value == 0:
        return "draws"
    verb = "wins" if value > 0 else "loses"
    if rules.goal is Goal.MOST:
        return f"{verb} by {counted(abs(value), 'line')}"
    # the winner's discs that are left, counted from the end; the last ply is cell number `cells`
    mover_is_last = (rules.cells - ply) % 2 == 1
    last = rules.cells if mover_is_last == (value > 0) else rules.cells - 1
    return f"{verb} at ply {last - 2 * (abs(value) - 1)}"


def worth_in_words(worth: Worth) -> str:
    """Return what a move comes to: `wins`, `draws`, `loses`, or `gives about 35 %`."""
    if worth.exact is None:
        return f"gives about {percent(worth.chance)}"
    return "draws" if worth.exact == 0 else "wins" if worth.exact > 0 else "loses"


def percent(chance: float) -> str:
    """Write an estimate as people read it: `35 %`, at least 1 % and at most 99 %."""
    return f"{min(99, max(1, round(100 * chance)))} %"


def judged_in_words(move: JudgedMove) -> str:
    """Return what a move is worth by an estimate, and if it was a blunder, what would have been
    better: `about 35 %: a blunder; column 3 gives about 70 %`."""
    said = worth_in_words(move.worth).removeprefix("gives ")
    if not move.is_blunder:
        return said
    best = move.position.best
    return f"{said}: a blunder; column {any_of(best)} {best_worth_in_words(move.position)}"


def best_worth_in_words(position: PositionAnalysis) -> str:
    """Return what the best move comes to."""
    return worth_in_words(position.worth(position.best[0]))


def move_in_words(move: MoveAnalysis, rules: Ruleset) -> str:
    """Return what a move was worth, and if it was a blunder, what would have been better."""
    worth = value_in_words(move.value, move.ply, rules)
    if not move.is_blunder:
        return worth
    best = value_in_words(move.before, move.ply, rules)
    return f"{worth}: a blunder; column {any_of(move.best)} {best}"


def worths_in_words(analysis: GameAnalysis, record: GameRecord, rules: Ruleset) -> dict[int, str]:
    """Return what to say of each move of the bots, by its ply."""
    estimated = {move.ply: judged_in_words(move) for move in analysis.judged(record)}
    return estimated | {move.ply: move_in_words(move, rules) for move in analysis.moves}


def known_line(analysis: GameAnalysis, record: GameRecord) -> str:
    """Say from which ply on the moves of one game are known; empty if they all are."""
    if analysis.is_complete(record):
        return ""
    if not analysis.moves:
        return "What the moves are worth is estimated."
    return (
        f"What the moves are worth is estimated up to ply {analysis.moves[0].ply}, and known from "
        "there on."
    )


def any_of(columns: Sequence[int]) -> str:
    """Join columns: `3`, `3 or 4`, `3, 4 or 0`."""
    *most, last = map(str, columns)
    return f"{', '.join(most)} or {last}" if most else last
