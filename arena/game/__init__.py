"""One refereed game: limits, clock, players, judge, verdicts, its key and record."""
