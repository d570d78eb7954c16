"""Accuracy: each bot's blunders in analysed games, and where it lost games.

For the terms, see `arena.analysis.analysis`.
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

# `known` moves are judged by exact values, `estimated` moves by estimates; `mattered`, `accuracy`
# and `blunders` cover both. `lost` counts games lost on the board, `first_blunders` those of these
# games with a wrong turn. Plies count from 1. `accuracy` is empty if no move mattered.
ANALYSIS_CSV = [
    *("bot", "moves", "known", "mattered", "accuracy", "blunders", "lost", "first_blunders"),
    *("mean_first_blunder_ply", "estimated", "estimated_blunders"),
]

# fields of Accuracy that count moves
COUNTED = ("moves", "known", "mattered", "blunders", "estimated_blunders")


class Analysed(NamedTuple):
    game: ScheduledGame
    record: GameRecord
    analysis: GameAnalysis

    def mover(self, ply: int) -> str:
        return (self.game.first, self.game.second)[ply % 2]


class Lost(NamedTuple):
    analysed: Analysed
    turn: JudgedMove | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    bot: str
    games: int
    missing: int
    """Games that count and are not analysed yet."""

    moves: int
    known: int
    mattered: int
    blunders: int
    estimated_blunders: int
    lost: tuple[Lost, ...]

    @property
    def estimated(self) -> int:
        return self.moves - self.known

    @property
    def accuracy(self) -> float | None:
        """Share of the moves that mattered which were no blunders; None if none mattered."""
        return 1 - self.blunders / self.mattered if self.mattered else None

    @property
    def turns(self) -> tuple[int, ...]:
        return tuple(lost.turn.ply + 1 for lost in self.lost if lost.turn is not None)


def analysed_games(settled: Settled, analyses: Mapping[str, GameAnalysis]) -> list[Analysed]:
    return [
        Analysed(game, record, analyses[record.key])
        for game, record, is_forfeit in settled.games
        if not is_forfeit and record.key in analyses
    ]


def missing_games(settled: Settled, analyses: Mapping[str, GameAnalysis]) -> list[ScheduledGame]:
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
