"""From games to a ranking: standings, tie-breaks, grades. Tables are pandas frames."""

from arena.ranking.games import GAMES_CSV, games_frame
from arena.ranking.grades import grades
from arena.ranking.leaderboard import LEADERBOARD_CSV, contest_standings, leaderboard
from arena.ranking.standings import crosstable, standings, tie_breaks

__all__ = [
    "GAMES_CSV",
    "LEADERBOARD_CSV",
    "contest_standings",
    "crosstable",
    "games_frame",
    "grades",
    "leaderboard",
    "standings",
    "tie_breaks",
]
