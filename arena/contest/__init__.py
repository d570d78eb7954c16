"""A contest: entries, folder, games, run, rounds, retirement, people, ladder."""
