"""From games to a ranking: standings, tie-breaks, grades. Tables are pandas frames."""

from arena.ranking.accuracy import (
    ANALYSIS_CSV,
    Accuracy,
    Analysed,
    Lost,
    accuracies,
    accuracy_frame,
    analysed_games,
    missing_games,
)
from arena.ranking.games import GAMES_CSV, games_frame
from arena.ranking.grades import grades
from arena.ranking.leaderboard import LEADERBOARD_CSV, contest_standings, leaderboard
from arena.ranking.standings import crosstable, standings, tie_breaks

__all__ = [
    "ANALYSIS_CSV",
    "GAMES_CSV",
    "LEADERBOARD_CSV",
    "Accuracy",
    "Analysed",
    "Lost",
    "accuracies",
    "accuracy_frame",
    "analysed_games",
    "contest_standings",
    "crosstable",
    "games_frame",
    "grades",
    "leaderboard",
    "missing_games",
    "standings",
    "tie_breaks",
]
