"""One refereed game: limits, clock, players, judge, verdicts, game key and record."""
