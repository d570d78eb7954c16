"""Tables and lines on a terminal, after and during a contest."""
