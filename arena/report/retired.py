"""What people are told of a bot that was retired, its table's rank included."""

from __future__ import annotations

import pandas as pd

from arena.contest import Settled

CLOSE = 1e-9
"""Shares of points that differ by less are the same."""


def retired_sentence(bot: str, settled: Settled, board: pd.DataFrame) -> str:
    """Return the predicate of a sentence about a retired bot.

    It says why the bot was retired, what became of its games, and which rank it would have if it
    had gone on as in the games that it played. `board` is the leaderboard.
    """
    said = f"was {settled.retired[bot]}; {_games(settled.forfeits[bot])} more "
    said += "is a forfeit" if settled.forfeits[bot] == 1 else "are forfeits"
    if nobodys := settled.nobodys[bot]:
        said += f", and {_games(nobodys)} with other retired bots "
        said += "is not counted" if nobodys == 1 else "are not counted"
    results = [
        0.5 if record.winner is None else float((game.first, game.second)[record.winner] == bot)
        for game, record, is_forfeit in settled.games
        if not is_forfeit and record.is_game and bot in (game.first, game.second)
    ]
    share = sum(results) / len(results)
    others = board[board["bot"] != bot]
    better = (others["points"] / others["games"].clip(lower=1)) > share + CLOSE
    rank = 1 + int(better.sum())
    return (
        f"{said}; in the {_games(len(results))} that it played it scored {sum(results):g}, "
        f"which would be rank {rank} of {len(board)}"
    )


def _games(count: int) -> str:
    """Return `1 game`, `5 games`."""
    return "1 game" if count == 1 else f"{count:,} games"
