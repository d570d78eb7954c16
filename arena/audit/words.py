"""Texts about reruns: of one game, and of a sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.audit.rerun import AnswerGiven, Cause, Difference, Rerun
from arena.audit.row_check import contradiction
from arena.common.text import counted, duration, one_line, quote
from arena.game.record import GameRecord
from arena.report.replay import outcome
from arena.report.screen.fitting import fitted_table
from arena.rules import MARKS, Position, Ruleset, draw

if TYPE_CHECKING:
    from rich.table import Table


def rerun_lines(rerun: Rerun, *, same_machine: bool) -> Iterator[str]:
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


def repeats_lines(names: tuple[str, str], before: GameRecord, again: GameRecord) -> Iterator[str]:
    asked = len(again.columns) - again.opening_plies
    moves = f"{counted(asked, 'move')} and the end are the same" if asked else "no move was made"
    yield f"It repeats: {moves}:"
    yield one_line(outcome(names, again))
    if again.verdict.is_fault and again.reason != before.reason:
        yield f"recorded in other words: {one_line(before.reason)}"


def difference_lines(
    names: tuple[str, str],
    rules: Ruleset,
    before: GameRecord,
    difference: Difference,
    tries: Sequence[AnswerGiven],
) -> Iterator[str]:
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
    bot, tries = one_line(rerun.bot or ""), len(rerun.tries)
    limit = duration(rerun.limit_ns)
    if rerun.cause is Cause.TIME:
        near = f"{bot} comes near its time limit of {limit}, and on another day it may exceed it."
        far = (
            f"{bot} took more than {limit} in one of these answers and not half of it in any "
            "other: look at what the machine did then, before its forfeit counts."
        )
        return near if rerun.is_explained else far
    if rerun.cause is Cause.NOT_DETERMINISTIC:
        return (
            f"{bot} is not deterministic: it answers the same question differently, because of a "
            "clock or of random numbers that the seed does not control."
        )
    if rerun.cause is Cause.CHANGED:
        times = f"each of {tries + 1} times" if tries else "now"
        other = "" if same_machine else "the machine or its software was another, or "
        return (
            f"{bot} answers the same {times}, but not what is recorded: {other}it depends on "
            "games that it played before in its process, or the record was changed."
        )
    wrong = contradiction(rerun.before, rerun.game.key) or "has another end than the board"
    return f"No bot caused this: the record {one_line(wrong)}. arena verify looks at all of them."


def as_plain(rerun: Rerun) -> dict[str, Any]:
    difference = rerun.difference
    return {
        "game": rerun.game.number,
        "first": rerun.game.first,
        "second": rerun.game.second,
        "key": rerun.game.key.digest,
        "repeats": difference is None,
        "bot": rerun.bot,
        "cause": None if rerun.cause is None else rerun.cause.name,
        "explained": rerun.is_explained,
        "ply": None if difference is None else difference.ply,
        "then": None if difference is None else _choice(difference.before),
        "now": None if difference is None else _choice(difference.again),
        "asked_again": [_choice(each) for each in rerun.tries],
    }


def _board(rules: Ruleset, record: GameRecord, ply: int) -> Position:
    """Return the position before a ply, or where the record first breaks the rules."""
    position = Position(rules)
    for column in record.columns[: ply - 1]:
        if position.is_over or not position.can_play(column):
            break
        position.play(column)
    return position


def _answer(when: str, answer: AnswerGiven, ply: int | None = None) -> str:
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


REPEATS = "repeats"
DROPPED = ("games", "repeat")  # Columns that a narrow screen omits, in this order.


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    bot: str
    games: int
    differing: tuple[Rerun, ...]

    @property
    def is_deterministic(self) -> bool:
        """False if the bot answered the same question differently."""
        return all(each.cause is not Cause.NOT_DETERMINISTIC for each in self.differing)

    @property
    def unexplained(self) -> tuple[Rerun, ...]:
        """Differing games whose cause may be other than the bot."""
        changed = Cause.CHANGED
        return tuple(
            each
            for each in self.differing
            if not each.is_explained and (self.is_deterministic or each.cause is not changed)
        )

    @property
    def verdict(self) -> str:
        if not self.is_deterministic:
            return Cause.NOT_DETERMINISTIC.value
        if self.differing:
            causes = dict.fromkeys(each.cause for each in self.differing if each.cause)
            return "; ".join(cause.value for cause in causes)
        return REPEATS


def verified(reruns: Sequence[Rerun]) -> list[Verified]:
    names = {name for each in reruns for name in each.game.names}
    found = []
    for bot in sorted(names, key=str.casefold):
        mine = [each for each in reruns if bot in each.game.names]
        differing = tuple(each for each in mine if each.bot == bot)
        found.append(Verified(bot=bot, games=len(mine), differing=differing))
    return found


def unexplained(reruns: Sequence[Rerun]) -> list[Rerun]:
    of_bots = {id(game) for each in verified(reruns) for game in each.unexplained}
    return [each for each in reruns if each.cause is Cause.RECORD or id(each) in of_bots]


def verified_table(bots: Sequence[Verified], width: int) -> Table:
    cells = {
        "bot": [one_line(each.bot) for each in bots],
        "games": [f"{each.games:,}" for each in bots],
        "repeat": [f"{each.games - len(each.differing):,}" for each in bots],
        "differ": [f"{len(each.differing):,}" for each in bots],
        "verdict": [each.verdict for each in bots],
    }
    return fitted_table(cells, width, DROPPED)


def findings(reruns: Sequence[Rerun], folder: Path, *, same_machine: bool) -> Iterator[str]:
    """Yield a line for each bot and cause, and each record that breaks the rules."""
    command = f"arena replay {quote(str(folder))}"
    for bot in verified(reruns):
        for cause in dict.fromkeys(each.cause for each in bot.differing):
            games = [each for each in bot.differing if each.cause is cause]
            said = cause_line(games[0], same_machine=same_machine)
            first = f"{command} {games[0].game.number} --rerun"
            yield f"{said} {counted(len(games), 'game')}, the first: {first}"
    for each in reruns:
        if each.cause is Cause.RECORD:
            said = cause_line(each, same_machine=same_machine)
            yield f"Game {each.game.number}: {said} See: {command} {each.game.number} --rerun"


def sentence(reruns: Sequence[Rerun], of: int) -> str:
    """Return how many games repeat; `of` is how many count in the contest."""
    repeated = sum(each.difference is None for each in reruns)
    moves = sum(len(each.again.columns) - each.again.opening_plies for each in reruns)
    return (
        f"{repeated:,} of {counted(len(reruns), 'game')} repeat move for move "
        f"({counted(moves, 'move')}; {counted(of, 'game')} of the contest count)"
    )


def as_plain_sample(reruns: Sequence[Rerun]) -> dict[str, Any]:
    return {
        "games": len(reruns),
        "repeated": sum(each.difference is None for each in reruns),
        "unexplained": len(unexplained(reruns)),
        "bots": [
            {
                "bot": each.bot,
                "games": each.games,
                "differing": len(each.differing),
                "deterministic": each.is_deterministic,
                "verdict": each.verdict,
            }
            for each in verified(reruns)
        ],
        "differing": [as_plain(each) for each in reruns if each.difference is not None],
    }
