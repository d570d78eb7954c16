"""From games to a ranking: standings, ratings, grades and the leaderboard, as pandas frames."""

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
from arena.ranking.grades import Grade, Grades
from arena.ranking.leaderboard import LEADERBOARD_CSV, Sources, leaderboard, sources_of
from arena.ranking.ratings import ContestRatings, contest_ratings
from arena.ranking.standings import contest_standings, crosstable, standings
from arena.ranking.tie_breaks import TIE_BREAKS, Separation, separations

__all__ = [
    "ANALYSIS_CSV",
    "GAMES_CSV",
    "LEADERBOARD_CSV",
    "TIE_BREAKS",
    "Accuracy",
    "Analysed",
    "ContestRatings",
    "Grade",
    "Grades",
    "Lost",
    "Separation",
    "Sources",
    "accuracies",
    "accuracy_frame",
    "analysed_games",
    "contest_ratings",
    "contest_standings",
    "crosstable",
    "games_frame",
    "leaderboard",
    "missing_games",
    "separations",
    "sources_of",
    "standings",
]
