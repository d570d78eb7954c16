"""Sentences about bots that were retired, and the rank that they would have."""

from __future__ import annotations

import pandas as pd

from arena.contest import Settled
from arena.numbers import counted

CLOSE = 1e-9
"""Shares of points that differ by less are the same."""


def retired_sentence(bot: str, settled: Settled, board: pd.DataFrame) -> str:
    """Return the predicate of a sentence about a retired bot.

    It says why the bot was retired, what became of its games, and which rank it would have if it
    had gone on as in the games that it played. `board` is the leaderboard.
    """
    forfeits, nobodys = settled.forfeits[bot], settled.nobodys[bot]
    are = "is a forfeit" if forfeits == 1 else "are forfeits"
    sentence = f"was {settled.retired[bot]}; {counted(forfeits, 'game')} more {are}"
    if nobodys:
        are = "is" if nobodys == 1 else "are"
        sentence += f", and {counted(nobodys, 'game')} with other retired bots {are} not counted"
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
        f"{sentence}; in the {counted(len(results), 'game')} that it played it scored "
        f"{sum(results):g}, which would be rank {rank} of {len(board)}"
    )
