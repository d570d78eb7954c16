"""Tables and lines on a terminal, also while a contest is played."""
