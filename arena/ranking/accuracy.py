"""Accuracy: blunders of each bot in the games that were analysed, and where it lost games.

The terms are defined in `arena.analysis.analysis`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from arena.analysis.analysis import GameAnalysis, JudgedMove
from arena.contest.retirement import Settled
from arena.game.record import GameRecord
from arena.settings.contest import ScheduledGame

ANALYSIS_CSV = [
    *("bot", "moves", "known", "mattered", "accuracy", "blunders", "lost", "first_blunders"),
    *("mean_first_blunder_ply", "estimated", "estimated_blunders"),
]
"""Columns of analysis.csv. `moves` are the bot's moves in games that were analysed, `known` those
judged by exact values and `estimated` all others; `mattered`, `accuracy` and `blunders` count both.
`lost` are games lost on the board, `first_blunders` those of them with a wrong turn; plies count
from 1. `accuracy` is empty where nothing mattered."""


COUNTED = ("moves", "known", "mattered", "blunders", "estimated_blunders")
"""The fields of Accuracy that count moves."""


class Analysed(NamedTuple):
    """A game of the contest that was analysed."""

    game: ScheduledGame
    record: GameRecord
    analysis: GameAnalysis

    def mover(self, ply: int) -> str:
        """Return the bot that makes the move after `ply` discs."""
        return (self.game.first, self.game.second)[ply % 2]


class Lost(NamedTuple):
    """A game that a bot lost on the board."""

    analysed: Analysed
    turn: JudgedMove | None
    """The bot's wrong turn in it; None if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """One bot's moves in the games that were analysed."""

    bot: str
    """Its name."""

    games: int
    """Its games that were analysed."""

    missing: int
    """Its games that count and were not analysed yet."""

    moves: int
    """Its moves in the games that were analysed."""

    known: int
    """The moves among them that are judged by exact values; all others are by an estimate."""

    mattered: int
    """The moves among them that mattered."""

    blunders: int
    """The moves among them that were blunders."""

    estimated_blunders: int
    """The blunders among them that are so by an estimate."""

    lost: tuple[Lost, ...]
    """The games that it lost on the board, in order."""

    @property
    def estimated(self) -> int:
        """Number of moves that are judged by an estimate."""
        return self.moves - self.known

    @property
    def accuracy(self) -> float | None:
        """Share of the moves that mattered that were no blunders; None if none mattered."""
        return 1 - self.blunders / self.mattered if self.mattered else None

    @property
    def turns(self) -> tuple[int, ...]:
        """Plies, from 1, of the wrong turns of its lost games, where there are any."""
        return tuple(lost.turn.ply + 1 for lost in self.lost if lost.turn is not None)


def analysed_games(settled: Settled, analyses: Mapping[str, GameAnalysis]) -> list[Analysed]:
    """Return the games that were played, that count, and that were analysed, in order."""
    return [
        Analysed(game, record, analyses[record.key])
        for game, record, is_forfeit in settled.games
        if not is_forfeit and record.key in analyses
    ]


def missing_games(settled: Settled, analyses: Mapping[str, GameAnalysis]) -> list[ScheduledGame]:
    """Return the games that count, with moves of bots, that were not analysed yet, in order."""
    return [
        game
        for game, record, is_forfeit in settled.games
        if not is_forfeit
        and len(record.columns) > record.opening_plies
        and record.key not in analyses
    ]


def accuracies(
    games: Sequence[Analysed], bots: Iterable[str], missing: Iterable[ScheduledGame] = ()
) -> dict[str, Accuracy]:
    """Return the accuracy of each of the bots, by name, in that order.

    `missing` are the games that were not analysed yet.
    """
    analysed = Counter(name for each in games for name in (each.game.first, each.game.second))
    waiting = Counter(name for game in missing for name in (game.first, game.second))
    judged: dict[str, Counter[str]] = defaultdict(Counter)
    lost: dict[str, list[Lost]] = defaultdict(list)
    for each in games:
        record = each.record
        for move in each.analysis.judged(record):
            judged[each.mover(move.ply)].update(
                moves=1,
                known=not move.is_estimate,
                mattered=move.matters,
                blunders=move.is_blunder,
                estimated_blunders=move.is_blunder and move.is_estimate,
            )
        if record.loser is not None and not record.verdict.is_fault:
            turn = each.analysis.wrong_turn(record)
            lost[each.mover(record.loser)].append(Lost(each, turn))
    return {
        bot: Accuracy(
            bot=bot,
            games=analysed[bot],
            missing=waiting[bot],
            lost=tuple(lost[bot]),
            **{name: judged[bot][name] for name in COUNTED},
        )
        for bot in bots
    }


def accuracy_frame(rows: Iterable[Accuracy]) -> pd.DataFrame:
    """Return a row for each bot, with the columns of analysis.csv."""
    frame = pd.DataFrame(map(_row, rows), columns=ANALYSIS_CSV)
    return frame.astype({"accuracy": float, "mean_first_blunder_ply": float})


def _row(row: Accuracy) -> tuple[object, ...]:
    plies = row.turns
    return (
        row.bot,
        row.moves,
        row.known,
        row.mattered,
        None if row.accuracy is None else round(row.accuracy, 4),
        row.blunders,
        len(row.lost),
        len(plies),
        round(sum(plies) / len(plies), 1) if plies else None,
        row.estimated,
        row.estimated_blunders,
    )
