"""The time that an assignment gives a hand-in."""

USUAL_MINUTES = 10
"""Gradescope's time limit, unless the assignment has another."""

SPARE_SECONDS = 60
"""Part of the time limit in which no games are played: for starting, and for writing pages."""
