"""A sample of games that were played again: what it says of each bot."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from arena.contest.rerun import Cause, Rerun
from arena.numbers import counted
from arena.quoting import one_line
from arena.report.rerun import as_plain, cause_line
from arena.report.tables import fitted_table

REPEATS = "repeats"
OTHER_NODES = "repeats, with other numbers of nodes"

DROPPED = ("games", "repeat")
"""Columns of the table that a narrow screen goes without, the least important first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A bot in the games that were played again."""

    bot: str
    """Its name."""

    games: int
    """Games of it that were played again."""

    differing: tuple[Rerun, ...]
    """Those of them in which its answer is the first that differs."""

    other_nodes: int
    """Games in which it searched other numbers of nodes for the same moves."""

    @property
    def is_deterministic(self) -> bool:
        """False if it was seen to answer the same question in different ways."""
        return all(each.cause is not Cause.NOT_DETERMINISTIC for each in self.differing)

    @property
    def unexplained(self) -> tuple[Rerun, ...]:
        """The games that differ for a reason that is not known to be the bot's own.

        What a bot that is not deterministic does not repeat is explained by that.
        """
        changed = Cause.CHANGED
        return tuple(
            each
            for each in self.differing
            if not each.is_explained and (self.is_deterministic or each.cause is not changed)
        )

    @property
    def verdict(self) -> str:
        """What to say of it, in a few words."""
        if not self.is_deterministic:
            return Cause.NOT_DETERMINISTIC.value
        if self.differing:
            causes = dict.fromkeys(each.cause for each in self.differing if each.cause)
            return "; ".join(cause.value for cause in causes)
        return OTHER_NODES if self.other_nodes else REPEATS


def verified(reruns: Sequence[Rerun]) -> list[Verified]:
    """Return what the games that were played again say of each bot, by name."""
    names = {name for each in reruns for name in (each.game.first, each.game.second)}
    found = []
    for bot in sorted(names, key=str.casefold):
        mine = [each for each in reruns if bot in (each.game.first, each.game.second)]
        differing = tuple(each for each in mine if each.bot == bot)
        other = sum(bot in each.other_nodes for each in mine)
        found.append(Verified(bot=bot, games=len(mine), differing=differing, other_nodes=other))
    return found


def unexplained(reruns: Sequence[Rerun]) -> list[Rerun]:
    """Return the games that did not repeat for a reason that is not known to be a bot's own."""
    of_bots = {id(game) for each in verified(reruns) for game in each.unexplained}
    return [each for each in reruns if each.cause is Cause.RECORD or id(each) in of_bots]


def verified_table(bots: Sequence[Verified], width: int) -> Table:
    """Show what was found of each bot, `width` columns wide."""
    cells = {
        "bot": [one_line(each.bot) for each in bots],
        "games": [f"{each.games:,}" for each in bots],
        "repeat": [f"{each.games - len(each.differing):,}" for each in bots],
        "differ": [f"{len(each.differing):,}" for each in bots],
        "verdict": [each.verdict for each in bots],
    }
    return fitted_table(cells, width, DROPPED)


def findings(reruns: Sequence[Rerun], folder: Path, *, same_machine: bool) -> Iterator[str]:
    """Yield lines about what did not repeat: the first game of each bot and cause, and the command.

    Games whose records do not follow the rules are all named.
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
    """Return how many of the games repeat, of so many that count, one line."""
    repeated = sum(each.difference is None for each in reruns)
    moves = sum(len(each.again.columns) - each.again.opening_plies for each in reruns)
    return (
        f"{repeated:,} of {counted(len(reruns), 'game')} repeat move for move "
        f"({counted(moves, 'move')}; {counted(of, 'game')} of the contest count)"
    )


def as_plain_sample(reruns: Sequence[Rerun]) -> dict[str, Any]:
    """Return what was found as plain data, for JSON: bots, and the games that did not repeat."""
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
