"""A page of games that were played without a contest: names, and the replay of each game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.referee import Limits
from arena.report.html.chunks import Chunk
from arena.report.html.games import CHUNK_GAMES, PlayedGame, game_chunks
from arena.report.html.overview import VERSION, terms_of
from arena.report.html.shell import page
from arena.rules import Ruleset


def replays_page(
    rules: Ruleset,
    limits: Limits,
    players: Sequence[tuple[str, int | None]],
    games: Sequence[PlayedGame],
) -> str:
    """Return the page of games between players, whom the games name by their index.

    `players` are their names, each with the nodes it may use for a move, None for any number.
    """
    title = " – ".join(name for name, _ in players)
    overview: dict[str, Any] = {
        "version": VERSION,
        "view": "games",
        "me": None,
        "contest": terms_of(title, rules, limits) | {"games": len(games)},
        "bots": [{"name": name, "budget": budget, "house": False} for name, budget in players],
        "crosstable": None,
        "openings": [],
        "convergence": None,
        "analysed": None,
        "chunk_games": CHUNK_GAMES,
        "last_game": max((game.number for game in games), default=0),
        "paged": False,
    }
    return page(title, [Chunk("overview", overview), *game_chunks(games)])
