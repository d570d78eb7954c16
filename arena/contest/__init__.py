"""A contest's way: entries, folder, games to play, run, rounds, retirement, people, ladder."""
