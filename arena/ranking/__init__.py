"""From games to a ranking: standings, ratings, grades and the leaderboard, as pandas frames."""
