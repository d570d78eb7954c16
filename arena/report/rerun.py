"""A game that was played again, in words: that it repeats, or the first difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.contest.rerun import AnswerGiven, Cause, Difference, Rerun
from arena.contest.row_check import contradiction
from arena.numbers import counted, duration
from arena.quoting import one_line
from arena.referee import GameRecord
from arena.report.shown import outcome
from arena.rules import MARKS, Position, Ruleset, draw

NODES_DIFFER = "though it searched other numbers of nodes than then"
NOT_DETERMINISTIC = (
    "{bot} is not deterministic: asked the same, it answers otherwise, by a clock or by chance of "
    "its own, which no seed repeats."
)


def rerun_lines(rerun: Rerun, *, same_machine: bool) -> Iterator[str]:
    """Yield the page of a game that was played again, line by line; see `cause_line`."""
    game, key = rerun.game, rerun.game.key
    names = one_line(game.first), one_line(game.second)
    one, other = (f"{name} ({mark})" for name, mark in zip(names, MARKS, strict=True))
    yield f"Game {game.number}: {one} against {other}, played again"
    yield f"{key.rules}; {key.limits}; opening {game.opening}, key {key.digest}"
    yield ""
    if rerun.difference is None:
        yield from repeats_lines(names, rerun.before, rerun.again)
    else:
        yield from difference_lines(
            names, key.rules, rerun.before, rerun.difference, [*rerun.tries]
        )
        yield ""
        yield cause_line(rerun, same_machine=same_machine)
        yield ""
        yield f"then: {one_line(outcome(names, rerun.before))}"
        yield f"now:  {one_line(outcome(names, rerun.again))}"
    for name in rerun.other_nodes:
        yield f"{one_line(name)} made the same moves, {NODES_DIFFER}."


def repeats_lines(names: tuple[str, str], before: GameRecord, again: GameRecord) -> Iterator[str]:
    """Yield lines about a game that repeats."""
    asked = len(again.columns) - again.opening_plies
    moves = f"all {counted(asked, 'move')} are the same" if asked else "no move was made"
    yield f"It repeats: {moves}, and so is the end:" if asked else f"It repeats: {moves}, and:"
    yield one_line(outcome(names, again))
    if again.verdict.is_fault and again.reason != before.reason:
        yield f"then in other words: {one_line(before.reason)}"


def difference_lines(
    names: tuple[str, str],
    rules: Ruleset,
    before: GameRecord,
    difference: Difference,
    tries: Sequence[AnswerGiven],
) -> Iterator[str]:
    """Yield lines about the first difference: the board, and each answer that was given to it."""
    seat, ply = difference.seat, difference.ply
    if seat is None:
        yield f"It differs at ply {ply}, where one of the two games had ended:"
    elif ply == 0:
        yield f"It differs before its first move, when {names[seat]} ({MARKS[seat]}) is loaded:"
    else:
        yield f"It differs first at ply {ply}, a move of {names[seat]} ({MARKS[seat]}):"
    if ply:
        yield from ("", draw(_board(rules, before, ply)))
    yield ""
    yield _answer("then", difference.before)
    yield _answer("now", difference.again)
    for each in tries:
        yield _answer("asked again", each, difference.ply)


def cause_line(rerun: Rerun, *, same_machine: bool) -> str:
    """Return a sentence about why a game does not repeat.

    `same_machine` is true if the contest was played on machines like this one alone.
    """
    bot, tries = one_line(rerun.bot or ""), len(rerun.tries)
    limit = duration(rerun.limit_ns)
    if rerun.cause is Cause.TIME:
        near = f"{bot} comes near its time limit of {limit}, and some days it misses it."
        far = (
            f"{bot} took more than {limit} in one of these answers and not half of it in any "
            "other: look at what the machine did then, before its forfeit counts."
        )
        return near if rerun.is_explained else far
    if rerun.cause is Cause.NOT_DETERMINISTIC:
        return NOT_DETERMINISTIC.format(bot=bot)
    if rerun.cause is Cause.CHANGED:
        times = f"each of {tries + 1} times" if tries else "now"
        other = "" if same_machine else "the machine or its software was another, or "
        return (
            f"{bot} answers the same {times}, but not what is recorded: {other}it depends on "
            "games that it played before in its process, or the record was changed."
        )
    wrong = contradiction(rerun.before, rerun.game.key) or "does not end as the board has it"
    return f"This is no bot's doing: the record {one_line(wrong)}. arena fsck looks at all of them."


def as_plain(rerun: Rerun) -> dict[str, Any]:
    """Return a game that was played again as plain data, for JSON."""
    return {
        "game": rerun.game.number,
        "first": rerun.game.first,
        "second": rerun.game.second,
        "key": rerun.game.key.digest,
        "repeats": rerun.difference is None,
        "moves": len(rerun.again.columns) - rerun.again.opening_plies,
        "verdict": rerun.again.verdict.name,
        "bot": rerun.bot,
        "cause": None if rerun.cause is None else rerun.cause.name,
        "explained": rerun.is_explained,
        "other_nodes": list(rerun.other_nodes),
        "difference": None
        if rerun.difference is None
        else plain_difference(rerun.difference, rerun.tries),
        "then": plain_game(rerun.before),
        "now": plain_game(rerun.again),
    }


def plain_difference(difference: Difference, tries: Sequence[AnswerGiven]) -> dict[str, Any]:
    """Return a difference as plain data."""
    return {
        "ply": difference.ply,
        "then": _plain_answer(difference.before),
        "now": _plain_answer(difference.again),
        "asked_again": [_plain_answer(each) for each in tries],
    }


def plain_game(record: GameRecord) -> dict[str, Any]:
    """Return what was played as plain data."""
    return {
        "moves": list(record.columns),
        "charged_ms": [spent / 1e6 for spent in record.charged_ns],
        "nodes": list(record.nodes),
        "winner": record.winner,
        "verdict": record.verdict.name,
        "reason": record.reason,
    }


def _plain_answer(answer: AnswerGiven) -> dict[str, Any]:
    spent = answer.charged_ns
    return {
        "ply": answer.ply,
        "column": answer.column,
        "verdict": None if answer.verdict is None else answer.verdict.name,
        "reason": answer.reason,
        "charged_ms": None if spent is None else spent / 1e6,
        "nodes": answer.nodes,
    }


def _board(rules: Ruleset, record: GameRecord, ply: int) -> Position:
    """Return the position before a ply, as far as the record follows the rules."""
    position = Position(rules)
    for column in record.columns[: ply - 1]:
        if position.is_over or not position.can_play(column):
            break
        position.play(column)
    return position


def _answer(when: str, answer: AnswerGiven, ply: int | None = None) -> str:
    """Return a line about an answer; `ply` is the one at which it was expected."""
    parts = [f"  {when:<12}", _choice(answer)]
    if answer.charged_ns is not None:
        parts.append(duration(answer.charged_ns))
    if answer.nodes >= 0:
        parts.append(f"{answer.nodes:,} nodes")
    if ply is not None and answer.ply != ply:
        parts.append(f"at ply {answer.ply} already")
    return "  ".join(parts)


def _choice(answer: AnswerGiven) -> str:
    if answer.column is not None:
        return f"column {answer.column}"
    if answer.verdict is None:
        return "was loaded"
    if not answer.verdict.is_fault:
        return f"the game had ended: {one_line(answer.reason)} [{answer.verdict.name}]"
    return f"{one_line(answer.reason)} [{answer.verdict.name}]"
