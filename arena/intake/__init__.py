"""From what was handed in to bots that a contest can seat. Nothing handed in is run here."""
