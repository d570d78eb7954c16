"""From games to a ranking: standings, ratings, grades, leaderboard."""
