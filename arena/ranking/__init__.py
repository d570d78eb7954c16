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
from arena.ranking.grading import Grade, Grades
from arena.ranking.identical import (
    Group,
    Sameness,
    identical_bots,
    others_of,
    representatives,
)
from arena.ranking.leaderboard import (
    LEADERBOARD_CSV,
    Sources,
    leaderboard,
    listed,
    sources_of,
)
from arena.ranking.ratings import (
    ContestRatings,
    contest_ratings,
    convergence,
    players_of,
    ratings_of,
)
from arena.ranking.same_so_far import SameSoFar
from arena.ranking.standings import (
    Separation,
    contest_results,
    contest_standings,
    contest_standings_of,
    crosstable,
    results,
    separations,
)
from arena.ranking.tallies import (
    FAULTS,
    OPENINGS_CSV,
    TALLIES_CSV,
    bot_tallies,
    opening_tallies,
)

__all__ = [
    "ANALYSIS_CSV",
    "FAULTS",
    "GAMES_CSV",
    "LEADERBOARD_CSV",
    "OPENINGS_CSV",
    "TALLIES_CSV",
    "Accuracy",
    "Analysed",
    "ContestRatings",
    "Grade",
    "Grades",
    "Group",
    "Lost",
    "SameSoFar",
    "Sameness",
    "Separation",
    "Sources",
    "accuracies",
    "accuracy_frame",
    "analysed_games",
    "bot_tallies",
    "contest_ratings",
    "contest_results",
    "contest_standings",
    "contest_standings_of",
    "convergence",
    "crosstable",
    "games_frame",
    "identical_bots",
    "leaderboard",
    "listed",
    "missing_games",
    "opening_tallies",
    "others_of",
    "players_of",
    "ratings_of",
    "representatives",
    "results",
    "separations",
    "sources_of",
]
