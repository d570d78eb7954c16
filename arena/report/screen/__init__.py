"""Tables and lines on a terminal, also during a contest."""
