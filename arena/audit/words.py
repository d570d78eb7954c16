"""Texts about reruns: of one game, of a sample, and of one bot at home."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.audit.rerun import AnswerGiven, Cause, Difference, Rerun, own_difference
from arena.audit.row_check import contradiction
from arena.common.text import counted, duration, one_line, plain_lines
from arena.game.record import GameRecord
from arena.intake.submission import Submission
from arena.report.game_file import BotTerms
from arena.report.replay import OUTPUT_WIDTH, ShownGame, outcome
from arena.report.screen.fitting import fitted_table
from arena.rules import MARKS, Position, Ruleset, draw

if TYPE_CHECKING:
    from rich.table import Table

NODES_DIFFER = "though it searched a different number of nodes"
NOT_DETERMINISTIC = (
    "{bot} is not deterministic: it answers the same question differently, because of a clock or "
    "of random numbers that the seed does not control."
)


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
    for name in rerun.other_nodes:
        yield f"{one_line(name)} made the same moves, {NODES_DIFFER}."


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
    """Return why a game differs.

    `same_machine` is true if the contest was only played on machines like this one.
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
    return f"No bot caused this: the record {one_line(wrong)}. arena verify looks at all of them."


def as_plain(rerun: Rerun) -> dict[str, Any]:
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
    return {
        "ply": difference.ply,
        "then": _plain_answer(difference.before),
        "now": _plain_answer(difference.again),
        "asked_again": [_plain_answer(each) for each in tries],
    }


def plain_game(record: GameRecord) -> dict[str, Any]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAgain:
    """A game in which only one bot was asked again."""

    shown: ShownGame
    seat: int
    again: GameRecord
    difference: Difference | None

    once_more: GameRecord | None
    """A third game; played only if there is a difference."""

    @property
    def is_own_fault(self) -> bool:
        record = self.shown.record
        return record.verdict.is_fault and record.loser == self.seat

    @property
    def repeats_itself(self) -> bool:
        """True if the bot gives the same answers each time it is asked."""
        if self.once_more is None:
            return True
        return own_difference(self.again, self.once_more, self.seat) is None

    def lines(self) -> Iterator[str]:
        shown, record = self.shown, self.shown.record
        names = one_line(shown.names[0]), one_line(shown.names[1])
        one, other = (f"{name} ({mark})" for name, mark in zip(names, MARKS, strict=True))
        bot = names[self.seat]
        yield f"Game {shown.number}: {one} against {other}; {bot} is asked again"
        yield f"{shown.rules}; the opponent's moves are those of the record"
        yield ""
        if self.difference is None:
            yield self._same(bot)
        else:
            if self.is_own_fault:
                yield f"The fault does not come again as it was: then {bot} {record.reason}."
            yield from difference_lines(names, shown.rules, record, self.difference, ())
            yield ""
            yield self._why(bot)
        if self.again.output.strip():
            printed = plain_lines(self.again.output, OUTPUT_WIDTH)
            yield from ("", f"The last that {bot} printed:", *printed)

    def _same(self, bot: str) -> str:
        if self.is_own_fault:
            return f"The fault comes again: {bot} {one_line(self.again.reason)}."
        seats = map(self.shown.record.seat_of_answer, range(len(self.shown.record.charged_ns)))
        given = counted(sum(seat == self.seat for seat in seats), "answer")
        return f"{bot} gives the same {given} again."

    def _why(self, bot: str) -> str:
        if not self.repeats_itself:
            return NOT_DETERMINISTIC.format(bot=bot)
        return (
            f"{bot} now gives this answer each time. Either it is not the bot that played then, or "
            "it depends on this machine, such as its speed or its version of numpy."
        )

    def plain(self) -> dict[str, Any]:
        return {
            "game": self.shown.number,
            "bot": self.shown.names[self.seat],
            "repeats": self.difference is None,
            "deterministic": self.repeats_itself,
            "verdict": self.again.verdict.name if self.again.loser == self.seat else None,
            "reason": self.again.reason if self.again.loser == self.seat else "",
            "difference": None
            if self.difference is None
            else plain_difference(self.difference, ()),
            "output": self.again.output,
        }


def unlike(terms: BotTerms, submission: Submission, word: str) -> Iterator[str]:
    """Yield sentences on how bot and software differ from those of the contest."""
    alike = {submission.content_hash, submission.likeness} - {""}
    if alike.isdisjoint((terms.content_hash, terms.likeness)):
        yield f"{word} is not what was handed in, or has other names; it is asked as it is now"
    here = (
        ("Python", terms.python, platform.python_version()),
        ("numpy", terms.numpy, version("numpy")),
    )
    for what, then, now in here:
        if then and then != now:
            yield f"the bot played with {what} {then}, and here is {now}"


REPEATS = "repeats"
OTHER_NODES = "repeats, with other numbers of nodes"
DROPPED = ("games", "repeat")  # Columns that a narrow screen omits, in this order.


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    bot: str
    games: int

    differing: tuple[Rerun, ...]
    """Games whose first different answer is the bot's."""

    other_nodes: int
    """Number of games where the bot's moves are the same and its node counts differ."""

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
        return OTHER_NODES if self.other_nodes else REPEATS


def verified(reruns: Sequence[Rerun]) -> list[Verified]:
    names = {name for each in reruns for name in each.game.names}
    found = []
    for bot in sorted(names, key=str.casefold):
        mine = [each for each in reruns if bot in each.game.names]
        differing = tuple(each for each in mine if each.bot == bot)
        other = sum(bot in each.other_nodes for each in mine)
        found.append(Verified(bot=bot, games=len(mine), differing=differing, other_nodes=other))
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
    """Yield a line for each bot and cause, with the command for their first game.

    Also yields a line for each game whose record breaks the rules.
    """
    command = f"arena replay {shlex.quote(str(folder))}"
    for bot in verified(reruns):
        causes = dict.fromkeys(each.cause for each in bot.differing)
        for cause in causes:
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
                "other_nodes": each.other_nodes,
                "verdict": each.verdict,
            }
            for each in verified(reruns)
        ],
        "differing": [as_plain(each) for each in reruns if each.difference is not None],
    }
